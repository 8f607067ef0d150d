import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Message } from '../actors/runtime/ports.ts'
import { beforeRoot, ROOT } from './harness/cache.ts'

/**
 * What the input of a task of 50 steps costs with a provider's prompt cache, simulated: what a request has in common
 * with the one before, from its start, is read at 0.1 of the price, the rest is written at 1.25. The first version is
 * given what its model read: a short sentence for an action, and the page in every second step, since an action did not
 * show its effect. This version is given what it reads: the change in every step. Both take a screenshot in every fourth.
 *
 *   node --import tsx eval/history.ts
 *
 * The exit code is 1 when it costs more than COST_MAX of the first version, or less than CACHED_MIN of it is read.
 */
const COST_MAX = 0.25
const CACHED_MIN = 0.85
const STEPS = 50
const FIXED_TOKENS = 5_000
const IMAGE_TOKENS = 1_500
const CONTEXT_TOKENS = 200_000
const [READ, WRITTEN] = [0.1, 1.25]
const PAGE_CHARS = 24_000
const SENTENCE_CHARS = 100
const CHANGES_CHARS = 6_000

interface Conversation {
  readonly messages: readonly Message[]
  addReply(entry: object): void
  addResult(entry: object, image: string | null): void
}

const tokens = (message: Message): number => {
  const images = message.role === 'tool' ? message.results.filter(({ image }) => image !== null).length : 0
  return JSON.stringify(message).length / 4 + images * IMAGE_TOKENS
}

/** Plays the task; `chars` says how long the result of a step is. */
async function play(root: string, chars: (step: number) => number) {
  // The first version had the file one folder up.
  const path = ['actors/conversation/conversation.ts', 'actors/conversation.ts'].find((path) =>
    existsSync(`${root}/${path}`),
  )
  const { Conversation } = await import(pathToFileURL(`${root}/${path}`).href)
  const record = { task: 'Order the tea', url: null, context: null, createdAt: 0 }
  const conversation: Conversation = new Conversation(record, CONTEXT_TOKENS)
  let sent: readonly Message[] = []
  let [read, written] = [0, 0]
  for (let step = 1; step <= STEPS; step++) {
    const messages = [...conversation.messages]
    const common = messages.findIndex((message, at) => message !== sent[at])
    const same = common < 0 ? messages.length : common
    const [before, after] = [messages.slice(0, same), messages.slice(same)]
    const readNow = (step > 1 ? FIXED_TOKENS : 0) + sum(before.map(tokens))
    const writtenNow = (step > 1 ? 0 : FIXED_TOKENS) + sum(after.map(tokens))
    read += readNow
    written += writtenNow
    sent = messages
    const screenshot = step % 4 === 0 ? step / 4 - 1 : null
    const usage = { inputTokens: Math.round(readNow + writtenNow), outputTokens: 80, apiCalls: 1 }
    const calls = [
      { requestId: `r${step}`, tool: 'computer', input: { action: 'left_click', ref: 'e1' }, refusal: null },
    ]
    conversation.addReply({ kind: 'reply', step, text: 'I go on.', calls, usage, model: 'm', at: 0 })
    const text = `${step} ${'x'.repeat(chars(step))}`
    const result = { kind: 'result', step, requestId: `r${step}`, tool: 'computer', text, failed: false, screenshot }
    conversation.addResult({ ...result, durationMs: 1, at: 0 }, screenshot === null ? null : 'aW1hZ2U=')
  }
  return { cost: read * READ + written * WRITTEN, input: read + written, cached: read / (read + written) }
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

const first = await play(await beforeRoot(), (step) => (step % 2 === 0 ? PAGE_CHARS : SENTENCE_CHARS))
const now = await play(ROOT, () => CHANGES_CHARS)
const thousands = (value: number) => `${Math.round(value / 1_000)}k`
for (const [name, { cost, input, cached }] of [
  ['first version', first],
  ['now', now],
] as const) {
  console.log(
    `${name}: ${thousands(input)} tokens of input, ${(cached * 100).toFixed(0)} % cached, cost ${thousands(cost)} fresh tokens`,
  )
}
console.log(`cost now / first version: ${(now.cost / first.cost).toFixed(2)}`)
if (now.cost > first.cost * COST_MAX || now.cached < CACHED_MIN) process.exitCode = 1
