import * as assert from 'uvu/assert'
import { browserSuite, type Driven } from '../support/driven-browser.ts'

const test = browserSuite('form_input')

/** Sets the control whose line matches, and gives what the tool says of it. */
async function set({ ref, text }: Driven, line: RegExp, value: unknown): Promise<string> {
  const output = await text('form_input', { ref: await ref(line), value, look: 'none' })
  return output.replace(/^[\s\S]*now holds /, '')
}
const refused = async ({ ref, failure }: Driven, line: RegExp, value: unknown): Promise<string> =>
  (await failure('form_input', { ref: await ref(line), value })).replace(/^[\s\S]*\ne\d+: [\w ]+ ".*?" /, '')

test('[G5] text replaces what is there, and fires input and change', async (driven) => {
  await driven.open('/form')
  assert.is(await set(driven, /textbox "Name"/, 'Ada Lovelace'), '"Ada Lovelace".')
  assert.is(await driven.value('document.forms[0].name.value'), 'Ada Lovelace')
  assert.equal(await driven.value('heard'), ['name:input', 'name:change'])
  assert.is(await set(driven, /textbox "Name"/, ''), '"".')
  assert.is(await driven.value('document.forms[0].name.value'), '')
  assert.is(await set(driven, /textbox "Notes"/, 'one\ntwo'), '"one\\ntwo".')
  assert.is(await set(driven, /Amount/, 12.5), '"12.5".')
})

test('[G5] tells when the control holds something else than was asked for', async (driven) => {
  await driven.open('/form')
  assert.is(await set(driven, /textbox "Short"/, 'abcdef'), '"abc", not "abcdef".')
  assert.match(await set(driven, /Amount/, 'many'), /^"", not "many"\.$/)
})

test('[G5] a control whose value a framework tracks sees the change', async (driven) => {
  await driven.open('/form')
  assert.is(await set(driven, /textbox "Tracked"/, 'seen'), '"seen".')
  assert.is(await driven.value(`document.getElementById('state').textContent`), 'seen')
  const long = 'y'.repeat(6_000)
  await set(driven, /textbox "Tracked"/, long)
  assert.is(await driven.value(`document.getElementById('state').textContent.length`), 6_000)
})

test('[G5] select takes the label or the value of an option', async (driven) => {
  await driven.open('/form')
  assert.is(await set(driven, /combobox "Size"/, 'Large'), '"Large".')
  assert.is(await driven.value('document.forms[0].size.value'), 'l')
  assert.is(await set(driven, /combobox "Size"/, 's'), '"Small".')
  assert.equal(await driven.value('heard'), ['size:input', 'size:change', 'size:input', 'size:change'])
  assert.is(
    await refused(driven, /combobox "Size"/, 'Tiny'),
    'has no option "Tiny". Its options are "Small", "Large", "Huge".',
  )
  assert.is(await refused(driven, /combobox "Size"/, 'Huge'), 'has the option "Huge", but it is disabled.')
  assert.is(await set(driven, /listbox "Colours"/, 'Red, Blue'), '"Red, Blue".')
})

test('[G5] checkbox and switch take true and false', async (driven) => {
  await driven.open('/form')
  assert.is(await set(driven, /checkbox "Newsletter"/, true), '"checked".')
  assert.is(await set(driven, /checkbox "Newsletter"/, true), '"checked".')
  assert.equal(await driven.value('heard'), ['news:input', 'news:change'])
  assert.is(await set(driven, /checkbox "Newsletter"/, 'false'), '"not checked".')
  assert.is(await set(driven, /switch "Dark mode"/, true), '"checked".')
  assert.match(await refused(driven, /checkbox "Newsletter"/, 'maybe'), /takes true or false, not "maybe"\.$/)
})

test('[G5] radio buttons are chosen, by reference or by the name of another of the group', async (driven) => {
  await driven.open('/form')
  assert.is(await set(driven, /radio "Bill"/, true), '"chosen: Bill".')
  assert.is(await driven.value('document.forms[0].pay.value'), 'bill')
  assert.is(await set(driven, /radio "Bill"/, 'Card'), '"chosen: Card".')
  assert.is(await driven.value('document.forms[0].pay.value'), 'card')
  assert.match(await refused(driven, /radio "Card"/, false), /choose another one of its group/)
})

test('[G5] date, time, range and colour take their own formats', async (driven) => {
  await driven.open('/form')
  assert.is(await set(driven, /Day/, '2026-03-09'), '"2026-03-09".')
  assert.is(await driven.value('document.forms[0].day.value'), '2026-03-09')
  assert.is(await refused(driven, /Day/, 'tomorrow'), 'takes YYYY-MM-DD, not "tomorrow".')
  assert.is(await driven.value('document.forms[0].day.value'), '2026-03-09')
  assert.is(await set(driven, /Time/, '07:30'), '"07:30".')
  assert.is(await set(driven, /Volume/, 8), '"8".')
  assert.is(await set(driven, /Paint/, '#FF0000'), '"#ff0000".')
})

test('[G5] contenteditable is replaced as a whole', async (driven) => {
  await driven.open('/form')
  assert.is(await set(driven, /textbox "Story"/, 'There was'), '"There was".')
  assert.is(await driven.value(`document.getElementById('story').textContent`), 'There was')
  assert.ok(((await driven.value('heard')) as string[]).includes('story:input'))
})

test('[G5] what cannot be set says why', async (driven) => {
  await driven.open('/form')
  assert.is(await refused(driven, /textbox "Fixed"/, 'x'), 'is read-only.')
  assert.is(await refused(driven, /textbox "Off"/, 'x'), 'is disabled.')
  assert.match(await refused(driven, /"File/, 'x'), /^takes a file/)
  assert.match(
    await refused(driven, /button "Send"/, 'x'),
    /is a <button> and no form control\. Click it with computer/,
  )
})

test('[G5] [G7] a form filled in is submitted by its button', async (driven) => {
  await driven.open('/form')
  await set(driven, /textbox "Name"/, 'Ada')
  await driven.text('computer', { action: 'left_click', ref: await driven.ref(/button "Send"/) })
  assert.is(await driven.value('document.title'), 'Submitted')
})

await test.run()
