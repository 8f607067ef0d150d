import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { runBrowser } from '../../src/browser/headless.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { openModelEndpoint } from '../support/model-endpoint.ts'
import { finished } from '../support/service/jobs.ts'
import { answers } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const ROWS = 400
const PER_PAGE = 50
const total = (n: number) => (n * 37.5 + 0.99).toFixed(2)

/** Orders in pages of a table; the last one has no "Next". */
function page(from: number): string {
  const rows = Array.from({ length: PER_PAGE }, (_, at) => from + at + 1)
  const cells = (n: number) => `<td>N-${n}</td><td>Customer ${n % 17} & Co</td><td>${total(n)}</td>`
  const next = from + PER_PAGE < ROWS ? `<a href="/orders?from=${from + PER_PAGE}">Next</a>` : '<span>Next</span>'
  return `<!doctype html><title>Orders</title><main><h1>Orders</h1>
    <table><caption>Orders</caption><thead><tr><th>Id<th>Customer<th>Total</tr></thead>
    <tbody>${rows.map((n) => `<tr>${cells(n)}</tr>`).join('')}</tbody></table>${next}</main>`
}

const CODE = (url: string) => `await navigate(${JSON.stringify(url)})
const all = []
for (;;) {
  all.push(...(await rows({role: 'table', name: 'Orders'})).slice(1))
  const [next] = (await find('link Next')).filter(({role, name}) => role === 'link' && name === 'Next')
  if (!next) break
  await click(next)
}
log('Sum of ' + all.length + ' orders: ' + all.reduce((sum, [, , total]) => sum + Number(total), 0).toFixed(2))
return all.map(([id, , total]) => id + ' ' + total)`

const test = suiteWithBrowser('a script in a real browser')

test('[L41] a table of 400 rows over eight pages is harvested in two model calls', async () => {
  const site = createServer((request, response) => {
    const from = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('from') ?? 0)
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(from))
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/orders`
  const endpoint = await openModelEndpoint()
  endpoint.plan({ text: '', calls: [{ tool: 'script', input: { code: CODE(url) } }] }, answers('Harvested.'))
  const service = await openService({
    env: {
      ...{ LLM_PROVIDER: 'anthropic', LLM_BASE_URL: endpoint.baseUrl, LLM_API_KEY: 'test', LLM_MODEL: 'test-model' },
      VERIFY: 'off',
    },
  })
  const { api } = service
  const { pairing_token: pairingToken } = (await api.post('/v1/browser-sessions/pair')).json
  const browser = await runBrowser({ serviceUrl: service.url, pairingToken, log: () => {} })
  try {
    let id = ''
    const isStarted = async () => {
      const { status, json } = await api.start(browser.sessionId ?? '', 'Harvest the orders')
      id = json.id
      return status === 201
    }
    await eventually(isStarted, 'the start', 20_000)
    const task = await finished(api, id, 50_000)
    assert.equal([task.status, task.answer, task.steps], ['complete', 'Harvested.', 2], JSON.stringify(task))
    const result = task.turns?.[0]?.tools[0]?.result ?? ''
    const [list] = /\[".*"\]/s.exec(result) ?? []
    assert.ok(list, result)
    const expected = Array.from({ length: ROWS }, (_, at) => `N-${at + 1} ${total(at + 1)}`)
    assert.equal(JSON.parse(list), expected)
    const last = JSON.stringify(endpoint.requests.at(-1)?.body.messages)
    const sum = expected.reduce((sum, row) => sum + Number(row.split(' ')[1]), 0)
    assert.match(last, `Sum of 400 orders: ${sum.toFixed(2)}`)
    const { events } = (await api.get(`/v1/tasks/${id}/events?types=tool.called&limit=100`)).json
    const nested = events.filter(({ parent_call_id: parent }: { parent_call_id?: string }) => parent !== undefined)
    assert.ok(nested.length >= 24, `${nested.length} calls`)
  } finally {
    await browser.close()
    await service.kill()
    await endpoint.close()
    site.close()
  }
})

await test.run()
