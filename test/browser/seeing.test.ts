import * as assert from 'uvu/assert'
import { browserSuite } from '../support/driven-browser.ts'
import { ROWS } from '../support/pages.ts'

const test = browserSuite('what is seen')

test('[G15] what a person sees has a line (B18)', async ({ open, text }) => {
  await open('/seen')
  const page = await text('read_page', {})
  assert.match(page, /text "Order total € 42\.00"\n/)
  assert.match(page, /text "Visible though aria-hidden"/)
  assert.match(page, /text "€ 12"\n/, 'text of ::before')
  assert.match(page, /textbox "Email \*" \[e\d+\]/, 'text of ::after')
  assert.match(page, /text "Not drawn yet"/, 'content-visibility: auto')
  assert.match(page, /text "zero height shows"/)
  assert.match(page, /deletion "€ 20"\n *insertion "€ 10"/)
  assert.match(page, /link "Here" \[e\d+\] current page/)
  assert.match(page, /options: \*Opt 0 \| .* \| Opt 7 \| … 32 more\n/)
  assert.match(page, /suggestions: Berlin \| Bonn\n/)
  assert.match(page, /image "sunset-beach"\n/)
  assert.match(page, /scroll area \[e\d+\] scrolled 0 of \d+ px\n {2}text "scroll 1"/)
})

test('[G15] what a style sheet draws is read by its alternative text, and never by its address (G1)', async ({
  open,
  text,
}) => {
  await open('/drawn-by-css')
  const page = await text('read_page', {})
  assert.match(page, /checkbox "Remember me" \[e\d+\]\n/)
  assert.match(page, /button "Close" \[e\d+\]/)
  assert.match(page, /button "Save draft" \[e\d+\]/)
  assert.match(page, /text "Price: € 5 \(incl\. VAT\) each"\n/)
  assert.match(page, /"First"/)
  const all = `${page}\n${await text('get_page_text', {})}`
  for (const address of ['data:', 'svg+xml', 'tick.png', 'image-set', 'url('])
    assert.not(all.includes(address), address)
})

test('[G4] [G15] find has what is called just so alone; a description that is not shown is not read (A11)', async ({
  open,
  text,
  value,
}) => {
  await open('/media')
  await value(`(document.body.insertAdjacentHTML('beforeend', \`
    <button>Save</button> <button>Save and continue</button> <button>Save as new</button>
    <label>User <input aria-describedby="wrong hint"></label> <p id="wrong" hidden>Login failed</p> <p id="hint">Your email</p>\`), 1)`)
  assert.match(await text('find', { query: 'save' }), /^1 match:\nbutton "Save" \[e\d+\]$/)
  assert.match(await text('find', { query: 'save new' }), /button "Save as new"/)
  const page = await text('read_page', {})
  assert.match(page, /textbox "User" \[e\d+\] description="Your email"/)
  assert.not.match(page, /Login failed/)
})

test('[G15] a title is told unless the name says it', async ({ show, text }) => {
  await show(TITLED)
  const lines = (await text('read_page', {})).split('\n').slice(1)
  assert.equal(
    lines.map((line) => line.replace(/ \[e\d+\]/, '').trim()),
    [
      'link "Discussion" description="Talk about the page" -> /talk',
      'button "B" description="Bold"',
      'link "an hour ago" description="26 November, 10:41" -> /log',
      'button "Delete" disabled description="Only an owner may do this"',
      'button "Marker" description="Berlin"',
      'button "Marker" description="Hamburg"',
      'link "The whole na…" description="The whole name of it" -> /name',
      'button "Save all changes"',
      'button "Print"',
      'listitem "Of the list"',
      'link "Item" -> /item',
      'table "Files"',
      'row "The whole te… (The whole text) | Rome"',
      'row "Tea | Oslo"',
    ],
  )
})
const TITLED = `<a href="/talk" title="Talk about the page">Discussion</a> <button title="Bold">B</button>
<a href="/log" title="26 November, 10:41">an hour ago</a> <button disabled title="Only an owner may do this">Delete</button>
<button title="Berlin">Marker</button> <button title="Hamburg">Marker</button>
<a href="/name" title="The whole name of it">The whole na…</a> <button title="save all">Save all changes</button>
<button title="Print…">Print</button>
<ul><li title="Of the list"><a href="/item">Item</a></li></ul>
<table aria-label="Files"><tr><td title="The whole text">The whole te…</td><td title="Rome">Rome</td></tr><tr><td>Tea</td><td>Oslo</td></tr></table>`

test('[G15] find reaches text in any element, and options beyond the thirtieth are read by ref (B10)', async ({
  open,
  text,
  ref,
}) => {
  await open('/seen')
  assert.match(await text('find', { query: 'order total' }), /^1 match:\ntext "Order total € 42\.00" \[e\d+\]$/)
  assert.match(await text('read_page', { ref: await ref(/options: \*Opt 0/) }), /\n *option "Opt 39"$/)
})

test('[G15] values stand under their heading (B13)', async ({ open, text }) => {
  await open('/seen')
  const page = await text('read_page', {})
  assert.match(page, /row "Name \| Age \(sorted ascending\) \| City \| "\n/)
  assert.match(page, /row "Alice \| {2}\| Paris \| "\n {4}button "Edit" \[e\d+\]\n/)
  assert.match(page, /row "Bob \| 40 \| {2}\| "\n/)
  assert.match(page, /row "Two \| 1 \| 2 \| 3"\n *row "↑ \| x \| y \| z"\n/)
})

test('[G15] text is not bent (B16)', async ({ open, text }) => {
  await open('/seen')
  const page = await text('read_page', {})
  assert.match(page, /text "line one\\n {2}line two"\n/)
  assert.match(page, /text "as\.gif file, see"\n/)
  assert.match(page, /text "first para"\n *text "second para"\n/)
  assert.match(page, /value="a\\n b {3}c"\n/)
  assert.is(page.match(/inner a/g)?.length, 1, 'a table that only places things is read once')
  assert.match(await text('get_page_text', {}), /\nline one\n {2}line two\nas\.gif file, see here\.\n/)
})

test('[G16] what opens on hover is told where it is: a rule for all spans makes no span hoverable that opens nothing', async ({
  open,
  text,
  value,
}) => {
  await open('/media')
  await value(`(document.body.insertAdjacentHTML('beforeend', \`<style>.anchor { visibility: hidden }
    span:hover .anchor, h2:hover > .anchor::after { visibility: visible }</style>
    <p>let <span>tea</span> = <span>brew</span></p> <p><span>Steep <a class="anchor" href="#s">¶</a></span></p> <h2>Boil</h2>\`), 1)`)
  const page = await text('read_page', {})
  assert.match(page, /text "let tea = brew"/)
  assert.is(page.match(/^ *hoverable/gm)?.length, 1, page)
})

test('[G16] [G33] of a class name the last word is told, a mark in a label is no target, a heading and its button are one line', async ({
  open,
  text,
  value,
}) => {
  await open('/media')
  await value(`(document.body.insertAdjacentHTML('beforeend', \`<div onclick="0">
    <button class="acme-ui-panels-separator"></button> <button class="MuiBackdrop-root"></button>
    <button class="MuiSvgIcon-root css-kqzhgb"></button>
    <label for="user">User <span class="MuiFormLabel-asterisk">*</span></label> <input id="user">
    <h2><button>Delivery</button></h2></div>\`), 1)`)
  const page = await text('read_page', {})
  assert.match(page, /button \[e\d+\] class=separator\n *button \[e\d+\] class=backdrop\n *button \[e\d+\]\n/)
  assert.match(page, /button "Delivery" \[e\d+\] level=2/)
  assert.not.match(page, /asterisk|heading "Delivery"/)
})

test('[G15] what is not drawn has no line (B11)', async ({ open, text }) => {
  await open('/seen')
  for (const page of [await text('read_page', {}), await text('get_page_text', {})]) {
    for (const hidden of ['hidden listens', 'zero box', 'off canvas', 'only for readers', 'secret', 'Phones']) {
      assert.not(page.includes(hidden), hidden)
    }
  }
})

test('[G16] what reacts has a ref, and what has no name gets what can be known (B9) (B12) (B14)', async ({
  open,
  text,
}) => {
  await open('/seen')
  const page = await text('read_page', { filter: 'interactive' })
  const lines = [
    'clickable "Delegated pointer"',
    'clickable "Class button"',
    'clickable "Double"',
    'clickable "Context"',
    'clickable "Pointer"',
    'hoverable "Hover me"',
    'hoverable "Products"',
    'clickable "Red dot"',
    'link "Area A"',
    'button "icon-cart"',
    'button "Close dialog"',
    'checkbox "Accept terms"',
    'radio "Option One"',
    'option "Pear"',
    'textbox "Search fruit"',
  ]
  for (const line of lines) assert.match(page, new RegExp(`^${line} \\[e\\d+\\]`, 'm'))
  assert.match(page, /^textbox \[e\d+\] value="Edit me"/m)
  // Classes and ids are hints, and no content; those that a library makes say nothing.
  assert.match(page, /^button \[e\d+\] class=close$/m)
  assert.match(page, /^file field \[e\d+\] hidden id=up/m)
  assert.match(page, /^link \[e\d+\] -> \/chosen$/m)
  assert.ok(
    page
      .split('\n')
      .slice(1)
      .every((line) => /^\w[\w ]*( ".*")? \[|^frame /.test(line)),
    page,
  )
})

test('[G17] frames of other sites are read, searched and used (B6)', async ({ open, text, ref }) => {
  await open('/seen')
  const page = await text('read_page', {})
  assert.match(page, /frame "Cross"\n {2}text "Inside the frame"\n {2}button "Inner button" \[f\d+e\d+\]/)
  assert.match(await text('find', { query: 'inner field' }), /textbox "Inner field" \[f\d+e\d+\]/)
  assert.match(await text('get_page_text', {}), /Inside the frame/)
  await text('form_input', { ref: await ref(/Inner field/), value: 'from outside' })
  assert.match(await text('read_page', {}), /textbox "Inner field" \[f\d+e\d+\].*value="from outside"/)
})

test('[G18] a page that patches prototypes and globals changes nothing that is read (B2)', async ({
  open,
  value,
  text,
}) => {
  await open('/seen')
  assert.equal(await value('[1].map(String)').catch(() => 'patched'), 'patched', 'the fixture patches')
  assert.match(await text('read_page', {}), /button "Close dialog"/)
})

test('[G19] a table of 20,000 rows is read, paged and searched (B5)', async ({ open, text, run, pages }) => {
  await open('/rows')
  const first = await text('read_page', {})
  assert.match(first, /row "0 \| Name 0 \| {2}\| "/)
  assert.match(first, /… cut: \d+ more lines \(after\)\. This is page 1 of \d+/)
  const second = await text('read_page', { page: 2 })
  const last = [...first.matchAll(/row "(\d+) /g)].at(-1)?.[1]
  assert.match(second, new RegExp(`row "${Number(last) + 1} \\| Name`), 'the second page goes on where the first ended')
  const found = await text('find', { query: `Name ${ROWS - 1}` })
  assert.match(found, new RegExp(`^1 match:\\nrow "${ROWS - 1} \\| Name ${ROWS - 1} \\|  \\| " \\[e\\d+\\]$`))
  await run('javascript_tool', { action: 'javascript_exec', text: 'scrollTo(0, 100000)' })
  const scrolled = await text('read_page', {})
  assert.not.match(scrolled, /row "0 \| Name 0 /)
  assert.match(scrolled, /\(\d+ before, \d+ after\)/)
  assert.match(await text('get_page_text', { page: 2 }), /This is page 2 of \d+[\s\S]* \| Name \d+ \| {2}\| Edit/)
  assert.ok(pages.asked.includes('/rows'))
})

test('[G20] lines that came since the page was read last begin with *', async ({ open, run, text }) => {
  await open('/first')
  assert.not.match(await text('read_page', {}), /\*/)
  await run('javascript_tool', {
    action: 'javascript_exec',
    text: `document.querySelector('h1').insertAdjacentHTML('afterend', '<p>Just came</p>'); cart.textContent = 'full'`,
    look: 'none',
  })
  const page = await text('read_page', {})
  assert.equal(
    page.match(/^ *\*.*$/gm)?.map((line) => line.trim()),
    ['*text "Just came"', '*status "full"'],
  )
  assert.not.match(await text('read_page', {}), /\*/)
})

test('[G21] a ref whose element was drawn anew means the one in its place (B18)', async ({
  open,
  run,
  text,
  failure,
  ref,
  value,
}) => {
  await open('/second')
  const draw = `globalThis.draw = (names) => {
    document.body.innerHTML = names.map((name) => '<ul><li>' + name + ' <button onclick="globalThis.said=this.parentNode.textContent">Remove</button></li></ul>').join('')
  }`
  const run2 = (code: string) => run('javascript_tool', { action: 'javascript_exec', text: `${code}; 1` })
  await run2(`${draw}; draw(['Ann', 'Bob', 'Cid'])`)
  const page = await text('read_page', {})
  const bob = /Bob[\s\S]*?\[(e\d+)\]/.exec(page)?.[1] ?? ''
  await run2(`draw(['Zoe', 'Ann', 'Bob', 'Cid'])`)
  await text('computer', { action: 'left_click', ref: bob })
  assert.match(String(await value('said')), /^Bob/)
  assert.is(await ref(/^ *\*?button "Remove"/), (await text('read_page', {})).match(/\[(e\d+)\]/)?.[1])
  await run2(`draw(['Ann', 'Cid'])`)
  assert.match(
    await failure('computer', { action: 'left_click', ref: bob }),
    /^Element e\d+ is no longer on the page\./,
  )
})

test('[G21] of two that are called alike in one place, the one that was drawn anew is found again where it stood', async ({
  open,
  text,
  failure,
  value,
}) => {
  await open('/second')
  const add = (said: string) => `<button onclick="globalThis.said='${said}'">add</button>`
  await value(
    `(document.body.innerHTML = ${JSON.stringify(`<p>Tag <span id=t>${add('tag')}</span></p><p>Field ${add('field')}</p>`)}, 1)`,
  )
  const [tag = '', field = ''] = [...(await text('read_page', {})).matchAll(/button "add" \[(e\d+)\]/g)].map(
    ([, ref]) => ref,
  )
  await value(`(t.innerHTML = ${JSON.stringify(add('new tag'))}, 1)`)
  await text('computer', { action: 'left_click', ref: tag })
  assert.is(await value('said'), 'new tag')
  await text('computer', { action: 'left_click', ref: field })
  assert.is(await value('said'), 'field')
  // One that comes behind the others has not taken the place of the one that is gone.
  await value(
    `(t.remove(), document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(`<p>${add('other')}</p>`)}), 1)`,
  )
  assert.match(
    await failure('computer', { action: 'left_click', ref: tag }),
    /^Element e\d+ is no longer on the page\./,
  )
})

test('[G33] one thing has one line, and what only holds things together has none (A12)', async ({
  open,
  text,
  value,
}) => {
  await open('/second')
  await value(`document.body.innerHTML = ${JSON.stringify(TWINS)}`)
  const lines = (await text('read_page', {})).split('\n').slice(1)
  assert.equal(
    lines.map((line) => line.replace(/ \[e\d+\]/, ' [e]').replace(/ -> .*/, ' ->')),
    [
      'link "Posts" [e] ->',
      'treeitem "Drafts" [e] collapsed ->',
      'listitem "Kyoto teapot"',
      '  text "€ 48.00"',
      '  button "Buy" [e]',
      'listitem "Paper cup"',
      'button "Save" [e]',
      'group "History"',
      '  text "12 entries"',
      'table',
      '  textbox "User" [e]',
      '  textbox "Email" [e]',
      'textbox "Phone" [e]',
      'link "Sort" [e] ->',
      'button [e] icon=eye',
    ],
  )
})
const TWINS = `<ul><li><a href="/posts">Posts</a></li></ul>
<div><div role="treeitem" aria-expanded="false"><a href="/drafts">Drafts</a></div></div>
<ul><li><p>Kyoto teapot</p><p>€ 48.00</p><button>Buy</button></li><li>Paper cup</li></ul>
<div role="group"><button title="save">Save</button></div>
<fieldset><legend>History<script>void 0</script></legend>12 entries</fieldset>
<table><tr><td><label for="user">User</label></td><td><input id="user"></td></tr><tr><td><label for="mail">Email</label></td><td><input id="mail"></td></tr></table>
<label style="cursor:pointer"><span>Phone</span> <input></label>
<fieldset><legend><a href="/sort">Sort</a></legend></fieldset><button><i class="fa fa-eye">&#xf06e;</i></button>`

test('[G16] [G33] a framework that listens for everything at its root makes nothing in it clickable', async ({
  open,
  text,
  value,
}) => {
  await open('/second')
  await value(`(document.body.innerHTML = ${JSON.stringify(UNDER_A_ROOT)}, ${LISTEN_AT_ROOT}, 1)`)
  const lines = (await text('read_page', {})).split('\n').slice(1)
  assert.equal(
    lines.map((line) => line.replace(/ \[e\d+\]/, ' [e]')),
    ['text "1. Create user"', 'textbox "Username *" [e]', 'clickable "Card" [e]', 'button "Save" [e]'],
  )
})
/** As React and Material UI draw a form. */
const UNDER_A_ROOT = `<div id="root"><p>1. Create user</p>
<div><label for="user">Username<span aria-hidden="true">&nbsp;*</span></label><div id="field"><span><svg width="20" height="20"><path d="M0 0h20v20z"/></svg></span><input id="user">
<fieldset aria-hidden="true"><legend style="visibility:hidden"><span style="visibility:visible;opacity:0">Username *</span></legend></fieldset></div></div>
<div id="card">Card</div><button>Save</button></div>`
const LISTEN_AT_ROOT = `(() => {
  const types = ['click', 'auxclick', 'dblclick', 'contextmenu', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dragstart', 'drop']
  for (const type of types) for (const capture of [true, false]) root.addEventListener(type, () => {}, capture)
  card.onclick = field.onclick = () => {}
})()`

await test.run()
