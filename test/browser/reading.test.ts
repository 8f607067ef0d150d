import * as assert from 'uvu/assert'
import { browserSuite, IMPATIENCE } from '../support/driven-browser.ts'

const test = browserSuite('reading pages')

test('[G3] read_page shows the page as a tree, with a reference for all that can be used', async ({ open, text }) => {
  await open('/first')
  const page = await text('read_page', {})
  assert.match(page, /^Page "First" \(http:/)
  assert.match(page, /heading "Books" level=1\n/)
  assert.match(page, /link "Second page" \[e\d+\] -> \/second\n/)
  assert.match(page, /text "Two books are in stock\."/)
  assert.match(page, /button "Add to cart" \[e\d+\]\n/)
  assert.match(page, /button "Add to cart" \[e\d+\] disabled\n/)
  assert.match(page, /searchbox "Search" \[e\d+\].*Title or author/)
  assert.match(page, /clickable "Wrap as a gift" \[e\d+\]/)
  assert.not.match(page, /Nobody sees this/)
  const books = page.split('\n').filter((line) => /heading/.test(line))
  assert.ok(
    books.every((line) => !/\[e\d+\]/.test(line)),
    'a heading cannot be used',
  )
})

test('[G3] read_page with filter interactive shows only what can be used', async ({ open, text }) => {
  await open('/first')
  const lines = (await text('read_page', { filter: 'interactive' })).split('\n').slice(1)
  assert.is(lines.length, 7)
  assert.ok(lines.every((line) => /^\S.*\[e\d+\]/.test(line)))
})

test('[G3] read_page includes shadow trees, closed ones too, and frames (B6)', async ({ open, text, ref, value }) => {
  await open('/nested')
  const page = await text('read_page', {})
  assert.match(page, /text "In the shadow"/)
  assert.match(page, /button "Shadow button" \[e\d+\]/)
  assert.match(page, /textbox "Shadow field" \[e\d+\]/)
  assert.match(page, /frame "Inner frame".*\n(.*\n)*? {2}button "Inner button" \[f\d+e\d+\]/)
  await text('computer', { action: 'left_click', ref: await ref(/Inner button/) })
  assert.is(await value(`document.getElementById('said').value`), 'inner')
  await text('computer', { action: 'left_click', ref: await ref(/Open button/) })
  assert.is(await value(`document.getElementById('said').value`), 'open')
  assert.match(await text('form_input', { ref: await ref(/Shadow field/), value: 'dark' }), /now holds "dark"\./)
  assert.match(await text('form_input', { ref: await ref(/Inner field/), value: 'within' }), /now holds "within"\./)
  assert.match(await text('read_page', {}), /Inner field" \[f\d+e\d+\].*value="within"/)
})

test('[G3] read_page with a ref shows that part only', async ({ open, text, ref }) => {
  await open('/form')
  const part = await text('read_page', { ref: await ref(/Size/) })
  assert.is(part.split('\n').length, 2)
  assert.match(part, /combobox "Size" \[e\d+\].*options: \*Small \| Large \| Huge \(disabled\)$/)
})

test('[G3] read_page keeps to max_chars and says what it left out', async ({ open, text }) => {
  await open('/first')
  const page = await text('read_page', { max_chars: 300 })
  assert.ok(page.length <= 300, `${page.length} characters`)
  assert.match(page, /… cut: \d+ more lines/)
})

test('[G3] an element keeps its reference from reading to reading', async ({ open, ref }) => {
  await open('/first')
  assert.is(await ref(/Second page/), await ref(/Second page/))
})

test('[G4] find gives matching elements with references, the best first', async ({ open, text }) => {
  await open('/first')
  const buttons = await text('find', { query: 'add to cart button' })
  assert.match(buttons, /^2 matches:\nbutton "Add to cart" \[e\d+\]\nbutton "Add to cart" \[e\d+\] disabled$/)
  assert.match(await text('find', { query: 'search box' }), /^1 match:\nsearchbox "Search" \[e\d+\]/)
  assert.match(await text('find', { query: 'second page' }), /:\nlink "Second page" \[e\d+\] -> \/second/)
  assert.match(await text('find', { query: 'author' }), /searchbox "Search"/)
  assert.match(await text('find', { query: 'blue book' }), /:\nheading "Blue book" \[e\d+\]/)
  assert.is(await text('find', { query: 'submarine' }), 'Nothing on the page matches "submarine".')
})

test('[G4] find gives at most 20 matches', async ({ open, run, text }) => {
  await open('/second')
  const fill = `for (let n = 0; n < 30; n += 1) document.body.append(Object.assign(document.createElement('button'), {textContent: 'Row ' + n}))`
  await run('javascript_tool', { action: 'javascript_exec', look: 'none', text: fill })
  assert.match(await text('find', { query: 'row' }), /^20 matches:\n(button "Row \d+" \[e\d+\]\n?){20}$/)
})

test('[G6] get_page_text gives title, URL and the visible text, main content first', async ({ open, text, pages }) => {
  await open('/first')
  const page = await text('get_page_text', {})
  assert.ok(page.startsWith(`Title: First\nURL: ${pages.origin}/first\n\n# Books\nTwo books are in stock.`), page)
  assert.match(page, /Cart: empty/)
  assert.match(page, /\[Rest of the page\]\n(.*\n)*Imprint$/)
  assert.not.match(page, /Nobody sees this/)
})

test('[G6] get_page_text includes open shadow trees and frames, and keeps to max_chars', async ({ open, text }) => {
  await open('/nested')
  const page = await text('get_page_text', {})
  assert.match(page, /In the open shadow/)
  assert.match(page, /Inside the frame/)
  const short = await text('get_page_text', { max_chars: 150 })
  assert.ok(short.length <= 150, `${short.length} characters`)
  assert.match(short, /^… cut: \d+ more characters\. This is page 1 of \d+: read on with page\.\n/)
})

test('[G11] javascript_tool gives the value of the last expression', async ({ open, text }) => {
  await open('/first')
  const js = (code: string) => text('javascript_tool', { action: 'javascript_exec', look: 'none', text: code })
  assert.is(await js('1 + 1'), '2')
  assert.is(await js('const a = 20; a + 1'), '21')
  assert.is(await js('document.title'), 'First')
  assert.is(await js('undefined'), 'undefined')
  assert.is(await js('null'), 'null')
  assert.is(await js('10n'), '10n')
  assert.is(await js('NaN'), 'NaN')
  assert.is(await js('await new Promise((resolve) => setTimeout(resolve, 5, "later"))'), 'later')
  assert.is(await js('Promise.resolve("promised")'), 'promised')
  assert.is(await js('return 5'), '5')
  assert.is(await js('if (document.title) {\n  return await Promise.resolve("body")\n}'), 'body')
  assert.is(await js('function f() {\n  return 7\n}\nf()'), '7')
  assert.equal(JSON.parse(await js('({a: [1, {b: 2}], f() {}, m: new Map([[1, 2]])})')), {
    a: [1, { b: 2 }],
    f: '[function f]',
    m: [[1, 2]],
  })
  assert.match(await js('const c = {}; c.c = c; c'), /\[circular\]/)
  assert.match(await js('document.querySelector("h1")'), /^<h1>Books<\/h1>$/)
})

test('[G11] javascript_tool gives errors as text, and bounds its output', async ({ open, text, failure }) => {
  await open('/first')
  const exec = { action: 'javascript_exec', look: 'none' }
  assert.is(
    await failure('javascript_tool', { ...exec, text: 'nope.x' }),
    'The script failed.\nReferenceError: nope is not defined',
  )
  assert.match(await failure('javascript_tool', { ...exec, text: 'a b' }), /\nSyntaxError: /)
  const unbalanced = '} globalThis.ran = true; { const f = () => { return 1 }'
  assert.match(await failure('javascript_tool', { ...exec, text: unbalanced }), /\nSyntaxError: /)
  assert.is(await text('javascript_tool', { ...exec, text: 'globalThis.ran' }), 'undefined')
  assert.is(await failure('javascript_tool', { ...exec, text: 'throw "words"' }), 'The script failed.\nThrown: words')
  assert.is(
    await failure('javascript_tool', { ...exec, text: 'Promise.reject(new Error("late"))' }),
    'The script failed.\nError: late',
  )
  const long = await text('javascript_tool', { ...exec, text: '"x".repeat(30000)' })
  assert.match(long, /^x{20000}… cut: 10000 more characters\.$/)
})

test(
  '[G11] a script that never ends is given up, and the page lives on',
  async ({ open, failure, text }) => {
    await open('/first')
    const exec = { action: 'javascript_exec', look: 'none' }
    assert.match(
      await failure('javascript_tool', { ...exec, text: 'for (;;) {}' }),
      /^The script did not end and was stopped\.$/,
    )
    assert.is(await text('javascript_tool', { ...exec, text: 'document.title' }), 'First')
    assert.match(
      await failure('javascript_tool', { ...exec, text: 'new Promise(() => {})' }),
      /did not answer within 3 s/,
    )
    assert.is(await text('javascript_tool', { ...exec, text: 'document.title' }), 'First')
  },
  IMPATIENCE,
)

test('a page that listens everywhere is read again and again', async ({ open, run, text }) => {
  await open('/second')
  const listening = `for (let n = 0; n < 50; n += 1) {
    const box = document.body.appendChild(document.createElement('div'))
    box.textContent = 'Box ' + n
    box.onclick = box.ondblclick = box.onmouseenter = () => {}
  }`
  await run('javascript_tool', { action: 'javascript_exec', text: listening })
  for (let time = 0; time < 8; time += 1) assert.match(await text('read_page', {}), /clickable "Box 49" \[e\d+\]/)
})

test.both('[G30] the text of a PDF is read, in a tab, in a frame and in a file (B6)', async ({ open, text, run }) => {
  assert.match(await open('/invoice.pdf'), /This is a PDF: get_page_text reads it\./)
  assert.match(await text('get_page_text', {}), /\/invoice\.pdf\n\nInvoice 117\s+Total 113\.00/)
  await open('/first')
  await run('javascript_tool', {
    action: 'javascript_exec',
    text: `document.body.insertAdjacentHTML('beforeend', '<iframe src="/invoice.pdf"></iframe><a href="/invoice-download">Save</a>')`,
  })
  await run('computer', { action: 'wait', duration: 1 })
  assert.match(await text('get_page_text', {}), /Invoice 117/)
  const link = /link "Save" \[(e\d+)\]/.exec(await text('read_page', {}))?.[1]
  assert.match(await text('computer', { action: 'left_click', ref: link }), /File: "invoice\.pdf"/)
  assert.match(await text('files', { action: 'read', name: 'invoice.pdf' }), /Invoice 118/)
})

await test.run()
