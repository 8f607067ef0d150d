import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as assert from 'uvu/assert'
import { type RunningBrowser, runBrowser } from '../../src/browsers/headless.ts'
import { DEMO_SCRIPT, DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import type { InputRequest } from '../../src/wire/inputs.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { newWorkspace } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { openService, type TestService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

/** Orders that need an approval: the process, the browser and the shops are real, and the shops' books count. */
const TASK_MS_MAX = 60_000
/** How long our own shop takes to answer: the service is killed meanwhile. */
const SLOW_MS = 1_500

const DECLINED = /Not approved: the user declined this action/

const test = suiteWithBrowser('approvals of orders')

/** A shop with one button, whose total changes as its test says. It counts its orders, by what was posted. */
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
  const demo = JSON.parse(readFileSync(DEMO_SCRIPT, 'utf8'))
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
    { when: 'Queue', think_ms: 0, steps: [{ tool: 'find', input: { query: 'tea' } }, { answer: 'Done.' }] },
  ]
  writeFileSync(file, JSON.stringify({ scripts }))
  return file
}

let site: Awaited<ReturnType<typeof openSite>>
let service: TestService
let api: TestService['api']
let browser: RunningBrowser
test.hooks.before = async () => {
  site = await openSite()
  service = await openService({ env: { LLM_SCRIPT: script(site.url), VERIFY: 'off' } })
  api = service.api
  const { pairing_token: pairingToken } = (await api.post('/v1/browser-sessions/pair')).json
  browser = await runBrowser({ serviceUrl: service.url, pairingToken, log: () => {} })
}
test.hooks.after = async () => {
  await browser.close()
  await service.kill()
  site.close()
}

async function start(task: string, more: object = {}): Promise<string> {
  let id = ''
  // It is registered; its socket may still be on its way.
  const isStarted = async () => {
    const { status, json } = await api.start(browser.sessionId ?? '', task, { approvals: 'irreversible', ...more })
    id = json.id
    return status === 201
  }
  await eventually(isStarted, 'the start', TASK_MS_MAX)
  return id
}
const answer = (id: string, request: InputRequest, action: string) =>
  api.post(`/v1/tasks/${id}/inputs/${request.id}`, { action })

/** What the task asks, once that is kept; `null` once it has ended. */
async function asked(id: string): Promise<InputRequest | null> {
  let task = { status: '', state: '', input_request: null as InputRequest | null }
  const isOver = async () => {
    task = (await api.get(`/v1/tasks/${id}`)).json
    if (task.status !== 'running') return true
    // An event is read when it is kept.
    const { events } = (await api.get(`/v1/tasks/${id}/events?limit=1000`)).json
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

test('[I5 I7] the order of the demo is held at the network; accepted, it is in the books of the shop', async () => {
  const shop = await openShop()
  try {
    const id = await start(DEMO_TASK, { url: shop.url })
    const requests: InputRequest[] = []
    for (let request = await asked(id); request !== null; request = await asked(id)) {
      requests.push(request)
      assert.is(shop.orders.length, 0)
      assert.is((await answer(id, request, 'accept')).status, 200)
    }
    const order = requests.at(-1)?.call?.held
    assert.is(order?.method, 'POST')
    assert.is(order?.site, shop.url)
    assert.equal(order?.target, { role: 'button', name: 'Place order' })
    assert.is((await finished(api, id)).status, 'complete')
    assert.equal(
      shop.orders.map(({ totalCents }) => totalCents),
      [expectedTotal(GOODS)],
    )
    assert.not.match(String((await api.get(`/v1/tasks/${id}`)).raw), DECLINED)
  } finally {
    await shop.close()
  }
})

for (const isAccepted of [false, true])
  test(`[I7] the total changes while the user reads: asked again with what changed, and ${isAccepted ? 'ordered once' : 'not ordered'}`, async () => {
    site.orders.splice(0)
    site.total = 52.5
    const id = await start('Order in our own shop')
    const first = await ask(id)
    assert.is(first.call?.held?.path, '/order')
    assert.ok(first.call?.held?.fields.some(({ name, value }) => name === 'quantity' && value === '2'))
    site.total = 99
    // The page has it.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await answer(id, first, 'accept')
    await eventually(async () => (await asked(id))?.id !== first.id, 'another request', TASK_MS_MAX)
    const second = await ask(id)
    const { before = [], after = [] } = second.call?.changed?.numbers ?? {}
    assert.match(before.join(), /52\.50/)
    assert.match(after.join(), /99\.00/)
    assert.equal(site.orders, [])
    assert.is((await answer(id, first, 'accept')).json.code, 'input_answered')
    await answer(id, second, isAccepted ? 'accept' : 'decline')
    assert.is((await finished(api, id)).status, 'complete')
    // It is the request that was held: what the form said then.
    assert.equal(site.orders, isAccepted ? [52.5] : [])
  })

test('[I13] an approval for the task lets a second order of the same shape pass', async () => {
  site.orders.splice(0)
  const id = await start('Order twice')
  const request = await ask(id)
  const { status } = await api.post(`/v1/tasks/${id}/inputs/${request.id}`, { action: 'accept', for: 'task' })
  assert.is(status, 200)
  assert.is((await finished(api, id, TASK_MS_MAX)).status, 'complete')
  assert.is(site.orders.length, 2)
})

async function killed() {
  await service.kill()
  service.spawn()
  await service.answers()
}

test('[I7 D7 D8] kill -9 while a task waits for an approval: it waits on, and what was approved is let go once', async () => {
  site.orders.splice(0)
  const id = await start('Order in our own shop')
  const request = await ask(id)
  await killed()
  const again = await asked(id)
  assert.equal(again, request)
  assert.is((await answer(id, request, 'accept')).status, 200)
  assert.is((await answer(id, request, 'accept')).status, 409)
  assert.is((await finished(api, id, TASK_MS_MAX)).status, 'complete')
  assert.equal(site.orders, [52.5])
})

test('[I7 D7 D8] kill -9 just after the approval, and while what was let go is on its way: once', async () => {
  for (const isOnItsWay of [false, true]) {
    site.orders.splice(0)
    const id = await start('Order in our own shop')
    const request = await ask(id)
    assert.is((await answer(id, request, 'accept')).status, 200)
    if (isOnItsWay) await eventually(() => site.orders.length > 0, 'the order', TASK_MS_MAX)
    await killed()
    assert.is((await finished(api, id, TASK_MS_MAX)).status, 'complete')
    assert.equal(site.orders, [52.5])
  }
})

test('[I5 D7] kill -9 after a refusal: it is never let go', async () => {
  site.orders.splice(0)
  const id = await start('Order in our own shop')
  const request = await ask(id)
  assert.is((await answer(id, request, 'decline')).status, 200)
  await killed()
  assert.is((await finished(api, id, TASK_MS_MAX)).status, 'complete')
  assert.equal(site.orders, [])
  assert.match(String((await api.get(`/v1/tasks/${id}`)).raw), DECLINED)
})

test('[T59 D7] kill -9 while tasks wait in the queue: each runs, once', async () => {
  const { api: client } = await newWorkspace(service.url)
  const { id: session, token, relayPort } = await client.pair()
  const answering = await TestBrowser.open({ relayPort, token, answer: () => ({ ms: SLOW_MS }) })
  const ids: string[] = []
  for (let n = 0; n < 7; n++) ids.push((await client.start(session, `Queue ${n}`, { on_limit: 'queue' })).json.id)
  const queued = async () => {
    const tasks = await Promise.all(ids.map((id) => client.task(id)))
    return tasks.filter(({ state }) => state === 'queued').map(({ id }) => id)
  }
  assert.equal(await queued(), ids.slice(5))
  await killed()
  assert.equal(await queued(), ids.slice(5))
  for (const id of ids) assert.is((await finished(client, id, TASK_MS_MAX)).status, 'complete')
  assert.equal(
    [...answering.executed.values()],
    ids.map(() => 1),
  )
  answering.disconnect()
})

await test.run()
