import * as assert from 'uvu/assert'
import { textOfResult } from '../../src/browsers/page/result.ts'
import { addressOf } from '../../src/browsers/page/tools/navigate.ts'
import { browserSuite } from '../support/driven-browser.ts'
import { eventually } from '../support/eventually.ts'
import { SLOW_PAGE_MS } from '../support/pages.ts'

const test = browserSuite('opening pages')

test('[G2] navigate answers the final URL and title once the page has loaded', async ({ open, pages }) => {
  assert.is(await open('/first'), `The page has loaded.\nTitle: First\nURL: ${pages.origin}/first`)
  assert.is(await open('/redirect'), `The page has loaded.\nTitle: Second\nURL: ${pages.origin}/second`)
  assert.is(await open('/second#below'), `The page has loaded.\nTitle: Second\nURL: ${pages.origin}/second#below`)
})

test('[G2] navigate goes back and forward', async ({ open, text, failure }) => {
  await open('/first')
  await open('/second')
  assert.match(await text('navigate', { url: 'back' }), /\nTitle: First\n/)
  assert.match(await text('navigate', { url: 'forward' }), /\nTitle: Second\n/)
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
  assert.match(await open('/slow'), /\nTitle: Slow\n/)
  assert.ok(performance.now() - started >= SLOW_PAGE_MS - 50)
})

test('[G14] a page that never finishes loading is told, and can be used', async ({ open, text, ref }) => {
  assert.match(await open('/never-loads'), /^The page has not finished loading after 3 s\. .*\nTitle: Never\n/)
  assert.match(await text('get_page_text', {}), /Readable/)
  assert.match(
    await text('computer', { action: 'left_click', ref: await ref(/Usable/) }),
    /^Clicked (e\d+)\.[\s\S]*\n\1: button "Usable"/,
  )
})

test('[G14] a site that never answers is given up', async ({ failure, pages, open }) => {
  assert.match(await failure('navigate', { url: `${pages.origin}/silent` }), /\/silent did not answer within 3 s\.$/)
  assert.match(await open('/first'), /\nTitle: First/)
})

test('[G2] a page that its scripts draw after the load is waited for', async ({ open, text }) => {
  await open('/drawn-late')
  assert.match(await text('get_page_text', {}), /# Drawn$/)
})

test('[G7] a click that leads to another page waits for it and says where it led', async ({
  open,
  text,
  ref,
  pages,
}) => {
  await open('/first')
  const output = await text('computer', { action: 'left_click', ref: await ref(/Second page/) })
  assert.match(
    output,
    new RegExp(
      `^Clicked (e\\d+)\\.\\nThe page is another one now\\.\\n\\1: link "Second page"\\nPage: "Second" \\(${pages.origin}/second\\)$`,
    ),
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

test('[G14] dialogs are answered and told', async ({ open, text, ref }) => {
  await open('/dialogs')
  const press = async (name: string) =>
    text('computer', { action: 'left_click', ref: await ref(new RegExp(`button "${name}"`)) })
  const shown = async () => (await text('get_page_text', {})).split('\n').at(-1)
  assert.match(await press('Alert'), /^Clicked .*\nThe page showed an alert\. It was closed\.\n.*\nDialog: "Careful!"$/)
  assert.is(await shown(), 'alerted')
  assert.match(await press('Confirm'), /asked to confirm\. It was answered with OK\.\n.*\nDialog: "Really\?"$/)
  assert.is(await shown(), 'true')
  assert.match(await press('Prompt'), /asked for input\. .*\n.*\nDialog: "Your name\?", suggested: "Nobody"$/)
  assert.is(await shown(), 'Nobody')
  const many = await press('Many')
  assert.is(many.match(/The page showed an alert/g)?.length, 5)
  assert.match(many, /\n4 more things of this kind happened\.\n/)
  assert.is(await shown(), 'over')
})

test('[G14] a page that asks whether to leave it is left', async ({ open, text, ref }) => {
  await open('/dialogs')
  await text('computer', { action: 'left_click', ref: await ref(/Guard/) })
  assert.match(
    await open('/second'),
    /^The page has loaded\.\nThe page asked whether to leave it\. Leaving was confirmed\.\nTitle: Second\n/,
  )
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

test('[G13] a new window becomes the tab of the task, and back closes it', async ({
  run,
  open,
  text,
  ref,
  failure,
  pages,
}) => {
  await open('/first')
  const link = await ref(/Third page/)
  const clicked = await run('computer', { action: 'left_click', ref: link })
  assert.match(
    textOfResult(clicked),
    new RegExp(
      `A new window opened\\. It is the tab of this task now.*\\n.*\\nPage: "Third" \\(${pages.origin}/third\\)$`,
    ),
  )
  const inside = await run('get_page_text', {})
  assert.match(inside.content, /The third page/)
  assert.is(inside.tab.tabId, clicked.tab.tabId)
  assert.match(await failure('computer', { action: 'left_click', ref: link }), /no longer on the page/)
  assert.match(
    await text('navigate', { url: 'back' }),
    /^The new window was closed\. The one before is the tab of this task again\.\nPage: "First"/,
  )
  assert.match(await text('get_page_text', {}), /Books/)
})

test('[G13] a window that closes itself gives the tab before it back', async ({ open, text, ref }) => {
  await open('/first')
  await text('computer', { action: 'left_click', ref: await ref(/Third page/) })
  const output = await text('computer', { action: 'left_click', ref: await ref(/Close this window/) })
  assert.match(output, /The window was closed\. The one before is the tab of this task again\.\nPage: "First"/)
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
  assert.match(await open('/second'), /\nTitle: Second/)
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
