import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mendedReply } from '../../src/models/mended-reply.ts'
import { type ModelEndpoint, openModelEndpoint, type Plan } from '../support/model-endpoint.ts'
import { never, replied, request, TOOLS } from './conversation.ts'
import { KINDS } from './kinds.ts'

const CALL = { tool: 'navigate', input: { url: 'http://shop' } }
const json = JSON.stringify({ name: 'navigate', arguments: CALL.input })

const WRITTEN: Readonly<Record<string, string>> = {
  'between marks': `I open it.\n<tool_call>\n${json}\n</tool_call>`,
  'behind a mark without an end': `<tool_call>${json}`,
  'in a block of JSON': `\`\`\`json\n${json}\n\`\`\``,
  'as JSON alone': json,
  'as parameters': JSON.stringify({ name: 'functions.navigate', parameters: CALL.input }),
  'as a list': `[TOOL_CALLS] [${json}]`,
  'as a function': JSON.stringify({
    type: 'function',
    function: { name: 'navigate', arguments: '{"url":"http://shop"}' },
  }),
}

const odd = suite('models: odd replies')
let endpoint: ModelEndpoint
odd.before.each(async () => {
  endpoint = await openModelEndpoint()
})
odd.after.each(() => endpoint.close())
const compatible = () => {
  const kind = KINDS.find(({ name }) => name === 'openai-compatible')
  if (!kind) throw new Error('no such kind')
  return kind.open(endpoint)
}

for (const [how, text] of Object.entries(WRITTEN)) {
  odd(`[L48] a call that is written as text is one: ${how}`, async () => {
    endpoint.plan({ text })
    assert.equal(replied(await compatible().ask(request(), never)).calls, [CALL])
  })
}

odd('[L48] JSON that names no tool is the text that it is, and so is one of a task without tools', async () => {
  for (const text of [
    '{"name":"Ada","arguments":{}}',
    '{"total":3}',
    '[]',
    '```json\n{"a":1}\n```',
    '<tool_call>{"name":"x"}</tool_call>',
  ]) {
    endpoint.plan({ text })
    const reply = replied(await compatible().ask(request(), never))
    assert.equal([reply.text, reply.calls], [text, []])
  }
  assert.equal(mendedReply({ text: json, calls: [] }, []), { text: json, calls: [] })
})

odd('[L50] however long a text is, whether calls are written in it is found in no time', () => {
  const long = ' '.repeat(1_000_000)
  for (const text of [
    `<tool_call>a${long}b`,
    `<tool_call>${long}`.repeat(3),
    `\`\`\`\n${'\n'.repeat(1_000_000)}x`,
    `[TOOL_CALLS]${long}x`,
    '[TOOL_CALLS]['.repeat(80_000),
    '<tool_use>'.repeat(100_000),
  ]) {
    const before = process.cpuUsage().user
    assert.equal(mendedReply({ text, calls: [] }, TOOLS).calls, [])
    assert.ok(process.cpuUsage().user - before < 1_000_000, text.slice(0, 20))
  }
})

odd('[L48] names of tools lose what endpoints leave around them', async () => {
  const names = [
    'functions.navigate',
    'default_api:navigate',
    'navigate<|channel|>commentary',
    'tools/navigate',
    'navigate()',
  ]
  endpoint.plan({ calls: names.map((tool) => ({ tool, input: {} })) })
  const { calls } = replied(await compatible().ask(request(), never))
  assert.equal(
    calls.map(({ tool }) => tool),
    names.map(() => 'navigate'),
  )
  const unknown = mendedReply({ text: '', calls: [{ tool: 'functions.unknown', input: {} }] }, TOOLS)
  assert.is(unknown.calls[0]?.tool, 'functions.unknown')
})

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const streamed = (...events: string[]): Plan => ({
  raw: `${events.join('')}data: [DONE]\n\n`,
  type: 'text/event-stream',
})

odd('[L48] arguments may be an object, calls without an index, or all of index 0', async () => {
  const call = (more: object) => chunk({ tool_calls: [more] })
  const all: Readonly<Record<string, Plan>> = {
    object: streamed(
      call({ index: 0, id: 'a', function: { name: 'navigate', arguments: CALL.input } }),
      chunk({}, 'tool_calls'),
    ),
    'no index': streamed(
      call({ id: 'a', function: { name: 'navigate', arguments: '{"url":' } }),
      call({ function: { arguments: '"http://shop"}' } }),
      chunk({}, 'tool_calls'),
    ),
    'index 0': streamed(
      call({ index: 0, id: 'a', function: { name: 'navigate', arguments: '{"url":"http://shop"}' } }),
      call({ index: 0, id: 'b', function: { name: 'navigate', arguments: '{"url":"http://shop"}' } }),
      chunk({}, 'stop'),
    ),
  }
  for (const [how, plan] of Object.entries(all)) {
    endpoint.plan(plan)
    const { calls } = replied(await compatible().ask(request(), never))
    assert.equal(calls, how === 'index 0' ? [CALL, CALL] : [CALL], how)
  }
})

odd('[L48] a reply that is said to be cut off has its whole calls; half a call is cut off', async () => {
  const cut = (text: string) =>
    streamed(
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'navigate', arguments: text } }] }),
      chunk({}, 'length'),
    )
  endpoint.plan(cut('{"url":"http://shop"}'), cut('{"url":"http'))
  const model = compatible()
  assert.equal(replied(await model.ask(request(), never)).calls, [CALL])
  const half = await model.ask(request(), never)
  assert.is(half.kind === 'failed' && half.reason, 'cut_off')
})

odd('[L3] what is not a reply at all is named for what it is, and tried again where it may pass', async () => {
  const cases: readonly [Plan, string, boolean][] = [
    [{ raw: '{"choices":[]}' }, 'The answer of the model endpoint could not be read.', true],
    [{ raw: '{"error":{"message":"Provider returned error","code":502}}' }, 'Provider returned error', true],
    [{ raw: '{"error":{"message":"No such model","code":404}}' }, 'No such model', false],
    [
      { raw: '<html><body>Sign in</body></html>', type: 'text/html' },
      'The answer of the model endpoint could not be read.',
      true,
    ],
    [
      { raw: '<html>Bad gateway</html>', type: 'text/html', status: 502 },
      'The model endpoint answered with a web page (status 502), not as a model does.',
      true,
    ],
    [{ status: 408, message: 'Request timeout' }, 'Request timeout', true],
    [{ status: 409, message: 'Conflict' }, 'Conflict', true],
    [{ status: 424, message: 'Failed dependency' }, 'Failed dependency', true],
    [
      { status: 429, message: 'You exceeded your current quota, please check your plan and billing details.' },
      'You exceeded your current quota, please check your plan and billing details.',
      false,
    ],
    [
      { status: 429, message: 'Limit of tokens a day reached. Try again in 12m4s. See /settings/billing for more.' },
      'Limit of tokens a day reached. Try again in 12m4s. See /settings/billing for more.',
      true,
    ],
    [{ status: 402, message: 'Insufficient credits' }, 'Insufficient credits', false],
    [
      { status: 307, message: 'Moved', headers: { location: 'https://other.example/v1' } },
      'The model endpoint redirects (status 307) to https://other.example/v1. Set the address that answers.',
      false,
    ],
  ]
  for (const [plan, message, retryable] of cases) {
    endpoint.plan(plan)
    const reply = await compatible().ask(request(), never)
    assert.equal(
      [reply.kind, reply.kind === 'failed' && [reply.message, reply.retryable]],
      ['failed', [message, retryable]],
    )
  }
})

odd(
  '[L48] properties whose names an endpoint does not take have other names on the wire, and their own in the reply',
  async () => {
    const names = ['Preis (€)', 'ok', 'Größe in cm', 'x'.repeat(70)]
    const tools = [
      {
        name: 'finish',
        description: 'Ends.',
        schema: {
          type: 'object',
          properties: {
            output: {
              type: 'object',
              properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
              required: names,
            },
          },
        },
      },
    ]
    const kind = KINDS.find(({ name }) => name === 'anthropic')
    endpoint.plan(({ body }): Plan => {
      const sent = Object.keys(body.tools?.[0]?.input_schema?.properties?.output?.properties ?? {})
      if (sent.some((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))) {
        return {
          status: 400,
          message:
            "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
        }
      }
      assert.equal(Object.values(body.tools?.[0]?.input_schema?.properties?.output?.required ?? {}), sent)
      return { calls: [{ tool: 'finish', input: { output: Object.fromEntries(sent.map((name) => [name, 'v'])) } }] }
    })
    const { calls } = replied(
      (await kind?.open(endpoint).ask(request({ tools }), never)) ?? {
        kind: 'failed',
        message: '',
        rateLimited: false,
        retryable: false,
        retryAfterMs: null,
      },
    )
    assert.equal(calls, [{ tool: 'finish', input: { output: Object.fromEntries(names.map((name) => [name, 'v'])) } }])
  },
)

odd.run()
