import {
  type AnyActor,
  type AnyEventObject,
  type AnyMachineSnapshot,
  __unsafe_getAllOwnEventDescriptors as eventsOf,
} from 'xstate'
import { type ActorKind, type Address, parseAddress } from '../../machines/addresses.ts'
import type { Ms } from '../../machines/records.ts'
import { messageOf } from '../runtime/effects.ts'
import type { Clock, Log } from '../runtime/ports.ts'
import type { Watch } from '../runtime/registry.ts'
import {
  type ActorHistory,
  lineOf,
  messagesAround,
  shownTransition,
  snapshotOf,
  taskIdOf,
  traceOf,
} from './actor-history.ts'
import { ENDED_ACTORS_KEPT_MAX, TRACE_TRANSITIONS_MAX, TRANSITIONS_KEPT_MAX, WATCH_LINGER_MS } from './limits.ts'
import { heldUntilLook, redacted } from './redaction.ts'
import type { ActorDetail, ActorLine } from './shown.ts'
import { eventName, stateName, statesOf } from './state-format.ts'

/** Called for every watched transition and every end, at once: it must be quick. What it throws is logged. */
export interface Viewer {
  moved(address: Address, event: AnyEventObject, snapshot: AnyMachineSnapshot, from: Address | null): void
  gone?(address: Address): void
}

export interface InspectionOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
  /** A task ended: `trace` gives its `Trace` as JSON, of which the first part may be missing. */
  readonly onTrace?: (taskId: string, trace: () => string) => void
}

const BEGUN: AnyEventObject = { type: 'xstate.init' }

/** Watched from their beginning to their end: their transitions are the replay of a task, and are measured. */
const ALWAYS_WATCHED: ReadonlySet<ActorKind> = new Set(['task', 'closing'])

/**
 * What the actors do, for the inspector, metrics and replay. Tasks and their closings are watched always; the others
 * while somebody looks, and a little longer, so that a page may load again. Bounded for each
 * actor and in all.
 */
export class Inspection implements Watch {
  readonly #options: InspectionOptions
  /** The running actors, and those that ended recently while the inspector was open. */
  readonly #actors = new Map<Address, ActorHistory>()
  /** Those of them that have ended, oldest first. */
  readonly #ended: ActorHistory[] = []
  readonly #viewers = new Set<Viewer>()
  /** Whether every actor is watched, by how many viewers, and since when by none. */
  #watchesAll = false
  watchers = 0
  #unwatchedAt: Ms = 0
  #seq = 0

  constructor(options: InspectionOptions) {
    this.#options = options
  }

  started(address: Address, supervisor: Address | null, actor: AnyActor, registry: ActorHistory['registry']): void {
    const { actorKind: kind, id } = parseAddress(address)
    const workspaceId = kind === 'workspace' ? id : this.#workspaceUnder(supervisor)
    const startedAt = this.#options.clock.now()
    const isWatched = this.#watchesAll || ALWAYS_WATCHED.has(kind)
    const begun = { startedAt, since: isWatched ? startedAt : null, transitions: [], endedAt: null, unwatch: null }
    const history: ActorHistory = { address, kind, workspaceId, supervisor, actor, registry, ...begun }
    this.#actors.set(address, history)
    if (isWatched) this.#observe(history)
  }

  gone(address: Address, isStopped: boolean): void {
    const history = this.#actors.get(address)
    if (!history || history.endedAt !== null) return
    const { kind, transitions } = history
    history.endedAt = this.#options.clock.now()
    history.unwatch?.()
    if (kind === 'task') {
      // [M4] One that goes on elsewhere has its trace there, and may have ended long ago.
      if (!isStopped) this.#options.onTrace?.(parseAddress(address).id, () => JSON.stringify(traceOf(transitions)))
      history.transitions = transitions.slice(-TRANSITIONS_KEPT_MAX)
    }
    if (this.#watchesAll) this.#ended.push(history)
    else this.#forget(history)
    if (this.#ended.length > ENDED_ACTORS_KEPT_MAX) this.#forget(this.#ended.shift())
    this.#tell(address, (viewer) => viewer.gone?.(address))
  }

  /** Calls `viewer` for what is watched always, until the function that it returns is called. */
  follow(viewer: Viewer): () => void {
    this.#viewers.add(viewer)
    return () => void this.#viewers.delete(viewer)
  }

  /** Watches every actor for `viewer`, until the function that it returns is called. */
  watch(viewer: Viewer): () => void {
    this.watchers++
    this.#watchesAll = true
    for (const history of this.#actors.values()) if (history.endedAt === null) this.#observe(history)
    this.#viewers.add(viewer)
    return () => {
      if (!this.#viewers.delete(viewer)) return
      this.watchers--
      this.#unwatchedAt = this.#options.clock.now()
    }
  }

  /** The workspace of an actor; `null` for the service's own, `undefined` for one that is not known. */
  workspaceOf(address: string): string | null | undefined {
    return this.#actors.get(address as Address)?.workspaceId
  }

  /** Whether the two are the same actor, or work on the same task. */
  related(one: string, other: string): boolean {
    if (one === other) return true
    const [first, second] = [one, other].map((address) => this.#actors.get(address as Address))
    const taskId = first ? taskIdOf(first) : null
    return taskId !== null && second !== undefined && taskId === taskIdOf(second)
  }

  /** The snapshots of all running actors. */
  *live(): Iterable<{ address: Address; snapshot: AnyMachineSnapshot }> {
    for (const history of this.#actors.values()) {
      if (history.endedAt === null) yield { address: history.address, snapshot: snapshotOf(history) }
    }
  }

  /** All running actors of the workspaces that `sees` allows, oldest first. */
  lines(sees: (workspaceId: string | null) => boolean): ActorLine[] {
    const alive = [...this.#actors.values()].filter(({ endedAt }) => endedAt === null)
    return alive.filter(({ workspaceId }) => sees(workspaceId)).map(lineOf)
  }

  /** `null` for one that does not run. */
  line(address: string): ActorLine | null {
    const history = this.#actors.get(address as Address)
    return history?.endedAt === null ? lineOf(history) : null
  }

  /** Of transitions and messages only what came after `seq`. */
  detail(address: string, seq = -1): ActorDetail | null {
    const history = this.#actors.get(address as Address)
    if (!history) return null
    const { startedAt, endedAt, supervisor } = history
    const snapshot = snapshotOf(history)
    const isNew = (each: { readonly seq: number }) => each.seq > seq
    return {
      ...lineOf(history),
      startedAt,
      endedAt,
      supervisor,
      states: statesOf(snapshot.value),
      accepts: endedAt === null ? [...new Set(eventsOf(snapshot).map(eventName))].sort() : [],
      context: redacted(snapshot.context),
      transitions: history.transitions.slice(-TRANSITIONS_KEPT_MAX).filter(isNew).map(shownTransition),
      messages: messagesAround(history, this.#actors).filter(isNew),
    }
  }

  #observe(history: ActorHistory): void {
    if (history.unwatch) return
    const { actor, registry, kind } = history
    let state = stateName(snapshotOf(history).value)
    let event = BEGUN
    // Of what is watched always every event comes through the registry, which knows it. The others have timers of their
    // own, of which only `inspect` tells; it makes an object of each event, step and snapshot.
    const events = ALWAYS_WATCHED.has(kind)
      ? null
      : actor.system.inspect((inspected) => {
          if (inspected.type === '@xstate.event' && inspected.actorRef === actor) event = inspected.event
        })
    const snapshots = actor.subscribe({
      next: (snapshot) => {
        const next = stateName(snapshot.value)
        if (next !== state) history.since = this.#options.clock.now()
        state = next
        this.#moved(history, events ? event : (registry.event ?? BEGUN), snapshot)
      },
      error: () => {},
    })
    history.unwatch = () => {
      events?.unsubscribe()
      snapshots.unsubscribe()
      history.unwatch = null
    }
  }

  #moved(history: ActorHistory, event: AnyEventObject, snapshot: AnyMachineSnapshot): void {
    const { address, kind, registry, transitions } = history
    const at = this.#options.clock.now()
    const from = registry.sender
    const carried = heldUntilLook(event)
    transitions.push({ seq: this.#seq++, at, event: event.type, from, value: snapshot.value, carried })
    // A trace is longer than what is shown, and has no payloads.
    const old = transitions.at(-TRANSITIONS_KEPT_MAX - 1)
    if (old) old.carried = null
    if (transitions.length > (kind === 'task' ? TRACE_TRANSITIONS_MAX : TRANSITIONS_KEPT_MAX)) transitions.shift()
    this.#tell(address, (viewer) => viewer.moved(address, event, snapshot, from))
    if (this.#watchesAll && this.watchers === 0 && at - this.#unwatchedAt > WATCH_LINGER_MS) this.#rest()
  }

  /** The last viewer has gone. */
  #rest(): void {
    this.#watchesAll = false
    for (const ended of this.#ended.splice(0)) this.#forget(ended)
    for (const history of this.#actors.values()) {
      if (ALWAYS_WATCHED.has(history.kind)) continue
      history.unwatch?.()
      history.transitions = []
      history.since = null
    }
  }

  #tell(address: Address, call: (viewer: Viewer) => void): void {
    for (const viewer of this.#viewers) {
      try {
        call(viewer)
      } catch (error) {
        this.#options.log.warn({ address, err: messageOf(error) }, 'A viewer of the actors failed')
      }
    }
  }

  #workspaceUnder(supervisor: Address | null): string | null {
    if (supervisor === null) return null
    const { actorKind, id } = parseAddress(supervisor)
    return actorKind === 'workspace' ? id : (this.#actors.get(supervisor)?.workspaceId ?? null)
  }

  #forget(history: ActorHistory | undefined): void {
    if (history && this.#actors.get(history.address) === history) this.#actors.delete(history.address)
  }
}
