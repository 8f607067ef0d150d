import { existsSync, readFileSync } from 'node:fs'
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

test('[G29] a value that did not stick is an error (B2)', async (driven) => {
  await driven.open('/form')
  assert.is(await refused(driven, /textbox "Short"/, 'abcdef'), 'did not take the value: it holds "abc" now.')
  assert.is(await refused(driven, /Amount/, 'many'), 'did not take the value: it holds "" now.')
  await driven.open('/widgets')
  assert.is(await refused(driven, /textbox "Locked"/, 'words'), 'did not take the value: it holds "" now.')
  assert.is(await refused(driven, /textbox "Emptied"/, 'words'), 'did not take the value: it holds "" now.')
  assert.is(await set(driven, /textbox "Card"/, '42424242'), '"4242 4242".')
})

test('[G29] ARIA combo boxes and list boxes are set by their options (B12)', async (driven) => {
  await driven.open('/widgets')
  assert.is(await set(driven, /combobox "Fruit"/, 'Cherry'), '"Cherry".')
  assert.is(await driven.value('combo.textContent'), 'Cherry')
  assert.match(await refused(driven, /combobox "Fruit"/, 'Durian'), /has the option "Durian", but it is disabled\.$/)
  assert.match(await refused(driven, /combobox "Fruit"/, 'Fig'), /has no option "Fig"\. Its options are "Apple", /)
  assert.is(await set(driven, /combobox "City"/, 'oslo'), '"oslo".')
  assert.is(await driven.value('city.dataset.code'), 'OSLO')
  assert.is(await set(driven, /listbox "Tea"/, 'Black'), '"Black".')
  assert.is(await driven.value(`teas.children[1].getAttribute('aria-selected')`), 'true')
  assert.ok(((await driven.value('trusted')) as boolean[]).every(Boolean), 'every event was a real one')
})

test('[G29] sliders and spin buttons are set by their keys', async (driven) => {
  await driven.open('/widgets')
  assert.is(await set(driven, /slider "Heat"/, 60), '"60".')
  assert.is(await driven.value(`heat.getAttribute('aria-valuenow')`), '60')
  assert.is(await set(driven, /spinbutton "Guests"/, '1'), '"1".')
  assert.is(await refused(driven, /spinbutton "Guests"/, 12), 'goes from 1 to 9.')
  assert.is(await refused(driven, /slider "Heat"/, 62), 'goes in steps of 5: it is at 65 now.')
})

const CODEMIRROR = 'eval/node_modules/codemirror5/lib/codemirror.js'
if (existsSync(CODEMIRROR))
  test('[G29] a code editor that draws by itself is replaced as a whole (B19)', async (driven) => {
    await driven.open('/first')
    await driven.tabs.protocolOf('task')?.send('Runtime.evaluate', { expression: readFileSync(CODEMIRROR, 'utf8') })
    await driven.value(`(globalThis.editor = CodeMirror(document.body, { value: 'old();' })) && 1`)
    assert.is(
      await set(driven, /textbox \[e\d+\] multiline hidden/, 'const tea = 2\nbrew(tea)'),
      '"const tea = 2\\nbrew(tea)".',
    )
    assert.is(await driven.value('editor.getValue()'), 'const tea = 2\nbrew(tea)')
  })

test('[G29] a frame in design mode is written into (B19)', async (driven) => {
  await driven.open('/widgets')
  assert.match(await set(driven, /textbox \[f\d+e\d+\]/, 'Dear Ada'), /^"Dear Ada"/)
  assert.is(await driven.value('letter.contentDocument.body.innerText.trim()'), 'Dear Ada')
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
if (!existsSync(CODEMIRROR)) console.log('SKIPPED 1 CodeMirror is not installed: npm install --prefix eval')
