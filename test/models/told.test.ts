import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LESSONS } from '../../src/models/dialect/lessons.ts'
import { toldWaitMs } from '../../src/models/told-wait.ts'
import { roomForReply, tooLong } from '../../src/models/too-long.ts'
import { FORM } from '../../src/models/wire/form.ts'
import { request } from './conversation.ts'

const test = suite('models: what endpoints say')

/** `null`: too long, without a number that says of what; `false`: another refusal. */
const LENGTHS: readonly (readonly [said: string, window: number | null | false])[] = [
  ['prompt is too long: 212345 tokens > 200000 maximum', 200_000],
  ["This model's maximum context length is 128000 tokens. However, you requested 130384 tokens.", 128_000],
  ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
  ['the request exceeds the available context size. try increasing the context size or enable context shift', null],
  ['{"message":"request (40000 tokens) exceeds the available context size (8192 tokens)","n_ctx":8192}', 8_192],
  ['Input is too long for requested model.', null],
  ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length', 200_000],
  ['Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 32_768],
  ['`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens', 4_096],
  ['Please reduce the length of the messages or completion.', null],
  ['Range of input length should be [1, 30720]', 30_720],
  ['Your request exceeded model token limit: 131072 (requested: 140000)', 131_072],
  ['The number of tokens to keep from the initial prompt is greater than the context length', null],
  ["This endpoint's maximum context length is 163840 tokens. However, you requested about 200000 tokens", 163_840],
  ['The total tokens 40,000 is larger than the window 32,768', 32_768],
  ['{"code":"context_length_exceeded"}', null],
  // Dates in names of models, ids and statuses are no windows.
  ['The maximum context length of gpt-4o-2024-08-06 is 128000 tokens, you requested 140000 tokens', 128_000],
  ['gpt-4-turbo-1106: context length limit of gpt-4-1106 is 128,000 tokens, not 131,072 tokens', 128_000],
  ['{"message":"input is too long: maximum 32768 tokens, got 40000","type":"max-2025-11-29","code":4000}', 32_768],
  ['prompt is too long: 212345 tokens > 200000 maximum (request req_0111-1234 at 2026-11-29T04:22:11)', 200_000],
  ['messages: field required', false],
  ['Unknown model', false],
  ['tools.3.name: length must be at most 64', false],
  ['image dimensions exceed max allowed size: 8000 pixels', false],
  ['Invalid value for temperature: 3', false],
]

for (const [said, window] of LENGTHS) {
  test(`[L19] ${window === false ? 'is not too long' : 'is too long'}: “${said.slice(0, 60)}”`, () => {
    const found = tooLong(said)
    assert.is(found === null ? false : found.window, window)
  })
}

test('[L19] how long a reply may still be, where the endpoint counts', () => {
  assert.is(roomForReply('input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000'), 11_760)
  assert.is(
    roomForReply(
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion).",
    ),
    3_192,
  )
  assert.is(roomForReply('max_tokens must be positive'), null)
})

test('[L50] a refusal of megabytes is read in no time', () => {
  for (const part of ['1', '1 + ', 'image ', 'tool ', 'properties ', ' ', 'max_tokens 1,']) {
    const said = part.repeat(2_000_000 / part.length)
    const before = process.cpuUsage().user
    for (const { refusal, change } of LESSONS) if (refusal.test(said.slice(0, 4_000))) change(FORM, said, request())
    tooLong(said)
    roomForReply(said)
    toldWaitMs({}, `wait${said}`, 0)
    assert.ok(process.cpuUsage().user - before < 1_000_000, part)
  }
})

const NOW = 1_700_000_000_000
const WAITS: readonly (readonly [headers: Record<string, string>, body: string, ms: number | null])[] = [
  [{}, 'Rate limit. Please try again in 6s.', 6_000],
  [{}, 'Please try again in 1m20s', 80_000],
  [{}, 'Please retry in 34.074824224s.', 34_075],
  [{}, 'Retry after 20 seconds', 20_000],
  [{}, 'try again in 250ms', 250],
  [{}, 'Please wait 2 minutes and 5 seconds before the next request', 125_000],
  [{ 'retry-after': '7' }, '', 7_000],
  [{ 'retry-after': new Date(NOW + 5_000).toUTCString() }, '', 5_000],
  [{ 'retry-after-ms': '1234', 'retry-after': '2' }, '', 1_234],
  [
    {
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-tokens': '6m0s',
      'x-ratelimit-remaining-tokens': '10',
    },
    '',
    1_000,
  ],
  [{ 'x-ratelimit-reset': String(NOW / 1_000 + 60), 'x-ratelimit-remaining': '0' }, '', 60_000],
  [{ 'x-ratelimit-reset': String(NOW + 60), 'x-ratelimit-remaining': '0' }, '', 60],
  [
    {
      'anthropic-ratelimit-tokens-reset': new Date(NOW + 40_000).toISOString(),
      'anthropic-ratelimit-tokens-remaining': '0',
    },
    '',
    40_000,
  ],
  [{}, '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "34.5s"}]}}', 34_500],
  [{}, 'Too many requests', null],
  [{}, 'Please retry your request later', null],
  [{ 'retry-after': 'soon' }, 'try again in a moment', null],
  [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-remaining-requests': '5' }, '', null],
]

for (const [headers, body, ms] of WAITS) {
  test(`[L20] a wait of ${ms ?? 'no'} ms is read from ${JSON.stringify(headers)} ${body.slice(0, 50)}`, () => {
    assert.is(toldWaitMs(headers, body, NOW), ms)
  })
}

test.run()
