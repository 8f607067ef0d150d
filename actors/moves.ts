import type { Address } from '../machines/addresses.ts'
import type { Ms } from '../machines/records.ts'

/** One step of an actor from state to state. */
export interface Move {
  /** In which order the moves of all actors were made. */
  readonly seq: number
  readonly at: Ms
  readonly event: string
  /** Who posted the event; `null` for the edge, a timer or an effect. */
  readonly from: Address | null
  readonly value: unknown
}

/** The cells of one move: seq, ms since the beginning, event, from, state value. */
const CELLS = 5

/**
 * The last moves of one actor. It is written on the path of every event and seldom read: so a move is five cells of
 * one array, written over when it is full, and makes nothing that would have to be collected.
 */
export class Moves {
  readonly #since: Ms
  readonly #max: number
  readonly #cells: unknown[] = []
  /** Where the oldest move lies once the array is full. */
  #oldest = 0

  constructor(since: Ms, max: number) {
    this.#since = since
    this.#max = max * CELLS
  }

  add(seq: number, at: Ms, event: string, from: Address | null, value: unknown): void {
    const cells = this.#cells
    // A time of day is no small integer, and would be an object of its own.
    const passed = at - this.#since
    if (cells.length < this.#max) {
      cells.push(seq, passed, event, from, value)
      return
    }
    const here = this.#oldest
    cells[here] = seq
    cells[here + 1] = passed
    cells[here + 2] = event
    cells[here + 3] = from
    cells[here + 4] = value
    this.#oldest = (here + CELLS) % this.#max
  }

  get length(): number {
    return this.#cells.length / CELLS
  }

  /** The newest moves, oldest first. */
  newest(count: number): Move[] {
    const moves: Move[] = []
    for (let n = Math.max(0, this.length - count); n < this.length; n++) {
      const [seq, passed, event, from, value] = this.#row(n) as [number, Ms, string, Address | null, unknown]
      moves.push({ seq, at: this.#since + passed, event, from, value })
    }
    return moves
  }

  /** The same with room for fewer. */
  shortened(max: number): Moves {
    if (this.#cells.length <= max * CELLS) return this
    const fewer = new Moves(this.#since, max)
    for (const { seq, at, event, from, value } of this.newest(max)) fewer.add(seq, at, event, from, value)
    return fewer
  }

  #row(n: number): unknown[] {
    const here = (this.#oldest + n * CELLS) % this.#cells.length
    return this.#cells.slice(here, here + CELLS)
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
