import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { markdown } from '../../src/pages/markdown.ts'

const test = suite('markdown')
const rendered = (source: string) => markdown(source).text.trim()

test('headings go one level down', () => {
  assert.is(rendered('# One\n## Two\n###### Six'), '<h2>One</h2>\n<h3>Two</h3>\n<h6>Six</h6>')
})

test('paragraphs end at an empty line, or where another block begins', () => {
  assert.is(rendered('one\ntwo\n\nthree\n- four'), '<p>one two</p>\n<p>three</p>\n<ul><li>four</li></ul>')
})

test('fenced code is kept as it is, and ends with the text at the latest', () => {
  assert.is(
    rendered('```bash\n# a <b>\n\n- x\n```\nafter'),
    '<pre><code># a &lt;b&gt;\n\n- x</code></pre>\n<p>after</p>',
  )
  assert.is(rendered('```\nopen'), '<pre><code>open</code></pre>')
})

test('lists, with lines that go on', () => {
  assert.is(rendered('1. one\n   more\n2. two'), '<ol><li>one more</li><li>two</li></ol>')
  assert.is(rendered('- a\n* b'), '<ul><li>a</li><li>b</li></ul>')
})

test('tables', () => {
  assert.match(
    rendered('| a | b |\n|---|:-:|\n| `x` | y \\| z |'),
    /<th scope="col">a<\/th>.*<td><code>x<\/code><\/td><td>y \| z<\/td>/s,
  )
})

test('code, bold and links in a line', () => {
  assert.is(
    rendered('`<a>` **b `c`** [d](https://x.example) [e](/docs)'),
    '<p><code>&lt;a&gt;</code> <strong>b <code>c</code></strong> <a href="https://x.example">d</a> <a href="/docs">e</a></p>',
  )
})

test('links that lead nowhere from a page, and scripts, are text', () => {
  for (const target of [
    'docs/map.md',
    '../LICENSE',
    'javascript:alert(1)',
    '//evil.example',
    '#part',
    'data:text/html,x',
  ]) {
    assert.is(rendered(`[there](${target})`).includes('<a'), false, target)
  }
  assert.is(rendered('<script>"x"</script>'), '<p>&lt;script&gt;&quot;x&quot;&lt;/script&gt;</p>')
  assert.is(
    rendered('[x](https://e.example/"onload="y)'),
    '<p><a href="https://e.example/&quot;onload=&quot;y">x</a></p>',
  )
})

test('ends whatever it is given', () => {
  for (const source of ['', '\n', '|', '|\n|', '- ', '#', '# ', '`', '**', '[](', '```', '1.', '> x', '\r\n\r\n']) {
    assert.type(rendered(source), 'string')
  }
})

test('stress is one star on each side of words, and no star of a sum or a path', () => {
  assert.is(markdown('It *is* so, *very much*.').text.trim(), '<p>It <em>is</em> so, <em>very much</em>.</p>')
  assert.is(markdown('2 * 3 * 4, a*b*c').text.trim(), '<p>2 * 3 * 4, a*b*c</p>')
})

test.run()
