import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { runBrowser } from '../../src/browser/headless.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

/**
 * `kill -9` of the service in the middle of what takes more than one moment: a dialog that is held open, an upload, a
 * download, a change of tabs, an answer that is being checked. The browser is real, and its page's server counts.
 */
const TASK_MS_MAX = 60_000
/** How long the server takes for what is under way: the service is killed meanwhile. */
const SLOW_MS = 1_500

const PAGE = `<!doctype html><title>Actions</title>
<button onclick="if (confirm('Order it?')) fetch('/ordered')">Order</button>
<a href="/data.csv" download>Data</a>
<label>File <input type="file" onchange="fetch('/uploaded?' + this.files[0].name)"></label>
<p>Ready</p>`

/** Counts what reached it, by path. */
async function openSite() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    seen.push(path)
    const answer = (type: string, body: string, more: object = {}) =>
      response.writeHead(200, { 'content-type': type, ...more }).end(body)
    if (path === '/') answer('text/html', PAGE)
    else if (path === '/data.csv') {
      setTimeout(() => answer('text/csv', 'a,b', { 'content-disposition': 'attachment; filename=data.csv' }), SLOW_MS)
    } else if (path === '/second') setTimeout(() => answer('text/html', '<title>Second</title><p>Here</p>'), SLOW_MS)
    else setTimeout(() => answer('text/plain', 'ok'), SLOW_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const count = (path: string) => seen.filter((each) => each === path).length
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { seen, count, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const read = { tool: 'read_page', input: {} }
const click = (element: string) => ({ tool: 'computer', input: { action: 'left_click', ref: `{{ref:${element}}}` } })
/** Until the file is there. */
const wait = { tool: 'computer', input: { action: 'wait', duration: 3 } }
const tabs = (input: object) => ({ tool: 'tabs', input })
const files = (input: object) => ({ tool: 'files', input })
const finish = { tool: 'finish', input: { success: true, answer: 'Done.' } }

const scripts = (url: string) => {
  const part = (when: string, ...steps: object[]) => {
    const opened = { tool: 'navigate', input: { url } }
    // The answer is checked once, so it is given twice.
    return { when, think_ms: 700, steps: [opened, read, ...steps, finish, finish] }
  }
  return [
    part('dialog', click('button "Order"'), { tool: 'dialog', input: { accept: true } }),
    part('download', click('link "Data"'), files({ action: 'list' })),
    part('upload', click('link "Data"'), wait, files({ action: 'upload', name: 'data.csv', ref: '{{ref:"File"}}' })),
    part('tabs', tabs({ action: 'open', url: `${url}/second` }), tabs({ action: 'list' }), tabs({ action: 'close' })),
    part('checked', { tool: 'get_page_text', input: {} }),
  ]
}

const test = suiteWithBrowser('kill -9 in the middle of a dialog, a file, a tab, a check')

interface Crash {
  /** The word of the task, and of its script. */
  readonly task: string
  /** When to kill: so often the site was asked for the path, or the task was at the step. */
  readonly when: { readonly path: string } | { readonly step: number }
  /** What has happened once in the end. */
  readonly once: readonly string[]
  /** What a result of the task says. */
  readonly says: RegExp
}
const CRASHES: readonly Crash[] = [
  { task: 'dialog', when: { step: 3 }, once: [], says: /Answered the dialog with OK|Nobody answered a dialog/ },
  { task: 'download', when: { path: '/data.csv' }, once: ['/data.csv'], says: /"data\.csv" text\/csv/ },
  { task: 'upload', when: { path: '/uploaded' }, once: ['/data.csv', '/uploaded'], says: /Gave the file to/ },
  { task: 'tabs', when: { path: '/second' }, once: ['/second'], says: /Tab 2: "Second"/ },
  { task: 'checked', when: { step: 4 }, once: [], says: /Before this counts, check it once/ },
]

test('[D7 D8 R39 L25] the task goes on where it was, and nothing is done twice', async () => {
  const site = await openSite()
  const file = join(tempFolder(), 'script.json')
  writeFileSync(file, JSON.stringify({ scripts: scripts(site.url) }))
  const service = await openService({ env: { LLM_SCRIPT: file } })
  const { api } = service
  const { pairing_token: pairingToken } = (await api.post('/v1/browser-sessions/pair')).json
  const browser = await runBrowser({ serviceUrl: service.url, pairingToken, log: () => {} })
  try {
    for (const { task, when, once, says } of CRASHES) {
      const before = site.seen.length
      let id = ''
      const isStarted = async () => {
        const { status, json } = await api.start(browser.sessionId ?? '', task)
        id = json.id
        return status === 201
      }
      await eventually(isStarted, `the start of ${task}`, TASK_MS_MAX)
      const isThere = async () => {
        if ('path' in when) return site.seen.slice(before).includes(when.path)
        const { steps, state } = await api.task(id)
        return steps === when.step && state === 'thinking'
      }
      await eventually(isThere, `the moment of ${task}`, TASK_MS_MAX)
      await service.kill()
      service.spawn()
      await service.answers()
      await finished(api, id, TASK_MS_MAX)
      const { json } = await api.get(`/v1/tasks/${id}`)
      assert.equal([task, json.status, json.answer], [task, 'complete', 'Done.'])
      const calls = json.turns.flatMap(({ tools }: { tools: object[] }) => tools)
      const results = calls.map(({ result }: { result: string }) => result).join('\n')
      assert.match(results, says, `${task}: ${results}`)
      assert.not.match(results, /outcome of this call is unknown/, task)
      assert.is(calls.filter(({ name }: { name: string }) => name === 'finish').length, 2, task)
      // A dialog is held for 10 s. A restart that takes longer finds it dismissed, and says so.
      const isAccepted = /Answered the dialog with OK/.test(results)
      assert.is(site.seen.slice(before).filter((path) => path === '/ordered').length, isAccepted ? 1 : 0, task)
      for (const path of once) assert.is(site.seen.slice(before).filter((each) => each === path).length, 1, path)
    }
  } finally {
    await browser.close()
    await service.kill()
    site.close()
  }
})

await test.run()
