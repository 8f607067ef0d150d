import type { Message, Model, ModelReply, ModelRequest, Toolbox } from '../../../actors/runtime/ports.ts'
import { TO_MODEL } from '../../../machines/texts.ts'
import type { Owner, Scheduler } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'

/** How the model behaves in a task; the word is the last one of the task's own text, which is the first line. */
export const TEMPERS = ['quick', 'mute', 'clumsy', 'long', 'stubborn', 'endless', 'sluggish'] as const
/** A temper, the tedious ones seldom. */
export const anyTemper = (random: Random): Temper =>
  random.chance(0.75)
    ? random.pick(['quick', 'mute', 'clumsy'])
    : random.chance(0.8)
      ? random.pick(['long', 'stubborn'])
      : random.pick(['endless', 'sluggish'])
/** `probe`: calls a tool once, and is done. */
export type Temper = (typeof TEMPERS)[number] | 'probe'

export interface ModelOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly broken: (how: string) => void
  /** How likely an attempt goes wrong just now, and how likely it ends in a throw. */
  readonly trouble: () => { readonly faults: number; readonly bugs: number }
  /** Nobody waits for more: it comes to an end sooner. */
  readonly hurried: () => boolean
  /** How long a reply takes at most; 2,500 when left out. */
  readonly replyMsMax?: number
}

/** A language model that answers, calls tools, falters, hangs, throws, and answers when nobody listens any more. */
export function simulatedModel(options: ModelOptions) {
  const { scheduler, random, broken, trouble, hurried, replyMsMax = 2_500 } = options
  const temperOf = ([first]: readonly Message[]): Temper =>
    first?.role === 'user' ? ((first.text.split('\n')[0]?.split(' ').at(-1) ?? 'quick') as Temper) : 'quick'

  /** Its JSON fits, or does not. */
  const output = () => ({ ok: random.chance(0.5) })

  function reply(request: ModelRequest): ModelReply {
    const temper = temperOf(request.messages)
    if (request.json) return said(JSON.stringify(output()), [])
    if (temper === 'probe')
      return request.messages.length > 1
        ? said('', [{ tool: 'finish', input: { success: true, answer: 'Done 4711.' } }])
        : said('', [{ tool: 'find', input: { query: 'probe' } }])
    const answers = { quick: 0.35, mute: 0.4, clumsy: 0.2, long: 0.08, stubborn: 0.02, endless: 0, sluggish: 0.01 }[
      temper
    ]
    const done = random.chance(hurried() && temper !== 'sluggish' && temper !== 'endless' ? 0.6 : answers)
    const text = temper === 'mute' ? '' : done ? `Done ${random.hex(4)}` : random.chance(0.5) ? 'Going on' : ''
    if (done && temper !== 'mute' && random.chance(0.6)) return said(text, [finish()])
    return said(text, done ? [] : calls(temper))
  }

  const said = (text: string, calls: { tool: string; input: unknown }[]): ModelReply => ({
    kind: 'reply',
    text,
    calls,
    inputTokens: random.whole(1, 900),
    outputTokens: random.whole(1, 90),
    model: 'simulated-1',
  })

  const finish = () => ({
    tool: 'finish',
    input: { success: random.chance(0.8), answer: `Finished ${random.hex(4)}`, output: output() },
  })

  function calls(temper: Temper) {
    if (temper === 'stubborn') return [{ tool: 'find', input: { query: 'the same' } }]
    return Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => {
      if (temper === 'clumsy' && random.chance(0.6)) return { tool: 'teleport', input: {} }
      return random.pick([
        { tool: 'navigate', input: { url: random.hex(6) } },
        { tool: 'read_page', input: { ref: random.hex(4) } },
        { tool: 'computer', input: { action: 'wait', duration: random.whole(1, 30) } },
        { tool: 'computer', input: { action: 'left_click', ref: random.hex(4) } },
        { tool: 'computer', input: { action: 'screenshot' } },
        random.chance(0.3) ? { tool: 'teleport', input: {} } : { tool: 'find', input: { query: random.hex(4) } },
      ])
    })
  }

  const failure = (): ModelReply => {
    const status = random.pick([429, 429, 500, 503, 400] as const)
    return {
      kind: 'failed',
      message: `Status ${status}.`,
      rateLimited: status === 429,
      retryable: status !== 400,
      retryAfterMs: status === 429 ? random.pick([null, 0, 2_000, 90_000]) : null,
    }
  }

  return (owner: Owner): Model => ({
    id: 'simulated',
    provider: 'simulation',
    ask(request, signal) {
      if (!request.json) wellFormed(request.messages, broken)
      const { faults, bugs } = trouble()
      if (random.chance(bugs / 2)) throw new Error('The model threw')
      const temper = temperOf(request.messages)
      const goesWrong = random.chance(faults)
      const hangs = goesWrong && random.chance(0.15)
      const heedsAbort = !goesWrong || random.chance(0.7)
      return new Promise<ModelReply>((resolve, reject) => {
        const ms = temper === 'sluggish' ? random.between(30_000, 118_000) : random.between(2, replyMsMax)
        const answer = () => {
          if (random.chance(bugs / 2)) reject(new Error('The model rejected'))
          else resolve(goesWrong && random.chance(0.7) ? failure() : reply(request))
        }
        if (!hangs) scheduler.after(goesWrong ? ms * random.between(1, 100) : ms, owner, 'model answers', answer)
        if (heedsAbort) {
          const abort = () => scheduler.after(0.1, owner, 'model aborted', () => reject(new Error('aborted')))
          signal.addEventListener('abort', abort, { once: true })
        }
      })
    },
  })
}

/** What the service itself tells the model between two steps: that it is to use `finish`, or that this is its last reply. */
const isTold = ({ role, ...message }: Message): boolean =>
  role === 'user' && 'text' in message && OWN_WORDS.some((text) => text === message.text)
const OWN_WORDS = [TO_MODEL.useFinish, ...(['budget', 'steps', 'time'] as const).map(TO_MODEL.lastCall)]

/** Every call of the model has exactly one result, in their order, before it is asked again. */
function wellFormed(messages: readonly Message[], broken: (how: string) => void): void {
  // [L47] What came of opening the task's address follows the task, and is read once.
  const [first, ...behind] = messages.filter((message) => !isTold(message))
  const rest = behind.filter((message, at) => at > 0 || message.role !== 'user' || !message.opened)
  if (first?.role !== 'user') broken('a conversation does not begin with its task')
  const reminders = messages.filter((message) => 'text' in message && message.text === TO_MODEL.useFinish)
  if (reminders.length > 1) broken('the model is reminded of finish twice')
  if (reminders.length > 0) return
  for (const [at, message] of rest.entries()) {
    if (message.role !== (at % 2 === 0 ? 'assistant' : 'tool')) broken(`message ${at + 1} is out of turn`)
    if (message.role !== 'assistant') continue
    const next = rest[at + 1]
    const results = next?.role === 'tool' ? next.results.map(({ id }) => id) : []
    if (message.calls.length === 0) broken('the model is asked again after its answer')
    if (message.calls.map(({ id }) => id).join() !== results.join()) {
      broken('the results that the model reads are not those of its calls')
    }
  }
}

/** What the model may call: `teleport` is not among it, a click needs a ref, and an output with `ok: false` does not fit. */
export const simulatedTools: Toolbox = {
  specs: () => SPECS,
  misfit: async () => null,
  check(tool, input, schema) {
    const given = input as Record<string, unknown>
    if (tool === 'finish') {
      const { output, ...rest } = given
      if (schema && (output as { ok?: unknown } | undefined)?.ok === true) return { ok: true, input: given }
      if (schema && given.success === true) return { ok: false, message: 'It does not fit', misfit: true }
      return { ok: true, input: rest }
    }
    return ['navigate', 'read_page', 'computer', 'find'].includes(tool)
      ? { ok: true, input: { ...given } }
      : { ok: false, message: `There is no tool ${tool}` }
  },
}
const SPECS = [{ name: 'finish', description: '', schema: {} }]
