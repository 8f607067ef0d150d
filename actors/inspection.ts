import { type AnyEventObject, type AnyMachineSnapshot, __unsafe_getAllOwnEventDescriptors as eventsOf } from 'xstate'
import { type Address, NOUNS, type Noun, parseAddress } from '../machines/addresses.ts'
import { ENDED_ACTORS_KEPT_MAX, TRACE_TRANSITIONS_MAX, TRANSITIONS_KEPT_MAX } from '../machines/limits.ts'
import type { Ms } from '../machines/records.ts'
import { type ActorDetail, type ActorLine, type Life, lineOf, taskIdOf, traceText } from './lives.ts'
import { eventName, partnerOf, stateName, statesOf } from './looks.ts'
import { later, Moves, type Sender, sharedValue } from './moves.ts'
import type { Clock } from './ports.ts'
import { redacted } from './redaction.ts'
import type { Watch } from './watched-registry.ts'

/** Told of every move and every end, at once: what it does must be little. */
export interface Viewer {
  moved(address: Address, event: AnyEventObject, snapshot: AnyMachineSnapshot, from: Address | null): void
  gone?(address: Address): void
}

export interface InspectionOptions {
  readonly clock: Pick<Clock, 'now'>
  /** A task is over: its way from beginning to end, of which the first part may be missing, as JSON of a `Trace`. */
  readonly onTrace?: (taskId: string, trace: () => string) => void
}

/** With its kind, the number of an actor is a cell of 32 bits. */
const NUMBERS = 2 ** 29

/**
 * What the actors did lately, for those who look. Bounded for each actor and in all; with nobody looking, a move
 * writes five numbers.
 */
export class Inspection implements Watch {
  readonly #options: InspectionOptions
  readonly #lives = new Map<Address, Life>()
  readonly #bySender = new Map<Sender, Life>()
  /** Those that ended lately, written over from the oldest on. */
  readonly #ended: (Life | undefined)[] = []
  readonly #ofTask = new Map<string, Set<Life>>()
  #viewers: readonly Viewer[] = []
  #seq = 0
  #ends = 0
  #births = 0

  constructor(options: InspectionOptions) {
    this.#options = options
  }

  started(address: Address, supervisor: Address | null): void {
    const before = this.#lives.get(address)
    if (before) this.#forget(before)
    const { noun, id } = parseAddress(address)
    const workspaceId = noun === 'workspace' ? id : this.#workspaceUnder(supervisor)
    const now = this.#options.clock.now()
    const life: Life = {
      address,
      noun,
      sender: this.#freeSender(noun),
      workspaceId,
      supervisor,
      startedAt: now,
      taskId: null,
      since: now,
      moves: new Moves(noun === 'task' ? TRACE_TRANSITIONS_MAX : TRANSITIONS_KEPT_MAX),
      value: undefined,
      snapshot: null,
      actor: null,
      endedAt: null,
    }
    if (noun === 'task' || noun === 'closing') this.#worksOn(life, id)
    this.#lives.set(address, life)
    this.#bySender.set(life.sender, life)
  }

  moved(
    address: Address,
    event: AnyEventObject,
    snapshot: AnyMachineSnapshot,
    from: Address | null,
    actor: object,
  ): void {
    const life = this.#lives.get(address)
    if (!life) return
    const at = this.#options.clock.now()
    if (life.taskId === null && life.snapshot === null) this.#worksOn(life, taskIdOf(life.noun, snapshot))
    const value = sharedValue(snapshot.value)
    if (value !== life.value) {
      life.since = at
      life.value = value
    }
    life.snapshot = snapshot
    life.actor = actor
    life.moves.add(this.#seq++, at, event.type, this.#senderOf(from), value)
    for (const viewer of this.#viewers) viewer.moved(address, event, snapshot, from)
  }

  gone(address: Address): void {
    const life = this.#lives.get(address)
    if (!life || life.endedAt !== null) return
    this.#end(life, this.#options.clock.now())
    for (const viewer of this.#viewers) viewer.gone?.(address)
  }

  /** Until the function that it returns is called. */
  watch(viewer: Viewer): () => void {
    this.#viewers = [...this.#viewers, viewer]
    return () => {
      this.#viewers = this.#viewers.filter((other) => other !== viewer)
    }
  }

  /** Whose an actor is; `null` for the service's own, `undefined` for one that is not known. */
  workspaceOf(address: string): string | null | undefined {
    return this.#lives.get(address as Address)?.workspaceId
  }

  /** Whether what happens to one concerns the other: they are the same, or work on one task. */
  related(one: string, other: string): boolean {
    if (one === other) return true
    const taskId = this.#lives.get(one as Address)?.taskId ?? null
    return taskId !== null && taskId === this.#lives.get(other as Address)?.taskId
  }

  *live(): Iterable<{ address: Address; snapshot: AnyMachineSnapshot }> {
    for (const { address, snapshot, endedAt } of this.#lives.values()) {
      if (snapshot && endedAt === null) yield { address, snapshot }
    }
  }

  /** Everyone alive whom `sees` allows. */
  lines(sees: (workspaceId: string | null) => boolean): ActorLine[] {
    const lines: ActorLine[] = []
    for (const life of this.#lives.values()) {
      if (life.endedAt === null && life.snapshot && sees(life.workspaceId)) lines.push(lineOf(life))
    }
    return lines
  }

  line(address: string): ActorLine | null {
    const life = this.#lives.get(address as Address)
    return life?.snapshot ? lineOf(life) : null
  }

  detail(address: string): ActorDetail | null {
    const life = this.#lives.get(address as Address)
    if (!life?.snapshot) return null
    const { snapshot } = life
    const shown = life.moves.newest(TRANSITIONS_KEPT_MAX, this.#whoWas)
    return {
      ...lineOf(life),
      states: statesOf(snapshot.value),
      accepts: life.endedAt === null ? [...new Set(eventsOf(snapshot).map(eventName))].sort() : [],
      context: redacted(snapshot.context),
      transitions: shown.map(({ at, event, value }, index) => {
        const until = shown[index + 1]?.at ?? life.endedAt
        return { at, event: eventName(event), state: stateName(value), duration: until === null ? null : until - at }
      }),
      messages: this.#messages(life),
    }
  }

  /** Who told what to whom, among those that work on one task; else what this one heard. */
  #messages(life: Life): ActorDetail['messages'] {
    const related = new Set<Life>(life.taskId === null ? [life] : this.#ofTask.get(life.taskId))
    related.add(life)
    const addresses = new Set([...related].map(({ address }) => address))
    // Of those who work for several tasks, only what was said to or by these.
    const around = new Set([...related].flatMap(({ supervisor }) => (supervisor === null ? [] : [supervisor])))
    const heard = [...related].flatMap(({ address, moves }) =>
      moves.newest(TRANSITIONS_KEPT_MAX, this.#whoWas).map((move) => ({ ...move, to: address })),
    )
    for (const address of around) {
      const life = addresses.has(address) ? undefined : this.#lives.get(address)
      const moves = life?.moves.newest(TRANSITIONS_KEPT_MAX, this.#whoWas) ?? []
      for (const move of moves) if (move.from !== null && addresses.has(move.from)) heard.push({ ...move, to: address })
    }
    return heard
      .sort(later)
      .filter(({ event, from }) => event !== 'xstate.init' || from !== null)
      .slice(-TRANSITIONS_KEPT_MAX)
      .map(({ at, from, to, event }) => ({ at, from: from ?? partnerOf(event), to, event: eventName(event) }))
  }

  /** A number and its kind, that nobody has whom we remember. */
  #freeSender(noun: Noun): Sender {
    let sender: Sender
    do {
      this.#births = (this.#births + 1) % NUMBERS
      sender = this.#births * NOUNS.length + NOUNS.indexOf(noun)
    } while (this.#births === 0 || this.#bySender.has(sender))
    return sender
  }

  #senderOf(from: Address | null): Sender {
    if (from === null) return 0
    return this.#lives.get(from)?.sender ?? NOUNS.indexOf(parseAddress(from).noun)
  }

  /** Of a sender that is forgotten, only the kind is known. */
  #whoWas = (sender: Sender, at: Ms): Address | null => {
    if (sender === 0) return null
    const life = this.#bySender.get(sender)
    return life && life.startedAt <= at ? life.address : `${NOUNS[sender % NOUNS.length] ?? 'service'}:…`
  }

  #workspaceUnder(supervisor: Address | null): string | null {
    if (supervisor === null) return null
    const life = this.#lives.get(supervisor)
    if (life) return life.workspaceId
    const { noun, id } = parseAddress(supervisor)
    return noun === 'workspace' ? id : null
  }

  #worksOn(life: Life, taskId: string | null): void {
    if (taskId === null) return
    life.taskId = taskId
    const others = this.#ofTask.get(taskId)
    if (others) others.add(life)
    else this.#ofTask.set(taskId, new Set([life]))
  }

  #end(life: Life, at: Ms): void {
    life.endedAt = at
    life.actor = null
    const { moves } = life
    if (life.noun === 'task') {
      const trace = () => traceText(moves.newest(TRACE_TRANSITIONS_MAX, this.#whoWas))
      this.#options.onTrace?.(parseAddress(life.address).id, trace)
      moves.shorten(TRANSITIONS_KEPT_MAX)
    }
    const place = this.#ends++ % ENDED_ACTORS_KEPT_MAX
    const oldest = this.#ended[place]
    if (oldest) this.#forget(oldest)
    this.#ended[place] = life
  }

  #forget(life: Life): void {
    this.#bySender.delete(life.sender)
    if (this.#lives.get(life.address) === life) this.#lives.delete(life.address)
    const others = life.taskId === null ? undefined : this.#ofTask.get(life.taskId)
    if (others?.delete(life) && others.size === 0 && life.taskId !== null) this.#ofTask.delete(life.taskId)
  }
}
