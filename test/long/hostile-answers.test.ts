import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openModelEndpoint, type Plan, type Seen } from '../support/model-endpoint.ts'
import { newWorkspace } from '../support/service/api.ts'
import { type Call, type CallResult, TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { answers } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

// What a model or a browser answers, however large or deep, is the trouble of its own task.

const LEVELS = 100_000
const CALLS = 5_000
const TEXT_CHARS = 16_000_000
/** Two bytes each: all that a frame may have. */
const HUGE_CHARS = 8_000_000
const ENDED_MS_MAX = 60_000
/** Generous: on an idle machine others wait a tenth of it. */
const WAIT_MS_MAX = 2_000
const LOOKER = fileURLToPath(new URL('../support/attacks/looker.ts', import.meta.url))

const nested = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`
const message = (content: string) =>
  `{"id":"m","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1},"content":[${content}]}`
const call = (id: number, input: string) => `{"type":"tool_use","id":"c${id}","name":"find","input":${input}}`

/** What the first reply to a task with this text is; then the task is done. */
const REPLIES: Readonly<Record<string, () => Plan>> = {
  'a deep input': () => ({ raw: message(call(0, nested)) }),
  'many calls': () => ({
    raw: message(Array.from({ length: CALLS }, (_, n) => call(n, `{"query":"${n}"}`)).join(',')),
  }),
  'a deep result': () => ({ calls: [{ tool: 'find', input: { query: 'deep' } }] }),
  'a large result': () => ({ calls: [{ tool: 'find', input: { query: 'large' } }] }),
  'a huge result': () => ({ calls: [{ tool: 'find', input: { query: 'huge' } }] }),
  'a large text': () => ({ text: 'x'.repeat(TEXT_CHARS), calls: [{ tool: 'find', input: { query: 'tea' } }] }),
}

const DONE = ['complete', 'Done.']
const TOO_LARGE = ['error', 'LLM call failed: The answer of the model endpoint is too large.']
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  'a deep input': TOO_LARGE,
  'many calls': TOO_LARGE,
  'a large text': TOO_LARGE,
}

function reply({ body }: Seen): Plan {
  const messages = (body.messages ?? []) as unknown as { role: string; content: unknown }[]
  const first = JSON.stringify(messages[0]?.content ?? '')
  if (messages.some(({ role }) => role === 'assistant')) return answers('Done.')
  return Object.entries(REPLIES).find(([name]) => first.includes(name))?.[1]() ?? answers('Done.')
}

const test = suite('hostile answers')
const endpoint = await openModelEndpoint()
endpoint.plan(reply)
const service = await openService({
  env: { LLM_PROVIDER: 'anthropic', LLM_BASE_URL: endpoint.baseUrl, LLM_API_KEY: 'test', LLM_MODEL: 'test-model' },
})
const hostile = await newWorkspace(service.url)
const neighbour = await newWorkspace(service.url)
const session = await hostile.api.pair()
const browser: TestBrowser = await TestBrowser.open({
  relayPort: session.relayPort,
  token: session.token,
  answer: ({ requestId, input }: Call): CallResult => {
    if (input.query === 'large') return { output: 'x'.repeat(TEXT_CHARS / 8) }
    if (input.query === 'huge') return { output: 'é'.repeat(HUGE_CHARS) }
    if (input.query !== 'deep') return { output: 'done' }
    browser.sendRaw(`{"type":"tool_result","requestId":"${requestId}","result":${nested}}`)
    return 'never'
  },
})

/** How long a neighbour waited at most while `work` ran, in ms. It asks from a process of its own: this one is the browser. */
async function othersDuring(work: () => Promise<void>): Promise<number> {
  const looker = fork(LOOKER, [service.url, neighbour.api.key])
  const [first] = await once(looker, 'message')
  assert.is(first, 'looking')
  try {
    await work()
  } finally {
    looker.send('stop')
  }
  const [{ worst, wrong }] = await once(looker, 'message')
  assert.equal(wrong, [])
  return worst
}

// The first model call of a process loads the library of its provider, whoever makes it.
const { json: first } = await hostile.api.start(session.id, 'nothing')
await finished(hostile.api, first.id, ENDED_MS_MAX)

for (const name of Object.keys(REPLIES))
  test(`[L29 D14] ${name}: the task ends with a clear answer, and other tenants are served meanwhile`, async () => {
    const worst = await othersDuring(async () => {
      const { json, status } = await hostile.api.start(session.id, name)
      assert.is(status, 201)
      const { status: ended, answer } = await finished(hostile.api, json.id, ENDED_MS_MAX)
      assert.equal([ended, answer], ENDINGS[name] ?? DONE)
    })
    process.stdout.write(`${name}: others waited ${Math.round(worst)} ms at most\n`)
    assert.ok(worst < WAIT_MS_MAX, `${worst} ms`)
    assert.is(service.exit, null)
  })

test.after(async () => {
  browser.disconnect()
  await service.stop()
  await endpoint.close()
})
test.run()
