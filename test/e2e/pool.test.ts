import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { BrowserTasks } from '../../src/client/index.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { servePages } from '../support/pages.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const test = suiteWithBrowser('browsers on call, with the running service')

/** The browser processes that a service has started. */
const childrenOf = (pid: number): number[] => {
  try {
    return execFileSync('pgrep', ['-P', String(pid), '-f', 'browser-task'], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

test('[Z4 Z5 R59] a task without a pairing gets a browser; one whose browser is killed goes on in another, and is seen there', async () => {
  const pages = await servePages()
  const file = join(tempFolder(), 'script.json')
  const open = { tool: 'navigate', input: { url: `${pages.origin}/first` } }
  const look = { tool: 'get_page_text', input: {} }
  const wait = { tool: 'computer', input: { action: 'wait', duration: 2 } }
  const answer = { answer: 'Read.' }
  const scripts = [
    { when: 'Read the page', think_ms: 0, steps: [open, look, answer] },
    { when: 'Read it slowly', think_ms: 500, steps: [open, wait, look, look, look, open, wait, answer] },
  ]
  writeFileSync(file, JSON.stringify({ scripts }))
  const service = await openService({ env: { LLM_SCRIPT: file, BROWSERS: '1' } })
  const { api } = service
  try {
    const start = async (task: string) => {
      const { status, json } = await api.post('/v1/tasks', { task, browser: { pool: 'default' } })
      assert.is(status, 201, JSON.stringify(json))
      return json
    }
    assert.equal(childrenOf(service.pid), [], 'none runs before it is needed')
    const first = await start('Read the page')
    assert.match(first.browser_session_id, /^[0-9a-f-]{36}$/)
    assert.equal(first.request.browser, { pool: 'default' })
    const ended = await finished(api, first.id)
    assert.equal([ended.status, ended.answer], ['complete', 'Read. (scripted)'], JSON.stringify(ended))
    const second = await start('Read it slowly')
    assert.is(second.browser_session_id, first.browser_session_id)
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, 'browser_task_pool_places{pool="default"} 4')
    assert.match(metrics, 'browser_task_pool_used{pool="default"} 1')
    await eventually(async () => (await api.task(second.id)).steps >= 2, 'a page', 20_000)
    let frames = 0
    const client = new BrowserTasks({ baseUrl: service.url, key: service.key })
    const watching = (async () => {
      for await (const { jpeg } of client.tasks.live(second.id)) frames += jpeg.startsWith('/9j/') ? 1 : 0
    })()
    await eventually(() => frames > 0, 'its live view', 20_000)
    for (const pid of childrenOf(service.pid)) process.kill(pid, 'SIGKILL')
    const from = async () => (await api.task(second.id)).browser_session_id
    await eventually(async () => (await from()) !== first.browser_session_id, 'another browser', 40_000)
    const before = frames
    const moved = await finished(api, second.id, 60_000)
    await watching
    assert.ok(frames > before, 'who looks sees the other browser')
    assert.is(moved.status, 'complete', JSON.stringify(moved))
    assert.is.not(moved.browser_session_id, first.browser_session_id)
    const read = JSON.stringify((await api.get(`/v1/tasks/${second.id}`)).json.turns)
    assert.match(read, `the browser of this task is gone, and with it the page (${pages.origin}/first)`)
    const pids = childrenOf(service.pid)
    assert.is(pids.length, 1)
    await service.stop()
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await eventually(() => !pids.some(isAlive), 'its browsers end with the service', 10_000)
  } finally {
    await service.kill().catch(() => {})
    await pages.close()
  }
})

await test.run()
