import * as assert from 'uvu/assert'
import { DIALOG_MS_MAX } from '../../src/browser/limits.ts'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('dialogs')

test('[G14] [G26] alerts are closed and told (B17)', async ({ open, text, ref }) => {
  await open('/dialogs')
  const press = async (name: string) =>
    text('computer', { action: 'left_click', ref: await ref(new RegExp(`button "${name}"`)) })
  const alerted = await press('Alert')
  assert.match(alerted, /^Clicked .*\nThe page showed an alert\. It was closed\.\n/)
  assert.match(alerted, /\nDialog: "Careful!"\n[\s\S]*\+ status "alerted"/)
  const many = await press('Many')
  assert.is(many.match(/The page showed an alert/g)?.length, 5)
  assert.match(many, /\n4 more things of this kind happened\.\n/)
  assert.match(many, /status "over"/)
})

test('[G26] a confirm and a prompt wait for the tool dialog (A8)', async ({ open, text, failure, ref }) => {
  await open('/dialogs')
  const confirm = await ref(/button "Confirm"/)
  const prompt = await ref(/button "Prompt"/)
  const press = (which: string) => text('computer', { action: 'left_click', ref: which })
  const asked = await press(confirm)
  assert.match(asked, /^Clicked .*\nThe page asks to confirm something in a dialog\. Answer it with the tool dialog/)
  assert.match(asked, /\nDialog: "Really\?"$/)
  assert.match(await failure('read_page', {}), /^This was not done\. The page asks to confirm/)
  assert.match(await text('dialog', { accept: false }), /^Answered the dialog with Cancel\.[\s\S]*status "false"/)
  await press(confirm)
  assert.match(await text('dialog', { accept: true }), /OK\.[\s\S]*status "true"/)
  assert.match(await press(prompt), /Dialog: "Your name\?", suggested: "Nobody"$/)
  assert.match(await text('dialog', { accept: true, text: 'Ada' }), /status "Ada"/)
  assert.is(await failure('dialog', { accept: true }), 'No dialog is open.')
})

test('[G26] a dialog that nobody answers is dismissed and told (A8)', async ({ open, text, ref }) => {
  await open('/dialogs')
  await text('computer', { action: 'left_click', ref: await ref(/button "Confirm"/) })
  await new Promise((resolve) => setTimeout(resolve, DIALOG_MS_MAX + 300))
  const read = await text('read_page', {})
  assert.match(read, /Nobody answered a dialog of the page within 10 s, so it was dismissed\.[\s\S]*status "false"/)
})

test('[G26] a page that asks whether to leave it is left when the dialog is accepted (A8)', async (driven) => {
  const { open, text, ref } = driven
  await open('/dialogs')
  await text('computer', { action: 'left_click', ref: await ref(/Guard/) })
  assert.match(await open('/second'), /The page asks in a dialog whether to leave it\./)
  assert.match(await text('dialog', { accept: false }), /^Answered the dialog with stay\./)
  assert.match(await text('read_page', {}), /Page "Dialogs"/)
  await open('/second')
  assert.match(await text('dialog', { accept: true }), /^Answered the dialog with leave\.[\s\S]*\nPage "Second"/)
})

await test.run()
