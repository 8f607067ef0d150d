import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { browserSuite, type Driven } from '../support/driven-browser.ts'

const test = browserSuite('the bundled Chromium does what an installed browser does')

const click = async ({ text, ref }: Driven, line: RegExp, more: object = {}): Promise<string> =>
  text('computer', { action: 'left_click', ref: await ref(line), ...more })

/** Puts markup at the top of a page that is open. */
const add = (driven: Driven, markup: string) =>
  driven.value(`document.body.insertAdjacentHTML('afterbegin', ${JSON.stringify(markup)}) ?? 1`)

const tabs = async (driven: Driven) =>
  (await driven.text('tabs', { action: 'list' }))
    .split('\n')
    .filter((line) => line.startsWith('Tab ') && line.includes('"'))

test.both('[G27] ctrl+click opens one tab each time, and none crashes', async (driven) => {
  await driven.open('/actions')
  for (const [time, modifiers] of ['ctrl', 'ctrl+shift', 'ctrl'].entries()) {
    await click(driven, /link "Second"/, { modifiers })
    assert.is((await tabs(driven)).filter((line) => line.includes('"Second"')).length, time + 1)
    await driven.text('tabs', { action: 'switch', tab: 1 })
  }
  await driven.text('tabs', { action: 'open', url: `${driven.pages.origin}/third` })
  assert.is((await tabs(driven)).length, 5)
})

test.both('[G30] a PDF is read in the tab, from a link, by a redirect and in a frame', async (driven) => {
  const { open, text, pages } = driven
  await open('/first')
  await add(driven, '<a href="/to-invoice">Bill</a><a href="/invoice.pdf" target="_blank">Bill beside</a>')
  await click(driven, /link "Bill"/)
  assert.match(await text('get_page_text', {}), /\/invoice\.pdf\n\nInvoice 117\s+Total 113\.00/)
  await text('navigate', { url: 'back' })
  await add(driven, '<a href="/invoice.pdf" target="_blank">Bill beside</a>')
  await click(driven, /link "Bill beside"/)
  assert.match(await text('get_page_text', {}), /Invoice 117/)
  await open('/first')
  const src = `${pages.origin.replace('127.0.0.1', 'localhost')}/invoice.pdf`
  await add(driven, `<iframe src="${src}" width="500" height="400"></iframe>`)
  await text('computer', { action: 'wait', duration: 1 })
  assert.match(await text('get_page_text', {}), /Invoice 117/)
})

test.both('[G1] a page without content that came with an error tells its status', async (driven) => {
  for (const status of [401, 404, 500, 503]) {
    const url = `${driven.pages.origin}/status/${status}`
    const opened = await driven.text('navigate', { url }).catch((error) => `${error.message}\n${error.content}`)
    assert.match(opened, `The site answered with the HTTP status ${status}.`)
  }
  await driven.open('/first')
  await add(driven, '<a href="/status/500">Broken</a>')
  assert.match(await click(driven, /link "Broken"/), 'The site answered with the HTTP status 500.')
})

test.both('[G1] a page that came with 200 names no status, nor does a frame of one', async (driven) => {
  assert.not.match(await driven.open('/first'), /HTTP status/)
  await add(driven, '<iframe src="/status/500"></iframe>')
  assert.not.match(await driven.text('computer', { action: 'wait', duration: 0.5 }), /HTTP status/)
})

test.both('[G36] a clicked Copy fills the clipboard', async (driven) => {
  await driven.open('/first')
  const copy = `navigator.clipboard.writeText('A-1').then(() => this.textContent = 'Copied', (error) => this.textContent = error.message)`
  await add(driven, `<button onclick="${copy}">Copy</button>`)
  assert.match(await click(driven, /button "Copy"/), /"Copied"/)
})

test.both('[G23] a frame of another site is read, clicked and waited for', async (driven) => {
  await driven.open('/first')
  const src = `${driven.pages.origin.replace('127.0.0.1', 'localhost')}/payment`
  await add(driven, `<iframe src="${src}"></iframe>`)
  await driven.text('computer', { action: 'wait', text: 'Pay' })
  assert.match(await click(driven, /button "Pay" \[f\d+e\d+\]/), /"Paid"/)
})

test.both(
  '[G29] a code editor that draws a moment late takes a text, and tells one that it refuses',
  async (driven) => {
    await driven.open('/first')
    await add(
      driven,
      `<div class="monaco-editor" id="late"><div class="view-line">short</div><textarea aria-label="Code"></textarea></div>`,
    )
    await driven.value(`(() => {
    const [line, field] = [late.firstChild, late.lastChild]
    field.addEventListener('paste', (event) => event.preventDefault())
    field.addEventListener('paste', ({ clipboardData }) => {
      const text = clipboardData.getData('text/plain')
      if (!text.includes('refused')) setTimeout(() => { line.textContent = text }, 600)
    })
  })() ?? 1`)
    const set = async (value: string) => driven.text('form_input', { ref: await driven.ref(/textbox "Code"/), value })
    for (const value of ['const one = 1', 'short', 'short and longer'])
      assert.match(await set(value), /was set\./, value)
    const ref = await driven.ref(/textbox "Code"/)
    assert.match(
      await driven.failure('form_input', { ref, value: 'short and longer, refused' }),
      /did not take the value: it holds "short and longer" now/,
    )
  },
)

test.both('[G36] a crashed renderer takes no other tab along, nor the browser', async (driven) => {
  const { browser, tabs, pages } = driven
  const never = new AbortController().signal
  const there = (task: string, url: string) => tabs.execute(task, 'navigate', { url }, never)
  await there('one', `${pages.origin}/first`)
  await there('two', `${pages.origin.replace('127.0.0.1', 'localhost')}/second`)
  const [one, two] = [tabs.protocolOf('one'), tabs.protocolOf('two')]
  if (!one || !two) throw new Error('no tab')
  one.send('Page.crash').catch(() => {})
  let isClosed = false
  void browser.closed.then(() => (isClosed = true))
  const lost = await tabs.execute('one', 'read_page', {}, never).catch((error) => error.message)
  assert.match(String(lost), /crashed/)
  assert.match((await tabs.execute('two', 'get_page_text', {}, never)).content, /second page/)
  assert.match((await there('one', `${pages.origin}/third`)).content, /Page "Third"/)
  assert.not(isClosed)
})

test('[G36] the switches of the bundled Chromium keep those of its driver', async ({ browser }) => {
  if (!browser.isShell) return
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const commands = children.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))
  const given = (commands.find((command) => command.includes('--headless=shell')) ?? []).flatMap((argument) =>
    argument.startsWith('--disable-features=') ? [argument.slice(19).split(',')] : [],
  )
  assert.is(given.length, 2)
  const [ofDriver = [], ours = []] = given
  assert.equal(
    ofDriver.filter((feature) => !ours.includes(feature)),
    [],
  )
})

await test.run()
