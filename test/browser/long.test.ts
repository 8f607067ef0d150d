import * as assert from 'uvu/assert'
import { type CallLoad, withLoad } from '../../src/browser/call-load.ts'
import { browserSuite, type Driven } from '../support/driven-browser.ts'

const test = browserSuite('what pages make long')

const LONG = 60_000
const PROMISED = 12_000

/** Each of these asks for something else of the page. */
const READINGS: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ['get_page_text', {}],
  ['get_page_text', { max_chars: 1 }],
  ['get_page_text', { max_chars: 700 }],
  ['read_page', { max_chars: PROMISED }],
  ['read_page', { filter: 'interactive', max_chars: PROMISED }],
  ['find', { query: 'aaaa' }],
  ['tabs', { action: 'list' }],
]

async function readAll({ run }: Driven): Promise<void> {
  for (const [tool, input] of READINGS) {
    const { said, content } = await run(tool, input)
    const max = typeof input.max_chars === 'number' ? Math.max(input.max_chars, 400) : 50_500
    assert.ok(content.length + said.length <= max, `${tool} ${JSON.stringify(input)}: ${content.length}`)
  }
}

const text = `<p>${'The long text of a page. '.repeat(LONG / 20)}</p>`

test('[G35] get_page_text takes linear time, whatever max_chars is', async ({ show, run }) => {
  await show(`<title>${'t'.repeat(LONG)}</title>${text}`)
  let cpuMs = 0
  let pages = 0
  const measured = (load: CallLoad) => {
    cpuMs = Math.max(cpuMs, load.cpuMs ?? 0)
  }
  // The first of them has the reader bundled.
  await run('get_page_text', {})
  for (let max = 1; max <= 2_000; max += max < 40 ? 1 : 97) {
    const { content, said } = await withLoad('get_page_text', () => run('get_page_text', { max_chars: max }), measured)
    assert.ok(content.length + said.length <= Math.max(max, 400), `${max}: ${content.length + said.length}`)
    pages = Number(/of (\d+):/.exec(said)?.[1])
  }
  assert.ok(pages > 30)
  assert.ok(cpuMs <= 1_000, `${cpuMs} ms of CPU`)
})

test('[G35] all pages of get_page_text together are the text, each character once', async ({ show, run }) => {
  const lines = Array.from({ length: 40 }, (_, at) => `Line ${at} ${'word '.repeat(at)}end`)
  await show(`<title>Lines</title><pre>${lines.join('\n')}</pre>`)
  const whole = (await run('get_page_text', {})).content
  for (const max of [300, 450, 2_000]) {
    let together = ''
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { content, said } = await run('get_page_text', { max_chars: max, page })
      pages = Number(/of (\d+):/.exec(said)?.[1] ?? 1)
      together += content.slice(content.indexOf('\n\n') + 2)
    }
    assert.is(together, whole.slice(whole.indexOf('\n\n') + 2))
  }
})

const a = 'a'.repeat(LONG)
const PAGES: Readonly<Record<string, string>> = {
  title: `<title>${a}</title>${text}`,
  'title of control characters': `<title>${'&#1;'.repeat(LONG)}</title>${text}`,
  hash: `<script>location.hash = 'a'.repeat(${LONG})</script>${text}`,
  address: `<script>history.replaceState(0, '', '?' + 'a'.repeat(${LONG}))</script>${text}`,
  names: `<button>${a}</button><button aria-label="${a}">b</button><input aria-label="${a}"><img alt="${a}" width=50 height=50>`,
  'titles and ids': `<button title="${a}">b</button><button id="${a}"></button><button class="${a}"></button><a href="#" name="${a}">c</a>`,
  addresses: `<a href="/${a}">one</a><a href="/${a} -> ${a}">aaaa</a><iframe src="about:blank#${a}" title="${a}"></iframe>`,
  values: `<input value="${a}"><textarea>${a}</textarea><input placeholder="${a}"><div contenteditable>${a}</div>`,
  'options and suggestions': `<select>${`<option>${a}</option>`.repeat(9)}</select>
    <input list="l"><datalist id="l">${`<option value="${a}"></option>`.repeat(9)}</datalist>`,
  states: `<p aria-current="${a}" role="link" tabindex=0>x</p><table><tr><th aria-sort="${a}">h</th></tr></table>
    <h1 aria-level="${a}">y</h1><div role="slider" tabindex=0 aria-valuetext="${a}" aria-valuemin="0" aria-valuemax="1${'0'.repeat(300)}"></div>`,
  blanks: `<pre>x${' '.repeat(LONG)}y${'\t'.repeat(LONG)}z</pre><p>${'&nbsp;'.repeat(LONG)}</p>`,
  'words of ours': `<p>${' focused'.repeat(LONG / 8)}</p><p>${' -> '.repeat(LONG / 4)}</p><p>${' [e1]'.repeat(LONG / 5)}</p>
    <button>${' not checked'.repeat(LONG / 12)}</button>`,
  'lines without a break': `<p>${'界'.repeat(LONG)}</p>`.repeat(5),
}

for (const [name, html] of Object.entries(PAGES)) {
  test(`[G35] ${name} of ${LONG} characters: each answer is short, and costs no second`, async (driven) => {
    await driven.show(html)
    await readAll(driven)
    // What changed is told as well.
    const changed = await driven.run('javascript_tool', {
      action: 'javascript_exec',
      text: `document.title += 'b'; document.body.insertAdjacentHTML('afterbegin', '<a href="/' + 'c'.repeat(${LONG}) + '">new</a>'); 1`,
    })
    assert.ok(changed.content.length <= 9_000, `${changed.content.length}`)
  })
}

test('[G35] a long title or address has its middle left out', async ({ show, text }) => {
  await show(
    `<title>Start${'t'.repeat(LONG)}End</title><script>location.hash = 'a'.repeat(${LONG}) + 'z'</script><p>Text</p>`,
  )
  for (const said of [
    await text('read_page', {}),
    await text('get_page_text', {}),
    await text('tabs', { action: 'list' }),
  ]) {
    assert.match(said, /Startt{100,300}…t{50,150}End/)
    assert.match(said, /#a{50,300}…a{50,150}z/)
  }
})

test('[G35] the words of what happened beside a call are short', async ({ show, run }) => {
  await show(
    `<script>alert('a'.repeat(${LONG}))</script><button onclick="open('about:blank#' + 'b'.repeat(${LONG}))">Open</button>`,
  )
  const { content } = await run('computer', { action: 'left_click', ref: 'e1' }).catch(() => ({ content: '' }))
  assert.ok(content.length < 3_000, `${content.length}`)
})

test.run()
