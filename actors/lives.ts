import type { AnyMachineSnapshot } from 'xstate'
import type { Address, Noun } from '../machines/addresses.ts'
import type { Ms } from '../machines/records.ts'
import { deadlineOf, eventName, stateName, statesOf } from './looks.ts'
import type { Move, Moves, Sender } from './moves.ts'

/** What is remembered of an actor. */
export interface Life {
  readonly address: Address
  readonly noun: Noun
  /** Stands for it in the moves of others. */
  readonly sender: Sender
  /** `null`: the service's own. */
  readonly workspaceId: string | null
  readonly supervisor: Address | null
  readonly startedAt: Ms
  taskId: string | null
  since: Ms
  readonly moves: Moves
  /** The state value that it is in, shared by all that are in it. */
  value: unknown
  snapshot: AnyMachineSnapshot | null
  /** The actor itself, for what its snapshot does not tell. */
  actor: object | null
  endedAt: Ms | null
}

/** An actor in a list. */
export interface ActorLine {
  readonly address: Address
  readonly state: string
  /** When it came into that state, and when it began. */
  readonly since: Ms
  readonly startedAt: Ms
  readonly deadlineAt: Ms | null
  readonly supervisor: Address | null
  readonly endedAt: Ms | null
}

/** An actor looked at closely. Nothing in it is a secret or came from a page. */
export interface ActorDetail extends ActorLine {
  /** Every state that it is in, outer first: `running`, `running.thinking`. */
  readonly states: readonly string[]
  readonly accepts: readonly string[]
  readonly context: unknown
  /** Oldest first. `duration`: how long it stayed in the state that the event led to; `null` while it does. */
  readonly transitions: readonly { at: Ms; event: string; state: string; duration: Ms | null }[]
  /** What went between it and those that work on the same task. */
  readonly messages: readonly { at: Ms; from: string; to: string; event: string }[]
}

/** A finished task's way, for replay: when, by which event, into which states. */
export type Trace = readonly (readonly [at: Ms, event: string, states: readonly string[]])[]

/** What a move says beside its time, by state value and event: machines have few of them. */
const words = new Map<unknown, Map<string, string>>()

/** A way as JSON. Every task leaves one, so what is the same in all of them is written once. */
export function traceText(moves: readonly Move[]): string {
  return `[${moves.map(({ at, event, value }) => `[${at},${wordsOf(event, value)}]`).join()}]`
}

function wordsOf(event: string, value: unknown): string {
  let known = words.get(value)
  if (!known) {
    known = new Map()
    words.set(value, known)
  }
  let said = known.get(event)
  if (said === undefined) {
    said = `${JSON.stringify(eventName(event))},${JSON.stringify(statesOf(value))}`
    known.set(event, said)
  }
  return said
}

export const lineOf = (life: Life): ActorLine => ({
  address: life.address,
  state: stateName(life.snapshot?.value),
  since: life.since,
  startedAt: life.startedAt,
  deadlineAt: life.endedAt === null && life.snapshot ? deadlineOf(life.snapshot, life.actor, life.since) : null,
  supervisor: life.supervisor,
  endedAt: life.endedAt,
})

/** The task that an actor works on, of those whose address does not say it. */
export function taskIdOf(noun: Noun, { context }: AnyMachineSnapshot): string | null {
  const taskId = noun === 'call' ? context.call?.taskId : noun === 'admission' ? context.taskId : null
  return typeof taskId === 'string' ? taskId : null
}
