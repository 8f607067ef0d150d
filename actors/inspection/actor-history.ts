import type { AnyActor, AnyEventObject, AnyMachineSnapshot } from 'xstate'
import { type ActorKind, type Address, parseAddress } from '../../machines/addresses.ts'
import type { Ms } from '../../machines/records.ts'
import type { Registry } from '../runtime/registry.ts'
import { TRANSITIONS_KEPT_MAX } from './limits.ts'
import { payloadOf } from './redaction.ts'
import type { ActorAbout, ActorLine, ShownMessage, ShownTransition, Trace } from './shown.ts'
import { causeOf, deadlineOf, eventName, stateName, statesOf } from './state-format.ts'

/** One event that an actor took, and the state that it led to. */
export interface Transition {
  /** Orders the transitions of all actors. */
  readonly seq: number
  readonly at: Ms
  readonly event: string
  /** The actor that posted the event; `null` for the edge, a timer or an effect. */
  readonly from: Address | null
  /** XState's state value. */
  readonly value: unknown
  /** The event with what it carried, not redacted: that is done when somebody looks. `null`: not kept any more. */
  carried: AnyEventObject | null
}

/** What is known of an actor. */
export interface ActorHistory {
  readonly address: Address
  readonly kind: ActorKind
  /** `null`: the service's own. */
  readonly workspaceId: string | null
  readonly supervisor: Address | null
  readonly actor: AnyActor
  readonly registry: Pick<Registry, 'sender' | 'event'>
  readonly startedAt: Ms
  /** When it entered its state; `null` if it was not watched then. */
  since: Ms | null
  /** The last ones that were watched, oldest first. */
  transitions: Transition[]
  endedAt: Ms | null
  /** Stops watching the actor; `null` while it is not watched. */
  unwatch: (() => void) | null
}

export const shownTransition = ({ seq, at, event, from, value, carried }: Transition): ShownTransition => ({
  seq,
  at,
  event: eventName(event),
  from: from ?? causeOf(event),
  state: stateName(value),
  states: statesOf(value),
  payload: payloadOf(carried),
})

export const traceOf = (transitions: readonly Transition[]): Trace =>
  transitions.map(({ at, event, value }) => [at, eventName(event), statesOf(value)])

export const snapshotOf = ({ actor }: ActorHistory) => actor.getSnapshot() as AnyMachineSnapshot

export function lineOf(history: ActorHistory): ActorLine {
  const { address, actor, since, endedAt } = history
  const snapshot = snapshotOf(history)
  const deadlineAt = endedAt === null ? deadlineOf(snapshot, actor, since) : null
  const about = aboutOf(history.kind, snapshot.context)
  return { address, state: stateName(snapshot.value), since, deadlineAt, ...(about ? { about } : {}) }
}

function aboutOf(kind: ActorKind, context: AnyMachineSnapshot['context']): ActorAbout | null {
  if (kind === 'call' && context?.call) return { taskId: context.call.taskId, tool: context.call.tool }
  if (kind === 'delivery' && context?.endpointId) return { endpointId: context.endpointId }
  return kind === 'task' && context?.pausedBy?.length > 0 ? { pausedBy: context.pausedBy } : null
}

/** The task that an actor works on; `null` for one that works on none, or on several. */
export function taskIdOf(history: ActorHistory): string | null {
  const { kind, address } = history
  if (kind === 'task' || kind === 'closing') return parseAddress(address).id
  return kind === 'call' ? (snapshotOf(history).context?.call?.taskId ?? null) : null
}

/**
 * Messages among the actors that work on one task, and from these to their supervisors; else those to this actor.
 * Oldest first.
 */
export function messagesAround(
  history: ActorHistory,
  actors: ReadonlyMap<Address, ActorHistory>,
): readonly ShownMessage[] {
  const taskId = taskIdOf(history)
  // Most actors are of another workspace: that check is cheap.
  const isRelated = (each: ActorHistory) => each.workspaceId === history.workspaceId && taskIdOf(each) === taskId
  const related = taskId === null ? [history] : [...actors.values()].filter(isRelated)
  const addresses = new Set(related.map(({ address }) => address))
  const receivers = new Set(
    related.flatMap(({ address, supervisor }) => (supervisor ? [address, supervisor] : [address])),
  )
  return [...receivers]
    .flatMap((to) => (actors.get(to)?.transitions ?? []).map((transition) => ({ ...transition, to })))
    .filter(({ to, from }) => addresses.has(to) || (from !== null && addresses.has(from)))
    .filter(({ event, from }) => event !== 'xstate.init' || from !== null)
    .sort((a, b) => a.seq - b.seq)
    .slice(-TRANSITIONS_KEPT_MAX)
    .map(({ seq, at, from, to, event }) => ({ seq, at, from: from ?? causeOf(event), to, event: eventName(event) }))
}
