import * as assert from 'uvu/assert'
import { browserSuite, type Driven } from '../support/driven-browser.ts'

const test = browserSuite('documents of another kind')

const showAs = ({ text, pages }: Driven, type: string, document: string): Promise<string> =>
  text('navigate', { url: pages.origin + pages.make(document, { type }) })

test('[G40] a drawing, XML and strict HTML are read', async (driven) => {
  const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><title>Plan</title><text y="20">Hall of tea</text>
    <a href="/second"><text y="50">Floor two</text></a></svg>`
  assert.match(
    await showAs(driven, 'image/svg+xml', SVG),
    /Page "Plan".*\ntext "Hall of tea"\nlink "Floor two" \[e1\] -> \/second$/,
  )
  assert.match(await driven.text('get_page_text', {}), /\n\nHall of tea\nFloor two$/)
  await showAs(driven, 'text/xml', '<?xml version="1.0"?><feed><entry>One pot</entry></feed>')
  assert.match(await driven.text('get_page_text', {}), /<entry>One pot<\/entry>/)
  await showAs(driven, 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"><body>Strict</body></html>')
  assert.match(await driven.text('get_page_text', {}), /\n\nStrict$/)
})

test('[G40] a document that was written anew is read, and so is one whose root was replaced', async (driven) => {
  const { show, text, value } = driven
  await show('<p>before</p>')
  const shows = async (script: string, tree: RegExp, words: string) => {
    await value(`(() => { ${script}; return 1 })()`)
    assert.match(await text('read_page', {}), tree)
    const read = await text('get_page_text', {})
    assert.is(read.slice(read.indexOf('\n\n') + 2), words)
  }
  await shows(
    `document.open(); document.write('<p>Written</p><button>Go</button>'); document.close()`,
    /\n\*?text "Written"\n\*?button "Go" \[e\d+\]$/,
    'Written\nGo',
  )
  const replace = (fill: string) =>
    `const root = document.createElement('html'); ${fill}; document.replaceChild(root, document.documentElement)`
  await shows(replace(`root.innerHTML = '<body><p>Replaced</p></body>'`), /\n\*?text "Replaced"$/, 'Replaced')
  await shows(replace(`root.append('No body')`), /\n\*?text "No body"$/, 'No body')
  await shows('document.documentElement.remove()', /\n\(the page is empty\)$/, '(the page shows no text)')
})

test('[G40] of what lies very deep the text is told, and that there may be more', async ({ show, text }) => {
  await show(`<p>Before</p><script>
    let at = document.body
    for (let depth = 0; depth < 1000; depth += 1) at = at.appendChild(document.createElement('div'))
    at.innerHTML = 'Deep <button>Go</button>'
    document.body.insertAdjacentHTML('beforeend', '<p>After</p>')
  </script>`)
  assert.match(await text('get_page_text', {}), /\n\nBefore\nDeep +Go\s+After$/)
  const tree = await text('read_page', {})
  assert.match(tree, /\ntext "Before"\ntext "Deep Go"\ntext "After"/)
  assert.match(tree, /A part of the page could not be read/)
  assert.match(await text('find', { query: 'Deep' }), /text "Deep Go"/)
})

test('[G40] an address that failed is told in place of the page of the error', async ({
  show,
  text,
  failure,
  pages,
}) => {
  const failed = 'http://127.0.0.1:9/x'
  assert.match(await failure('navigate', { url: failed }), /http:\/\/127\.0\.0\.1:9\/x$/)
  for (const [tool, input] of [
    ['read_page', {}],
    ['get_page_text', {}],
    ['tabs', { action: 'list' }],
  ] as const) {
    const told = await text(tool, input)
    assert.match(told, failed)
    assert.not.match(told, 'chrome-error')
  }
  await show(`<a href="${failed}">go</a>`)
  const clicked = await text('computer', { action: 'left_click', ref: 'e1' })
  assert.match(clicked, `(${failed})`)
  assert.not.match(clicked, 'chrome-error')
  assert.match(await text('navigate', { url: `${pages.origin}/first` }), `(${pages.origin}/first)`)
})

const ENDLESS: Readonly<Record<string, string>> = {
  'one script': 'for (;;);',
  'one after the other': 'setInterval(() => { for (;;); }, 0)',
  'each frame': 'const draw = () => { requestAnimationFrame(draw); for (;;); }; draw()',
  'a search in a text': `for (;;) /(a+)+$/.test('${'a'.repeat(40)}b')`,
}
for (const [name, script] of Object.entries(ENDLESS)) {
  test(`[G41] a page that is endlessly busy (${name}) is left, onward and back`, async ({
    open,
    text,
    show,
    pages,
  }) => {
    await open('/second')
    for (const [url, title] of [
      [`${pages.origin}/first`, 'First'],
      ['back', 'Second'],
    ] as const) {
      if (url === 'back') await open('/second')
      await show(`<button onclick="setTimeout(() => { ${script.replaceAll("'", '&#39;')} }, 300)">Begin</button>`)
      await text('javascript_tool', {
        action: 'javascript_exec',
        text: `document.querySelector('button').click()`,
        look: 'none',
      })
      await new Promise((resolve) => setTimeout(resolve, 500))
      const started = performance.now()
      assert.match(await text('navigate', { url }), `Page "${title}"`)
      assert.ok(performance.now() - started < 5_000, `${performance.now() - started} ms`)
    }
  })
}

test.run()
