import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HOUR_MS } from '../../machines/limits.ts'
import { openDialect } from '../../src/models/dialect/dialect.ts'
import { LESSONS } from '../../src/models/dialect/lessons.ts'
import { EndpointRefusal } from '../../src/models/failure.ts'
import { openFetch } from '../../src/models/fetch.ts'
import { usageOf } from '../../src/models/generated.ts'
import { compatibleProvider } from '../../src/models/openai-compatible.ts'
import type { Provider } from '../../src/models/provider.ts'
import { FORM } from '../../src/models/wire/form.ts'
import { type Body, type ModelEndpoint, openModelEndpoint, type Plan } from '../support/model-endpoint.ts'
import { CONVERSATION, IMAGE, never, replied, request } from './conversation.ts'
import { KINDS } from './kinds.ts'

/** One refusal as an endpoint words it, and what the next request shows. */
interface Case {
  readonly kind: 'anthropic' | 'openai-compatible' | 'openai at a base URL'
  readonly says: string
  readonly status?: number
  /** Whether a request has what is refused. */
  readonly refused: (body: string) => boolean
  readonly lesson: string
  readonly asked?: Parameters<typeof request>[0]
}

const has = (part: string | RegExp) => (body: string) => new RegExp(part).test(body)
const JSON_ASKED = { tools: [], messages: CONVERSATION.slice(0, 1), json: { type: 'object', properties: { a: {} } } }
const AFTER_RESULTS = { messages: [...CONVERSATION, { role: 'user' as const, text: 'Be brief.' }] }
const WITH_ALTERNATIVES = {
  tools: [
    {
      name: 'navigate',
      description: 'Opens a page.',
      schema: {
        type: 'object',
        properties: { to: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'number' }] }, kind: { const: 'page' } },
      },
    },
  ],
}

const CASES: readonly Case[] = [
  {
    kind: 'anthropic',
    says: 'Thinking may not be enabled when tool_choice forces tool use.',
    refused: has('"tool_choice"'),
    lesson: 'this endpoint is not told which tool a reply has to call',
    asked: { mustCall: 'navigate' },
  },
  {
    kind: 'openai-compatible',
    says: '"tool_choice" must be "auto" or "none" for this model',
    refused: has('"tool_choice"'),
    lesson: 'this endpoint is not told which tool a reply has to call',
    asked: { mustCall: 'navigate' },
  },
  {
    kind: 'openai-compatible',
    says: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    refused: has('"max_tokens"'),
    lesson: 'the length of a reply is called max_completion_tokens here',
  },
  {
    kind: 'anthropic',
    says: 'max_tokens: 777 > 512, which is the maximum allowed number of output tokens for this model',
    refused: has('"max_tokens":777'),
    lesson: 'replies are shorter here than was asked for',
  },
  {
    kind: 'openai-compatible',
    says: 'max_tokens is too large: 777. This model supports at most 400 completion tokens.',
    refused: has('"max_tokens":777'),
    lesson: 'replies are shorter here than was asked for',
  },
  {
    kind: 'openai-compatible',
    says: 'Unrecognized request argument supplied: reasoning_effort',
    refused: has('reasoning_effort'),
    lesson: 'this endpoint is not told how hard to think',
    asked: { effort: 'high' },
  },
  {
    kind: 'openai-compatible',
    says: "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'}]",
    status: 422,
    refused: has('stream_options'),
    lesson: 'streams do not tell tokens here when asked for them',
  },
  {
    kind: 'openai-compatible',
    says: 'Streaming is not supported for this model.',
    refused: has('"stream":true'),
    lesson: 'this endpoint sends no streams',
  },
  {
    kind: 'anthropic',
    says: 'system.0.cache_control: Extra inputs are not permitted',
    refused: has('cache_control'),
    lesson: 'this endpoint is not told what to keep in its prompt cache',
  },
  {
    kind: 'anthropic',
    says: 'tools.0.eager_input_streaming: Extra inputs are not permitted',
    refused: has('eager_input_streaming'),
    lesson: 'inputs of tools are streamed a field at a time here',
  },
  {
    kind: 'openai at a base URL',
    says: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    refused: has('json_schema'),
    lesson: 'JSON is asked for in another way here',
    asked: JSON_ASKED,
  },
  {
    kind: 'openai-compatible',
    says: "response_format: must be 'text'",
    refused: has('response_format'),
    lesson: 'JSON is asked for in another way here',
    asked: JSON_ASKED,
  },
  {
    kind: 'openai-compatible',
    says: 'This model does not support image input. Please use a vision model.',
    refused: has('image_url'),
    lesson: 'this endpoint takes no pictures',
  },
  {
    kind: 'openai-compatible',
    says: 'Failed to deserialize the JSON body: messages[7]: unknown variant `image_url`, expected `text`',
    status: 422,
    refused: has('image_url'),
    lesson: 'this endpoint takes no pictures',
  },
  {
    kind: 'openai-compatible',
    says: 'Input should be a valid string: body.messages.7.content.str',
    refused: has('image_url'),
    lesson: 'this endpoint takes no pictures',
  },
  {
    kind: 'anthropic',
    says: 'messages.4.content.0.tool_result: image content is not supported in a tool result',
    refused: (body) => /"content":\[\{"type":"text","text":"A screenshot."\},\{"type":"image"/.test(body),
    lesson: 'pictures are not part of a result here',
  },
  {
    kind: 'openai-compatible',
    says: 'Tool call id was id-1 but must be a-z, A-Z, 0-9, with a length of 9.',
    refused: has('"id-1"'),
    lesson: 'ids of calls have nine letters and digits here',
  },
  {
    kind: 'openai-compatible',
    says: "Unexpected role 'user' after role 'tool'",
    refused: (body) => !body.includes('Understood.'),
    lesson: 'a reply stands between results and the words of a user here',
    asked: AFTER_RESULTS,
  },
  {
    kind: 'openai-compatible',
    says: 'Conversation roles must alternate user/assistant/user/assistant/...',
    refused: (body) => !body.includes('Understood.'),
    lesson: 'a reply stands between results and the words of a user here',
    asked: AFTER_RESULTS,
  },
  {
    kind: 'openai-compatible',
    says: 'System role not supported',
    refused: has('"role":"system"'),
    lesson: 'the system prompt is the beginning of the first message here',
  },
  {
    kind: 'openai-compatible',
    says: 'Developer instruction is not enabled for models/gemma-3-27b-it',
    refused: has('"role":"system"'),
    lesson: 'the system prompt is the beginning of the first message here',
  },
  {
    kind: 'openai-compatible',
    says: "Invalid schema for function 'navigate': anyOf is not allowed in this context",
    refused: has('anyOf|const|format'),
    lesson: 'schemas of tools are simpler here',
    asked: WITH_ALTERNATIVES,
  },
]

const wire = suite('models: what a refusal teaches, on the wire')
let endpoint: ModelEndpoint
wire.before.each(async () => {
  endpoint = await openModelEndpoint()
})
wire.after.each(() => endpoint.close())

const bodyOf = (body: Body) => JSON.stringify(body)

for (const { kind, says, status = 400, refused, lesson, asked } of CASES) {
  wire(`[L48] ${kind}: “${says.slice(0, 70)}”`, async () => {
    const known = KINDS.find(({ name }) => name === kind)
    if (!known) throw new Error(kind)
    endpoint.plan(({ body }): Plan => (refused(bodyOf(body)) ? { status, message: says } : { text: 'Done.' }))
    const told: string[] = []
    const log = { debug() {}, info() {}, error() {}, warn: (_: unknown, text: string) => void told.push(text) }
    const model = known.open(endpoint, log)
    const wanted = request({ effort: null, ...asked })
    assert.is(replied(await model.ask(wanted, never)).text, 'Done.')
    assert.is(replied(await model.ask(wanted, never)).text, 'Done.')
    // One was refused, one was taken, and the next began in the form that was taken.
    assert.equal(
      endpoint.requests.map(({ body }) => refused(bodyOf(body))),
      [true, false, false],
    )
    assert.equal(told, [`The model endpoint was asked in another form: ${lesson}`])
    assert.equal(model.lessons?.(), [lesson])
  })
}

wire('[L48] three things refused one after the other are learnt by one request, a fourth is final', async () => {
  const refusals = [
    [has('stream_options'), 'stream_options: unknown field'],
    [has('image_url'), 'image input is not supported'],
    [has('"max_tokens"'), "Use 'max_completion_tokens' instead."],
    [has('"id-1"'), 'tool_call_id must have a length of 9'],
  ] as const
  for (const count of [3, 4]) {
    const before = endpoint.requests.length
    endpoint.plan(({ body }): Plan => {
      const found = refusals.slice(0, count).find(([refused]) => refused(bodyOf(body)))
      return found ? { status: 400, message: found[1] } : { text: 'Done.' }
    })
    const model = KINDS.find(({ name }) => name === 'openai-compatible')?.open(endpoint)
    const reply = await model?.ask(request(), never)
    assert.is(reply?.kind, count === 3 ? 'reply' : 'failed')
    assert.is(endpoint.requests.length - before, 4)
  }
})

wire('[L48] a model that takes two pictures sees the newest two, and reads a note for the older ones', async () => {
  const messages = [
    { role: 'user' as const, text: 'Look.' },
    ...[1, 2, 3, 4].flatMap((at) => [
      {
        role: 'assistant' as const,
        text: '',
        calls: [{ id: `c${at}`, tool: 'computer', input: { action: 'screenshot' } }],
      },
      {
        role: 'tool' as const,
        results: [{ id: `c${at}`, tool: 'computer', text: `Shot ${at}.`, failed: false, image: IMAGE }],
      },
    ]),
  ]
  const images = (body: Body) => bodyOf(body).split('"image_url":{').length - 1
  endpoint.plan(
    ({ body }): Plan =>
      images(body) > 2 ? { status: 400, message: 'At most 2 images may be given in one request' } : { text: 'Done.' },
  )
  const model = KINDS.find(({ name }) => name === 'openai-compatible')?.open(endpoint)
  assert.is((await model?.ask(request({ messages }), never))?.kind, 'reply')
  const last = bodyOf(endpoint.requests.at(-1)?.body ?? {})
  assert.match(last, /Shot 1\.\\n\(There was a screenshot here/)
  assert.match(last, /Shot 2\.\\n\(There was a screenshot here/)
  assert.not.match(last, /Shot 3\.\\n/)
})

wire('[L48] a refusal that names nothing we know is final, in the provider’s own words', async () => {
  endpoint.plan({ status: 400, message: 'The moon is in the wrong phase.' })
  for (const kind of KINDS) {
    const reply = await kind.open(endpoint).ask(request(), never)
    assert.equal([reply.kind, reply.kind === 'failed' && reply.message], ['failed', 'The moon is in the wrong phase.'])
  }
  assert.is(endpoint.requests.length, KINDS.length)
})

wire('[L48] max_completion_tokens is given up for max_tokens, too', async () => {
  endpoint.plan(
    ({ body }): Plan =>
      body.max_completion_tokens === undefined
        ? { text: 'Done.' }
        : { status: 400, message: 'Extra inputs are not permitted: max_completion_tokens' },
  )
  const connection = { model: 'm', baseUrl: endpoint.baseUrl, apiKey: null, contextTokens: 100_000, fetch: openFetch() }
  const { ask, lessons } = openDialect(compatibleProvider(connection, { maxTokens: 'max_completion_tokens' }), () => {})
  await ask(request(), never, () => {})
  assert.equal(lessons(), ['the length of a reply is called max_tokens here'])
})

wire('[L48] reasoning that an endpoint does not take back is left out', async () => {
  const messages = [
    { role: 'user' as const, text: 'Go.' },
    {
      role: 'assistant' as const,
      text: 'I go.',
      calls: [],
      replay: {
        model: 'qwen3',
        parts: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'I go.' },
        ],
      },
    },
    { role: 'user' as const, text: 'On.' },
  ]
  const hasReasoning = has('reasoning_content')
  endpoint.plan(
    ({ body }): Plan =>
      hasReasoning(bodyOf(body)) ? { status: 400, message: 'unknown field reasoning_content' } : { text: 'Done.' },
  )
  const model = KINDS.find(({ name }) => name === 'openai-compatible')?.open(endpoint)
  replied((await model?.ask(request({ messages }), never)) ?? failedHere())
  assert.equal(model?.lessons?.(), ['reasoning does not go back to this endpoint'])
})

const compatible = () => KINDS.find(({ name }) => name === 'openai-compatible')?.open(endpoint) ?? failedHere()
const askedFor = () => endpoint.requests.map(({ body }) => body.max_tokens)

wire('[L50] the longest reply is read from the words: not from a status, the name of a model or an id', async () => {
  for (const message of [
    'max_tokens is too large: 16384. gpt-4-0613 supports at most 8192 completion tokens (code 400).',
    'max_tokens: 16384 > 8192, the maximum for claude-3-5-haiku-2024-10-22',
    '"max_tokens" 16384 exceeds 8192. Request id 0123-4567, "status":404, "code": 400',
    'At most 8,192 output tokens are allowed. {"code":400,"param":"max_tokens"}',
  ]) {
    const before = endpoint.requests.length
    endpoint.plan(({ body }): Plan => (Number(body.max_tokens) > 8_192 ? { status: 400, message } : { text: 'Done.' }))
    replied(await compatible().ask(request({ maxTokens: 16_384 }), never))
    assert.equal(askedFor().slice(before), [16_384, 8_192], message)
  }
})

wire('[L50] the room that one long request leaves for its reply is not the room of others', async () => {
  const message = 'input length and `max_tokens` exceed context limit: 199500 + 777 > 200000, decrease either'
  const model = compatible()
  endpoint.plan(
    ({ body }): Plan =>
      bodyOf(body).includes('Very long') && Number(body.max_tokens) !== 500
        ? { status: 400, message }
        : { text: 'Done.' },
  )
  const long = request({ messages: [{ role: 'user', text: 'Very long' }] })
  for (const each of [long, request(), long]) replied(await model.ask(each, never))
  assert.equal(askedFor(), [777, 500, 777, 777, 500])
  assert.equal(model.lessons?.(), [])
})

const BAD_REQUESTS: readonly (readonly [says: string, bad: Parameters<typeof request>[0], has: string])[] = [
  ['messages.4: Could not process image', {}, 'image_url'],
  ['messages.4: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes', {}, 'image_url'],
  ['Thinking may not be enabled when tool_choice forces this tool', { mustCall: 'navigate' }, '"tool_choice"'],
  ['The stream could not be opened', {}, '"stream":true'],
]
for (const [says, asked, sent] of BAD_REQUESTS) {
  wire(`[L50] what an endpoint takes of others is not given up for one request: “${says.slice(0, 40)}”`, async () => {
    const model = compatible()
    endpoint.plan(({ body }): Plan => {
      const text = bodyOf(body)
      return text.includes('A bad one') && text.includes(sent) ? { status: 400, message: says } : { text: 'Done.' }
    })
    const bad = request({ ...asked, system: 'A bad one' })
    for (const each of [request(asked), bad, request(asked)]) replied(await model.ask(each, never))
    assert.equal(
      endpoint.requests.map(({ body }) => bodyOf(body).includes(sent)),
      [true, true, false, true],
    )
    assert.equal(model.lessons?.(), [])
  })
}

const failedHere = (): never => {
  throw new Error('no model')
}

wire.run()

const kept = suite('models: what was learnt')

/** A provider that refuses streams, and the forms in which it was asked. */
function provider() {
  const asked: boolean[] = []
  const refusing: Provider = {
    form: FORM,
    inForm: (form) => async () => {
      asked.push(form.streams)
      if (form.streams) throw new EndpointRefusal(400, {}, '{"error":"no streaming here"}')
      return { content: [], finishReason: { unified: 'stop', raw: 'stop' }, usage: usageOf({}) }
    },
  }
  return { asked, refusing }
}

kept('[L48] is kept for a day, and told once', async () => {
  const { asked, refusing } = provider()
  const told: string[] = []
  let now = 0
  const { ask } = openDialect(
    refusing,
    (lesson) => told.push(lesson),
    () => now,
  )
  for (const at of [0, 1, 24 * HOUR_MS - 1, 24 * HOUR_MS]) {
    now = at
    await ask(request(), never, () => {})
  }
  assert.equal(asked, [true, false, false, false, true, false])
  assert.equal(told.length, 2)
})

/** Lessons that tests of their own show, here and in odd-replies. */
const ELSEWHERE = [
  'this endpoint takes only some pictures',
  'the length of a reply is called max_tokens here',
  'reasoning does not go back to this endpoint',
  'names of properties have letters, digits and few marks here',
]

kept('[L48] each lesson has its own words and a case on the wire', () => {
  const words = LESSONS.map((lesson) => lesson.words)
  const learnt = new Set([...CASES.map(({ lesson }) => lesson), ...ELSEWHERE])
  assert.equal(
    words.filter((each) => !learnt.has(each)),
    [],
  )
})

kept.run()
