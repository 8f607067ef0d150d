import type { Address } from '../machines/addresses.ts'
import { TRANSITIONS_KEPT_MAX } from '../machines/limits.ts'
import type { Ms } from '../machines/records.ts'

/** One step of an actor from state to state. */
export interface Move {
  /** In which order the moves of all actors were made. It begins anew after 2³² of them: `later` compares. */
  readonly seq: number
  readonly at: Ms
  readonly event: string
  /** Who posted the event; `null` for the edge, a timer or an effect. */
  readonly from: Address | null
  readonly value: unknown
}

/** Below 0 when `a` was made before `b`, of moves that lie less than 2³¹ moves apart. */
export const later = (a: Move, b: Move): number => (a.seq - b.seq) | 0

/** Who posted an event, as a number that `WhoWas` understands; 0 for the edge, a timer or an effect. */
export type Sender = number
export type WhoWas = (sender: Sender, at: Ms) => Address | null

const NO_CELLS = new Uint32Array(0)
const NO_TIMES = new Float64Array(0)
/** The cells of one move: seq, event, state value, sender. */
const CELLS = 4
/**
 * Room for so many moves: for a call, for one that has little to do, for all that are shown of the others, which will
 * make as many sooner or later: they take the memory at once and do not grow for hours.
 */
const CAPACITIES = [4, 16, TRANSITIONS_KEPT_MAX]

/** Numbers for what there is little of: event types and state values are bounded by the code. */
class Numbers<T> {
  readonly #numbers = new Map<T, number>()
  readonly #all: T[] = []

  of(one: T): number {
    const known = this.#numbers.get(one)
    if (known !== undefined) return known
    this.#numbers.set(one, this.#all.length)
    return this.#all.push(one) - 1
  }

  at(number: number): T | undefined {
    return this.#all[number]
  }
}
const events = new Numbers<string>()
const states = new Numbers<unknown>()

/**
 * The last moves of one actor, written over when there are `max` of them. It is written on the path of every event and
 * seldom read, and there are as many as there are actors: so a move is 24 bytes of two arrays, and makes nothing that
 * would have to be collected or that would keep anything else alive.
 */
export class Moves {
  readonly #max: number
  #capacity = 0
  #cells = NO_CELLS
  #times = NO_TIMES
  #length = 0
  /** Where the oldest move lies once there is no more room. */
  #oldest = 0

  constructor(max: number) {
    this.#max = max
  }

  /** `value` is a shared one. */
  add(seq: number, at: Ms, event: string, from: Sender, value: unknown): void {
    let here = this.#oldest
    if (this.#length < this.#max) {
      here = this.#length++
      if (this.#length > this.#capacity) this.#grow()
    } else {
      this.#oldest = (here + 1) % this.#max
    }
    this.#times[here] = at
    this.#cells[here * CELLS] = seq
    this.#cells[here * CELLS + 1] = events.of(event)
    this.#cells[here * CELLS + 2] = states.of(value)
    this.#cells[here * CELLS + 3] = from
  }

  /** The newest moves, oldest first. */
  newest(count: number, whoWas: WhoWas): Move[] {
    const fewer = Math.min(count, this.#length)
    return Array.from({ length: fewer }, (_, n) => {
      const here = (this.#oldest + this.#length - fewer + n) % this.#length
      const [seq = 0, event = 0, value = 0, from = 0] = this.#cells.subarray(here * CELLS, (here + 1) * CELLS)
      const at = this.#times[here] ?? 0
      return { seq, at, event: events.at(event) ?? '', from: whoWas(from, at), value: states.at(value) }
    })
  }

  /** Keeps only the newest, and no room for more. */
  shorten(count: number): void {
    if (this.#length <= count) return
    const kept = Array.from({ length: count }, (_, n) => (this.#oldest + this.#length - count + n) % this.#length)
    const cells = new Uint32Array(count * CELLS)
    kept.forEach((here, n) => void cells.set(this.#cells.subarray(here * CELLS, (here + 1) * CELLS), n * CELLS))
    this.#times = Float64Array.from(kept, (here) => this.#times[here] ?? 0)
    this.#cells = cells
    this.#length = this.#capacity = count
    this.#oldest = 0
  }

  #grow(): void {
    const capacity = Math.min(this.#max, CAPACITIES.find((capacity) => capacity >= this.#length) ?? this.#max)
    const cells = new Uint32Array(capacity * CELLS)
    const times = new Float64Array(capacity)
    cells.set(this.#cells)
    times.set(this.#times)
    this.#cells = cells
    this.#times = times
    this.#capacity = capacity
  }
}

const values = new Map<string, Map<string, unknown>>()
const rare = new Map<string, unknown>()

/**
 * The one object that stands for a state value: XState makes a new one for each snapshot. Machines have few states, so
 * what is kept here is bounded by their code.
 */
export function sharedValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  let only = ''
  let keys = 0
  for (const key in value) {
    only = key
    keys++
  }
  const inner = (value as Record<string, unknown>)[only]
  // One state within another: by far the most common.
  return keys === 1 && typeof inner === 'string' ? nested(value, only, inner) : rarelyShared(value)
}

function nested(value: object, outer: string, inner: string): unknown {
  const known = values.get(outer)
  const shared = known?.get(inner)
  if (shared !== undefined) return shared
  if (known) known.set(inner, value)
  else values.set(outer, new Map([[inner, value]]))
  return value
}

function rarelyShared(value: object): unknown {
  const key = JSON.stringify(value)
  const shared = rare.get(key)
  if (shared === undefined) rare.set(key, value)
  return shared ?? value
}
