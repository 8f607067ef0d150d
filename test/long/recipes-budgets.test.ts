import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Message } from '../../actors/runtime/ports.ts'
import { type Block, openEndpoint, textsOf, type WireRequest } from '../../eval/agent/endpoint.ts'
import { runBrowser } from '../../src/browser/headless.ts'
import { openShop } from '../../src/demo/shop.ts'
import { openScripted } from '../../src/models/scripted.ts'
import { FIRST, ORDER, OUTPUT, OUTPUT_SCHEMA, orderScript, SECOND, SIZED } from '../e2e/recipes-suite.ts'
import { eventually } from '../support/eventually.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'

/**
 * What the demo's order takes by a model that thinks for 2 s a call, and by its recipe with other goods, quantity and
 * address: a table. The model's endpoint estimates tokens; the service prices them as Anthropic's.
 */
const THINK_MS = 2_000
const TASK_MS_MAX = 300_000
const MODEL = 'claude-opus-5-5'
const TOKENS_SHARE_MAX = 0.05

interface WireBlock extends Block {
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
}

/** The messages of a request as the scripted model reads them. */
function messagesOf({ messages }: WireRequest): Message[] {
  const tools = new Map<string, string>()
  return messages.flatMap(({ role, content }): Message[] => {
    const blocks: readonly WireBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    for (const { id = '', name } of blocks) if (name) tools.set(id, name)
    if (role === 'assistant') return [{ role, text: textsOf(blocks), calls: [] }]
    const results = blocks.flatMap(({ type, tool_use_id: id = '', content: said, is_error: failed = false }) =>
      type === 'tool_result' ? [{ id, tool: tools.get(id) ?? '', text: textsOf(said), failed, image: null }] : [],
    )
    const texts = blocks.flatMap(({ type, text = '' }) => (type === 'text' ? [{ role: 'user' as const, text }] : []))
    return [...(results.length > 0 ? [{ role: 'tool' as const, results }] : []), ...texts]
  })
}

const shop = await openShop({ goods: SIZED })
const asData = { ...orderScript(shop.url, 0, OUTPUT), when: 'As data' }
const script = openScripted({ scripts: [asData, orderScript(shop.url, 0)] } as never, { warn() {} } as never)
const endpoint = await openEndpoint(async (request) => {
  await pause(THINK_MS)
  const asked = { messages: messagesOf(request), tools: request.tools ?? [] }
  const said = await script.ask(asked as never, new AbortController().signal)
  if (said.kind === 'failed') throw new Error(said.message)
  return { text: said.text, calls: said.calls.map(({ tool, input }) => ({ tool, input: input as object })), stop: null }
})
const llm = { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'none', LLM_MODEL: MODEL, LLM_BASE_URL: endpoint.baseUrl }
const service = await openService({ env: llm })
const { api } = service
const { pairing_token: pairingToken } = (await api.post('/v1/browser-sessions/pair')).json
const browser = await runBrowser({ serviceUrl: service.url, pairingToken, log: () => {} })
await eventually(
  async () => (await api.get('/v1/browser-sessions')).json.sessions[0]?.status === 'connected',
  'a browser',
)

/** Orders, and gives what it took. */
async function ordered(inputs: typeof FIRST, schema: object | null) {
  const more = schema ? { output_schema: schema, task: `${ORDER}\nAs data.` } : {}
  const start = await api.start(browser.sessionId ?? '', ORDER, { url: shop.url, inputs, recipe: 'auto', ...more })
  assert.is(start.status, 201, JSON.stringify(start.json))
  const task = await finished(api, start.json.id, TASK_MS_MAX)
  assert.is(task.status, 'complete', task.answer ?? '')
  const order = shop.orders.at(-1)
  const [line] = order?.lines ?? []
  assert.equal(
    [order?.name, order?.address, line?.product.name, line?.count],
    [inputs.name, inputs.address, inputs.goods, inputs.count],
  )
  if (schema) assert.is((task.output as { order_number?: string }).order_number, order?.number)
  const { apiCalls, inputTokens, outputTokens } = task.usage
  const seconds = ((task.completed_at ?? 0) - task.created_at) / 1_000
  return { calls: apiCalls, tokens: inputTokens + outputTokens, seconds, cost: task.cost_usd ?? 0 }
}

const rows = ['| the demo’s order | model calls | tokens | seconds | cost |', '| --- | ---: | ---: | ---: | ---: |']
const row = (name: string, { calls, tokens, seconds, cost }: Awaited<ReturnType<typeof ordered>>) =>
  rows.push(`| ${name} | ${calls} | ${tokens.toLocaleString('en')} | ${seconds.toFixed(1)} | $${cost.toFixed(4)} |`)

const test = suite('the budgets of recipes')

for (const [name, schema, callsMax] of [
  ['in words', null, 1],
  ['as data', OUTPUT_SCHEMA, 0],
] as const)
  test(`[J6 J11 J15] the demo’s order ${name}, repeated with other goods, quantity and address`, async () => {
    const first = await ordered(FIRST, schema)
    row(`${name}, by the model`, first)
    const again = await ordered(SECOND, schema)
    row(`${name}, by its recipe`, again)
    assert.ok(first.calls > 10, `${first.calls} calls`)
    assert.ok(again.calls <= callsMax, `${again.calls} calls`)
    assert.ok(again.tokens <= TOKENS_SHARE_MAX * first.tokens, `${again.tokens} of ${first.tokens} tokens`)
  })

test.after(async () => {
  console.log(`\n${rows.join('\n')}`)
  await browser.close()
  await service.kill()
  await Promise.all([shop.close(), endpoint.close()])
})
test.run()
