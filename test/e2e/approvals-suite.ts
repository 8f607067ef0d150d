import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type RunningBrowser, runBrowser } from '../../src/browser/headless.ts'
import { DEMO_SCRIPT } from '../../src/demo/script.ts'
import type { InputRequest } from '../../src/wire/inputs.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { openService, type TestService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

export const TASK_MS_MAX = 60_000
/** How long our own shop takes to answer: the service is killed meanwhile. */
const SLOW_MS = 1_500
export const DECLINED = /Not approved: the user declined this action/

/** A shop with one button, whose total changes as its test says. It counts its orders, by what was posted. */
export type Site = Awaited<ReturnType<typeof openSite>>

async function openSite() {
  const site = { total: 52.5, orders: [] as number[], asked: 0, url: '', close: () => {} }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    const answer = (type: string, body: string) => response.writeHead(200, { 'content-type': type }).end(body)
    if (pathname === '/total') return answer('text/plain', `Total: $ ${site.total.toFixed(2)}`)
    if (pathname !== '/order') return answer('text/html', PAGE)
    site.orders.push(Number(new URLSearchParams(await text(request)).get('total')))
    setTimeout(() => answer('text/html', '<title>Ordered</title><p>Thank you.</p>'), SLOW_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  site.close = () => {
    server.closeAllConnections()
    server.close()
  }
  return site
}
const PAGE = `<!doctype html><title>Checkout</title><p id="total"></p>
<form action="/order" method="post"><label>Quantity <input name="quantity" value="2"></label>
<input type="hidden" name="total" value="52.50"><button>Place order</button></form>
<script>
const show = async () => {
  document.querySelector('#total').textContent = await (await fetch('/total')).text()
}
show()
setInterval(show, 200)
</script>`

/** The demo's order, and the order in our own shop. */
function script(site: string): string {
  const demo = JSON.parse(readFileSync(DEMO_SCRIPT, 'utf8')).scripts.at(-1)
  const file = join(tempFolder(), 'script.json')
  const press = { tool: 'computer', input: { action: 'left_click', ref: '{{ref:button "Place order"}}' } }
  const steps = [
    { tool: 'navigate', input: { url: site } },
    { tool: 'read_page', input: {} },
    press,
    { answer: 'Done.' },
  ]
  const scripts = [
    { ...demo, think_ms: 0, steps: [...demo.steps.slice(0, -1), { answer: 'Done.' }] },
    { when: 'own shop', think_ms: 0, steps },
    { when: 'Order twice', think_ms: 0, steps: [...steps.slice(0, -1), ...steps] },
  ]
  writeFileSync(file, JSON.stringify({ scripts }))
  return file
}

interface Opened {
  site: Site
  service: TestService
  /** The one that runs now; another one of the same session does not know its id. */
  browser: RunningBrowser
  sessionId: string
}

/** Orders that need an approval: the process, the browser and the shop are real, and the books of the shop count. */
export function approvalsSuite(name: string) {
  const test = suiteWithBrowser(name)
  const opened = {} as Opened
  test.hooks.before = async () => {
    opened.site = await openSite()
    opened.service = await openService({ env: { LLM_SCRIPT: script(opened.site.url), VERIFY: 'off' } })
    const { pairing_token: pairingToken } = (await opened.service.api.post('/v1/browser-sessions/pair')).json
    opened.browser = await runBrowser({ serviceUrl: opened.service.url, pairingToken, log: () => {} })
    opened.sessionId = opened.browser.sessionId ?? ''
  }
  test.hooks.after = async () => {
    await opened.browser.close()
    await opened.service.kill()
    opened.site.close()
  }
  return { test, opened, ...tasksOf(opened) }
}

function tasksOf(opened: Opened) {
  async function start(task: string, more: object = {}): Promise<string> {
    let id = ''
    // It is registered; its socket may still be on its way.
    const isStarted = async () => {
      const { status, json } = await opened.service.api.start(opened.sessionId, task, {
        approvals: 'irreversible',
        ...more,
      })
      id = json.id
      return status === 201
    }
    await eventually(isStarted, 'the start', TASK_MS_MAX)
    return id
  }
  const answer = (id: string, request: InputRequest, action: string) =>
    opened.service.api.post(`/v1/tasks/${id}/inputs/${request.id}`, { action })

  /** What the task asks, once that is kept; `null` once it has ended. */
  async function asked(id: string): Promise<InputRequest | null> {
    let task = { status: '', state: '', input_request: null as InputRequest | null }
    const isOver = async () => {
      task = (await opened.service.api.get(`/v1/tasks/${id}`)).json
      if (task.status !== 'running') return true
      // An event is read when it is kept.
      const { events } = (await opened.service.api.get(`/v1/tasks/${id}/events?limit=1000`)).json
      const asks = ({ type, request_id }: { type: string; request_id?: string }) =>
        type === 'input.requested' && request_id === task.input_request?.id
      return task.state === 'waitingForInput' && events.some(asks)
    }
    await eventually(isOver, 'a question or an end', TASK_MS_MAX)
    return task.status === 'running' ? task.input_request : null
  }

  /** The same, and it must ask. */
  async function ask(id: string): Promise<InputRequest> {
    const request = await asked(id)
    if (!request) throw new Error('It asks nothing')
    return request
  }

  return { start, answer, asked, ask }
}
