import * as assert from 'uvu/assert'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('pages that name things as the browser does')

const NAMES = `(() => {
  const names = new Set()
  for (const { prototype } of [Node, Element, HTMLElement, HTMLFormElement, EventTarget, Object])
    for (const name of Object.getOwnPropertyNames(prototype)) names.add(name)
  return [...names]
})()`

test('[G38] a form with a field for each property name of the browser is read', async ({ show, value, text, ref }) => {
  await show('<title>Empty</title>')
  const names = (await value(NAMES)) as string[]
  assert.ok(names.length > 300, `${names.length}`)
  const fields = names.map((name) => `<label>Field ${name} <input name="${name}" value="v"></label><br>`)
  await show(
    `<title>Fields</title><main><form onclick="1"><h1>Form</h1><p>Said in it</p>${fields.join('')}<button type="button" onclick="document.title = 'Pressed'">Press</button></form></main><p>After it</p>`,
  )
  const page = await text('read_page', {})
  for (const name of names) assert.ok(page.includes(`textbox "Field ${name}"`), name)
  assert.match(page, /heading "Form"/)
  assert.match(page, /After it/)
  assert.not.match(page, /could not be read/)
  const whole = await text('get_page_text', {})
  assert.match(whole, /Said in it/)
  assert.match(whole, /Field childNodes/)
  assert.match(await text('find', { query: 'Field shadowRoot' }), /textbox "Field shadowRoot"/)
  await text('computer', { action: 'left_click', ref: await ref(/button "Press"/) })
  assert.is(await value('document.title'), 'Pressed')
})

test('[G38] a form with one such field is read, whichever it is', async ({ show, text }) => {
  for (const name of [
    'childNodes',
    'getAttribute',
    'hasAttribute',
    'getBoundingClientRect',
    'localName',
    'shadowRoot',
    'parentNode',
    'children',
    'matches',
    'closest',
    'textContent',
    'nodeType',
    'id',
    'tabIndex',
    'querySelectorAll',
  ]) {
    await show(`<title>One</title><form><p>Inside</p><input name="${name}" aria-label="Field"></form>`)
    const page = await text('read_page', {})
    assert.match(page, /Inside/, name)
    assert.match(page, /textbox "Field"/, name)
    assert.match(await text('get_page_text', {}), /Inside/, name)
  }
})

test('[G38] images and forms that are named as what a document has are read past', async ({ show, text }) => {
  const names = [
    'body',
    'title',
    'querySelector',
    'querySelectorAll',
    'documentElement',
    'getElementsByTagName',
    'activeElement',
    'contentType',
    'createRange',
    'styleSheets',
    'designMode',
    'scrollingElement',
    'elementFromPoint',
    'createTreeWalker',
  ]
  await show(
    `<title>Named</title><p>The text</p>${names.map((name) => `<form name="${name}"></form><img name="${name}" alt="${name}" width=40 height=40>`).join('')}<button>Press</button>`,
  )
  const page = await text('read_page', {})
  assert.match(page, /The text/)
  assert.match(page, /button "Press"/)
  assert.match(page, /^Page "Named"/m)
  assert.match(await text('get_page_text', {}), /The text/)
})

test('[G39] pages from right to left, and in vertical writing, are read where they can be scrolled to', async ({
  show,
  text,
}) => {
  const wide = (
    style: string,
  ) => `<title>Wide</title><div style="${style}"><p style="position: absolute; left: -900px">Far left</p></div>
    <div style="width: 3000px; display: flex; justify-content: space-between"><button>Start</button><button>End</button></div>`
  await show(`<html dir="rtl">${wide('')}</html>`)
  for (const reading of [await text('read_page', {}), await text('get_page_text', {})]) {
    assert.match(reading, /Start/)
    assert.match(reading, /End/)
  }
  await show(`<body dir="rtl">${wide('')}</body>`)
  assert.match(await text('read_page', {}), /button "End"/)
  await show(
    `<html style="writing-mode: vertical-rl"><title>Vertical</title>${'<p style="width: 400px">Column</p>'.repeat(8)}<button>Last</button></html>`,
  )
  assert.match(await text('read_page', {}), /button "Last"/)
  assert.match(await text('find', { query: 'last' }), /button "Last"/)
  // What lies where nobody can come is not read, as before.
  await show('<title>Plain</title><p style="position: absolute; left: -9000px">Nobody</p><p>Seen</p>')
  assert.not.match(await text('read_page', {}), /Nobody/)
})

test.run()
