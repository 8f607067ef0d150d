import * as assert from 'uvu/assert'
import { textOfResult } from '../../src/browser/act/result.ts'
import { addressOf } from '../../src/browser/act/tools/address.ts'
import { browserSuite, IMPATIENCE } from '../support/driven-browser.ts'
import { eventually } from '../support/eventually.ts'
import { SLOW_PAGE_MS } from '../support/pages.ts'

const test = browserSuite('opening pages')

test('[G2] navigate answers the final URL and title once the page has loaded', async ({ open }) => {
  assert.match(await open('/first'), /^The page has loaded\.\nPage "First" \(http:.*\/first\)\n/)
  assert.match(
    await open('/redirect'),
    /^The page has loaded\.\nThis is another page now\.\nPage "Second" \(http:.*\/second\)\n/,
  )
  assert.match(await open('/second#below'), /^The page has loaded\.\n[\s\S]*Page "Second" \(http:.*\/second#below\)/)
})

test('[G2] navigate goes back and forward', async ({ open, text, failure }) => {
  await open('/first')
  await open('/second')
  assert.match(await text('navigate', { url: 'back' }), /\nPage "First"/)
  assert.match(await text('navigate', { url: 'forward' }), /\nPage "Second"/)
  assert.is(await failure('navigate', { url: 'forward' }), 'There is no page to go forward to.')
})

test('[G2] back from the first page is refused', async ({ open, failure }) => {
  await open('/first')
  assert.is(await failure('navigate', { url: 'back' }), 'There is no page to go back to.')
})

test('[G2] addresses without a scheme are opened as https, others than web addresses are refused', async () => {
  assert.is(addressOf('example.com'), 'https://example.com')
  assert.is(addressOf('example.com:8080/a?b'), 'https://example.com:8080/a?b')
  assert.is(addressOf('localhost:3000'), 'https://localhost:3000')
  assert.is(addressOf('http://127.0.0.1:1/'), 'http://127.0.0.1:1/')
  assert.is(addressOf('about:blank'), 'about:blank')
  for (const bad of [
    'file:///etc/passwd',
    'chrome://settings',
    'javascript:alert(1)',
    'data:text/html,x',
    'about:version',
  ]) {
    assert.throws(() => addressOf(bad), /cannot be opened\. Only http and https pages can\.$/)
  }
  assert.throws(() => addressOf('not an address'), /is not a valid address\.$/)
  assert.throws(() => addressOf('http://'), /is not a valid address\.$/)
})

test('[G2] what cannot be opened says why, and a download leaves the page as it is', async ({
  failure,
  open,
  pages,
  text,
}) => {
  assert.match(await failure('navigate', { url: 'http://127.0.0.1:9/' }), /refuse/)
  await open('/first')
  assert.match(await failure('navigate', { url: `${pages.origin}/download` }), /download/)
  assert.match(await failure('navigate', { url: `${pages.origin}/empty-answer` }), /nothing to show/)
  assert.match(await text('get_page_text', {}), /Books/)
})

test('[G14] a slow page is waited for', async ({ open }) => {
  const started = performance.now()
  assert.match(await open('/slow'), /\nPage "Slow"/)
  assert.ok(performance.now() - started >= SLOW_PAGE_MS - 50)
})

test(
  '[G14] a page that never finishes loading is told, and can be used',
  async ({ open, text, ref }) => {
    assert.match(await open('/never-ends'), /^The page has not finished loading after 3 s\. [\s\S]*\nPage "Never"/)
    assert.match(
      await open('/never-loads'),
      /^The page is there\.\n(?:.*\n)?Pictures of it are still loading\.\nPage "Never"/,
    )
    assert.match(await text('get_page_text', {}), /Readable/)
    assert.match(
      await text('computer', { action: 'left_click', ref: await ref(/Usable/) }),
      /^Clicked (e\d+)\.[\s\S]*\n\1: button "Usable"/,
    )
  },
  IMPATIENCE,
)

test(
  '[G14] a site that never answers is given up',
  async ({ failure, pages, open }) => {
    assert.match(
      await failure('navigate', { url: `${pages.origin}/silent` }),
      /^The address did not answer within 3 s\.\nhttp.*\/silent$/,
    )
    assert.match(await open('/first'), /\nPage "First"/)
  },
  IMPATIENCE,
)

test('[G2] a page that its scripts draw after the load is waited for', async ({ open, text }) => {
  await open('/drawn-late')
  assert.match(await text('get_page_text', {}), /# Drawn$/)
})

test('[G22] of a long page the answer has what it says, what is new, and its main part; navigation as before is one line (A4)', async ({
  open,
  text,
  ref,
}) => {
  await open('/orders')
  const answer = await text('computer', { action: 'left_click', ref: await ref(/link "Order 7"/) })
  assert.match(answer, /^Clicked e\d+\.\nThis is another page now\.\nIt is long: .*read_page shows all\.\n/)
  assert.match(answer, /"The order 7 was changed successfully\."\n/)
  assert.match(answer, /status "1 order saved"|text "1 order saved"/)
  assert.match(answer, /textbox "Amount" \[e\d+\] .*invalid/)
  assert.match(answer, /heading "Select order to change"/)
  assert.match(answer, /row "Order 0 \| Customer 0 \| 0\.00"/)
  assert.match(answer, /… \d+ lines as on the page before\n/)
  assert.not.match(answer, /Section 5/)
  assert.ok(answer.length <= 13_000, `${answer.length} characters`)
})

test('[G22] a page that was not looked at is not told as one that this action led to (A9)', async ({
  open,
  text,
  ref,
}) => {
  await open('/first')
  await text('computer', { action: 'left_click', ref: await ref(/Second page/), look: 'none' })
  const answer = await text('computer', { action: 'mouse_move', coordinate: [5, 5] })
  assert.match(answer, /\nYou have not seen this page yet\.\n/)
  assert.not.match(answer, /another page/)
})

test('[G7] a click that leads to another page waits for it and says where it led', async ({ open, text, ref }) => {
  await open('/first')
  const output = await text('computer', { action: 'left_click', ref: await ref(/Second page/) })
  assert.match(
    output,
    /^Clicked (e\d+)\.\nThis is another page now\.\n\1: link "Second page"\nPage "Second" \(http.*\/second\)\n/,
  )
})

test('[G12] a reference from the page before fails clearly, and is never given to another element', async ({
  open,
  ref,
  failure,
}) => {
  await open('/first')
  const old = await ref(/Second page/)
  await open('/second')
  assert.is(
    await failure('computer', { action: 'left_click', ref: old }),
    `Element ${old} is no longer on the page. Read the page again.`,
  )
  assert.is(
    await failure('form_input', { ref: old, value: 'x' }),
    `Element ${old} is no longer on the page. Read the page again.`,
  )
  assert.is(await failure('read_page', { ref: old }), `Element ${old} is no longer on the page. Read the page again.`)
  assert.ok(Number((await ref(/Far button/)).slice(1)) > Number(old.slice(1)))
  assert.match(await failure('computer', { action: 'left_click', ref: 'e9999' }), /^There is no element e9999\./)
})

test('[G13] a task has a tab of its own, which is closed when it ends', async ({ tabs, pages }) => {
  const signal = new AbortController().signal
  const [one, two] = await Promise.all([
    tabs.execute('one', 'navigate', { url: `${pages.origin}/first` }, signal),
    tabs.execute('two', 'navigate', { url: `${pages.origin}/second` }, signal),
  ])
  assert.is.not(one.tab.tabId, two.tab.tabId)
  assert.ok(Number.isInteger(one.tab.tabId) && Number.isInteger(one.tab.windowId))
  const again = await tabs.execute('one', 'get_page_text', {}, signal)
  assert.match(again.content, /^Title: First/)
  assert.is(again.tab.tabId, one.tab.tabId)
  await tabs.end('one')
  assert.is(tabs.tabOf('one'), null)
  assert.match((await tabs.execute('two', 'get_page_text', {}, signal)).content, /^Title: Second/)
})

test('[I10] the first tab of a task that goes on begins at the page where the earlier one ended', async ({
  tabs,
  pages,
}) => {
  const signal = new AbortController().signal
  const run = (taskId: string, tool: string, input: Record<string, unknown>, startsAt = `${pages.origin}/second`) =>
    tabs.execute(taskId, tool, input, signal, null, [], startsAt)
  assert.match((await run('reads', 'get_page_text', {})).content, /^Title: Second/)
  // From then on it is where the task went.
  await run('reads', 'navigate', { url: `${pages.origin}/first` })
  assert.match((await run('reads', 'get_page_text', {})).content, /^Title: First/)
  assert.match((await run('looks', 'read_page', {})).url ?? '', /\/second$/)
  // A first call that opens a page opens that one alone.
  await run('opens', 'navigate', { url: `${pages.origin}/first` })
  const back = await run('opens', 'navigate', { url: 'back' }).catch((error: Error) => error.message)
  assert.match(String(back), /There is no page to go back to/)
  // One that does not answer is told, and the task goes on.
  const { said, content } = await run('gone', 'get_page_text', {}, 'http://127.0.0.1:1/a')
  assert.match(said, /The page where the earlier task ended was not opened: The address could not be opened/)
  assert.match(content, /Page: http:\/\/127\.0\.0\.1:1\/a$/)
})

test('[G13] a tab that the user has taken over stays open', async ({ tabs, pages }) => {
  const signal = new AbortController().signal
  const left = async (taskId: string, takeOver: boolean): Promise<string> => {
    await tabs.execute(taskId, 'navigate', { url: `${pages.origin}/first` }, signal)
    const cdp = tabs.protocolOf(taskId)
    assert.ok(cdp)
    if (takeOver) tabs.takeOver(taskId)
    await tabs.end(taskId)
    const title = { expression: 'document.title', returnByValue: true }
    return cdp.send('Runtime.evaluate', title).then(
      async (answer) => {
        await cdp.send('Page.close')
        return (answer as { result: { value: string } }).result.value
      },
      () => 'closed',
    )
  }
  assert.is(await left('kept', true), 'First')
  assert.is(await left('not kept', false), 'closed')
})

test('[G13] a new window becomes the tab of the task, and back closes it', async (driven) => {
  const { run, open, text, ref, failure } = driven
  await open('/first')
  const link = await ref(/Third page/)
  const clicked = await run('computer', { action: 'left_click', ref: link })
  assert.match(
    textOfResult(clicked),
    /A new window opened: tab 2\. It is the tab of this task now[\s\S]*\nPage "Third" \(http.*\/third\)\n/,
  )
  const inside = await run('get_page_text', {})
  assert.match(inside.content, /The third page/)
  assert.is(inside.tab.tabId, clicked.tab.tabId)
  assert.match(await failure('computer', { action: 'left_click', ref: link }), /no longer on the page/)
  assert.match(await text('navigate', { url: 'back' }), /^The window was closed\. Tab 1 is the tab of this task now\./)
  assert.match(await text('get_page_text', {}), /Books/)
})

test('[G13] a window that closes itself gives the tab before it back', async ({ open, text, ref }) => {
  await open('/first')
  await text('computer', { action: 'left_click', ref: await ref(/Third page/) })
  const output = await text('computer', { action: 'left_click', ref: await ref(/Close this window/) })
  assert.match(output, /The window was closed by it\.\nTab 1 is the tab of this task now\./)
})

test('[G13] a tab that was closed fails the call, and navigate opens another', async ({ open, failure, tabs }) => {
  await open('/first')
  const before = tabs.tabOf('task')
  // As if the user closed it.
  await tabs.protocolOf('task')?.send('Page.close')
  await eventually(() => tabs.tabOf('task') === null, 'the tab is gone')
  assert.is(
    await failure('read_page', {}),
    'The tab of this task was closed. Use navigate to open a page in a new one.',
  )
  assert.match(await open('/second'), /\nPage "Second"/)
  assert.is.not(tabs.tabOf('task')?.tabId, before?.tabId)
})

test('an aborted call ends at once, and the next one works', async ({ open, run, text }) => {
  await open('/first')
  const abort = new AbortController()
  const waiting = run('computer', { action: 'wait', duration: 30 }, abort.signal)
  abort.abort(new Error('enough'))
  let message = ''
  await waiting.catch((error: Error) => {
    message = error.message
  })
  assert.is(message, 'enough')
  assert.match(await text('get_page_text', {}), /Books/)
})

await test.run()
