import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plainOf } from '../../src/web/client/plain.ts'
import { markdown } from '../../src/web/markdown.ts'

const test = suite('markdown')
const rendered = (source: string) => markdown(source).text.trim()

test('headings come one level lower', () => {
  assert.is(
    rendered('# One\n## Two\n###### Six'),
    '<h2 id="one">One</h2>\n<h3 id="two">Two</h3>\n<h6 id="six">Six</h6>',
  )
})

test('a table without headings has no empty head', () => {
  assert.not.match(rendered('| | |\n|---|---|\n| x | y |'), /<thead|<th/)
  assert.match(rendered('| | a |\n|---|---|\n| x | y |'), /<td><\/td><th role="columnheader" scope="col">a<\/th>/)
})

test('a table can be scrolled with the keyboard, and its heads have a scope', () => {
  const table = rendered('| a | b |\n|---|:-:|\n| `x` | y \\| z |')
  assert.match(table, /tabindex="0"><table role="table">.*<th role="columnheader" scope="col">a<\/th>/s)
  assert.match(table, /<td role="cell" data-label="a"><code>x<\/code><\/td><td .* data-label="b">y \| z<\/td>/s)
})

test('[P35] a table whose words do not fit beside one another on a phone is stacked there', () => {
  assert.match(
    rendered('| `code` | b |\n|---|---|\n| `a_long_error_code_of_ours` | unavailable |'),
    '<table role="table" class="stacked">',
  )
})

test('links to what is not served are text', () => {
  for (const target of ['docs/map.md', '../LICENSE', 'javascript:alert(1)', '//evil.example', 'data:text/html,x'])
    assert.is(rendered(`[there](${target})`), '<p>there</p>', target)
  assert.is(
    rendered('[d](https://x.example) [e](/docs)'),
    '<p><a href="https://x.example">d</a> <a href="/docs">e</a></p>',
  )
})

test('headings have ids of their own, as links in the repository name them', () => {
  assert.match(
    rendered('## Quick start\n## A `b`, c!\n## Quick start'),
    /id="quick-start".*id="a-b-c".*id="quick-start-1"/s,
  )
  assert.not.match(rendered('# Content'), /id="content"/)
  assert.is(rendered('[there](#quick-start)'), '<p><a href="#quick-start">there</a></p>')
})

test('links and pictures of the repository lead to where they are served', () => {
  const linkTo = (target: string) =>
    target === 'events.md' ? '/docs/events' : target === 'a.png' ? '/docs/images/a.png' : null
  assert.is(
    markdown('[e](events.md) [x](other.md) ![A](a.png)', { linkTo }).text.trim(),
    '<p><a href="/docs/events">e</a> x <img src="/docs/images/a.png" alt="A" loading="lazy"></p>',
  )
})

test('HTML in a document is text', () => {
  assert.is(rendered('<script>"x"</script>'), '&lt;script&gt;&quot;x&quot;&lt;/script&gt;')
  assert.is(rendered('a <img src=x onerror=y>'), '<p>a &lt;img src=x onerror=y&gt;</p>')
  assert.match(rendered('```\n<b>\n```'), '<code>&lt;b&gt;</code></pre>')
  assert.not.match(rendered('[x](https://e.example/"onload="y)'), /"onload/)
})

test('[P32] in a row of a list it is one line of words, without its marks', () => {
  for (const [text, words] of [
    [
      '# Done\n\nIts number is **KL-001**, see [the _order_](https://x.example).',
      'Done Its number is KL-001, see the order.',
    ],
    ['| a | b |\n|---|:-:|\n| `x` | y |\n\n> said', 'a, b; x, y; said'],
    ['1. one\n2) two\n\n---\n```sh\nnpm i\n```', 'one; two; npm i'],
    ['5 * 3 * 2 is not snake_case_name \\*', '5 * 3 * 2 is not snake_case_name *'],
    ['- [ ] open', '[ ] open'],
    ['a - b', 'a - b'],
  ])
    assert.is(plainOf(text ?? ''), words)
  const at = performance.now()
  for (const mark of ['*', '**', '[', '`', '|', '- ', '\\']) plainOf(mark.repeat(1_000))
  assert.ok(performance.now() - at < 500, 'marks without an end take their time')
})

test.run()
