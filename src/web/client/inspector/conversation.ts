import { isServed } from '../../../../machines/served-calls.ts'
import type { TaskEvent } from '../../../client/index.ts'
import { namesIn, wordsFor } from '../../../wire/tool-words.ts'
import { spaced, span } from '../format.ts'

/** Who takes part in a task, in the order of their columns. */
export const PARTIES = ['you', 'task', 'model', 'service', 'browser'] as const
export type Party = (typeof PARTIES)[number]

/** Something that one party told another. */
export interface Saying {
  readonly seq: number
  readonly at: number
  readonly from: Party
  readonly to: Party
  readonly words: string
  /** Of a request to the model: for which step. */
  readonly step?: number
}

const NOT_RUN = 'Not run'
/** Calls that no browser carries out: the question and the end that they lead to are told by events of their own. */
const TOLD_BY_OTHERS: ReadonlySet<string | null> = new Set(['ask_user', 'finish'])

/** [P38] The whole conversation of a task from its start, as its log tells it. */
export function conversationOf(events: readonly TaskEvent[]): readonly Saying[] {
  let names: ReadonlyMap<string, string> = new Map()
  /** Calls that the service carries out itself. */
  const served = new Set<string>()
  /** When calls began: with the way to the browser and back they take longer than in it. */
  const calledAt = new Map<string, number>()
  return events.flatMap((event): Saying[] => {
    const { seq, at } = event
    const say = (from: Party, to: Party, words: string): Saying[] => [{ seq, at, from, to, words }]
    switch (event.type) {
      case 'task.created':
        return say('you', 'task', `Do this: ${event.task}`)
      case 'task.queued':
        return say('task', 'you', `Waits in the queue, at place ${event.position}`)
      case 'step.started':
        return say('task', 'model', `Step ${event.step}: what is to be done?`).map((saying) => ({
          ...saying,
          step: event.step,
        }))
      case 'model.replied':
        return say('model', 'task', event.text.trim() === '' ? 'Use these tools' : event.text)
      case 'tool.called':
        if (TOLD_BY_OTHERS.has(event.tool)) return []
        calledAt.set(event.call_id, at)
        if (isServed(event)) served.add(event.call_id)
        return say(
          'task',
          served.has(event.call_id) ? 'service' : 'browser',
          wordsFor(event.tool, event.input, (ref) => names.get(ref) ?? null),
        )
      case 'tool.result': {
        names = namesIn(event.output, names)
        const { error } = event
        if (error?.startsWith(NOT_RUN) || TOLD_BY_OTHERS.has(event.tool)) return []
        const by = served.has(event.call_id) ? 'service' : 'browser'
        return say(
          by,
          'task',
          error === undefined
            ? `Done in ${span(at - (calledAt.get(event.call_id) ?? at - event.duration_ms))}`
            : `Failed: ${error}`,
        )
      }
      case 'answer.checked':
        return say('task', 'model', 'Check this answer before it counts')
      case 'input.requested':
        return say('task', 'you', event.message)
      case 'input.answered':
        return say('you', 'task', ANSWERS[event.action] ?? 'Answered')
      case 'message.received':
        return say('you', 'task', event.text)
      case 'browser.away':
        return say('browser', 'task', 'Went away')
      case 'browser.connected':
        return say('browser', 'task', 'Is connected')
      case 'file.downloaded':
        return say('browser', 'task', `Downloaded ${event.name}`)
      case 'task.ended':
        return say('task', 'you', endOf(event))
      case 'budget.warned':
        return say(
          'task',
          'model',
          `80 % of the budget is used: ${spaced(event.budget)}, ${event.used} of ${event.limit}`,
        )
      default:
        return []
    }
  })
}

/** What its user is asked and has not answered; `null`: nothing. */
export function questionOf(events: readonly TaskEvent[]): string | null {
  const last = events.findLast(({ type }) => /^(?:input\.requested|input\.answered|task\.ended)$/.test(type))
  return last?.type === 'input.requested' ? last.message : null
}

/** Its tool calls in words, by the address of their actors, which live only while they are under way. */
export const callsOf = (events: readonly TaskEvent[]): ReadonlyMap<string, string> =>
  new Map(
    events.flatMap((event) =>
      event.type === 'tool.called' ? [[`call:${event.call_id}`, `${event.tool} · step ${event.step}`]] : [],
    ),
  )

/** A tool call as the log of its task tells it. */
export interface Called {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly at: number
  /** `null`: it is under way. */
  readonly result: { readonly at: number; readonly output: string; readonly error: string | null } | null
}

/** One tool call, by the address of its actor; `null`: the log does not tell of it. */
export function calledOf(events: readonly TaskEvent[], address: string): Called | null {
  let called: Called | null = null
  for (const event of events) {
    if (!('call_id' in event) || `call:${event.call_id}` !== address) continue
    if (event.type === 'tool.called') called = { tool: event.tool, input: event.input, at: event.at, result: null }
    if (event.type === 'tool.result' && called !== null)
      called = { ...called, result: { at: event.at, output: event.output, error: event.error ?? null } }
  }
  return called
}

const ANSWERS: Readonly<Record<string, string>> = {
  accept: 'Agreed or answered',
  decline: 'Declined',
  cancel: 'Nobody answered in time',
}

/** Its answer, and what ended the task, where it was not its model with an answer. */
function endOf({ ended_by: by, cancelled_by: canceller, answer }: Extract<TaskEvent, { type: 'task.ended' }>): string {
  if (by === 'cancelled') return canceller ? `Stopped by a ${canceller.kind}` : 'Stopped'
  return `${by === 'completed' ? '' : `Ended by ${spaced(by)}. `}${answer || 'Ended without an answer'}`
}
