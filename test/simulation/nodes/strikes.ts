import type { Fate } from '../database/database.ts'
import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import type { Link } from './link.ts'
import type { SimulatedNode } from './node.ts'

/** `limbo`: a command is given up by its sender and carried out later, often when the shard has another owner. */
export type Strike = 'freeze' | 'limbo' | 'kill' | 'stop' | 'cut'

export interface StrikePlan {
  readonly kinds: readonly Strike[]
  /** How likely one comes at a moment, when none came lately. */
  readonly chance: number
  /** What is left alone after each, on average. */
  readonly restMs: number
  /** The collection, or the other moment, that is struck most; `null`: all are, and what is written seldom more often. */
  readonly focus: string | null
  /** Nothing else is struck. */
  readonly only?: boolean
  /** At no other moment; at any when left out. */
  readonly moment?: Moment
}

export const FOCI = ['tasks', 'log', 'shards', 'ledger', 'actors', 'read', 'frame', null, null] as const

/** When one may come: before something is carried out, before its answer is there, at a call of another node, at a frame. */
export type Moment = 'before' | 'after' | 'call' | 'frame'

export interface StrikesOptions {
  readonly plan: StrikePlan
  readonly scheduler: Scheduler
  readonly random: Random
  readonly nodes: () => readonly SimulatedNode[]
  readonly isOn: () => boolean
  readonly cut: (node: SimulatedNode, ms: number) => void
}

/** Long enough for another node to take over, mostly. */
const FREEZE_MS = [1_500, 5_500, 7_000, 9_000, 12_000] as const
const CUT_MS = [800, 6_000, 9_000] as const
/** What is written seldom is struck more often. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ tasks: 5, shards: 5, ledger: 10, log: 4, ledger_changes: 4, read: 2, webhook: 2, claims: 3 },
}

const FOCUS_WEIGHT = 12

/** Trouble where it hurts: at a write of a node, before its answer, at a call that it has just been sent, at a frame. */
export class Strikes {
  readonly #options: StrikesOptions
  #restUntil = 0

  constructor(options: StrikesOptions) {
    this.#options = options
  }

  /** `what`: all that is written at once, or the one thing that happens. */
  at(link: Link, moment: Moment, all: readonly string[]): Fate {
    const { plan, scheduler, random, nodes, isOn } = this.#options
    if (plan.kinds.length === 0 || scheduler.time < this.#restUntil || !isOn()) return 'none'
    if (plan.moment && moment !== plan.moment) return 'none'
    const weightOf = (what: string) => {
      const isFocus = what === plan.focus || (what === 'webhook' && plan.focus === 'read')
      return plan.focus === null ? (WEIGHTS[what] ?? 1) : isFocus ? FOCUS_WEIGHT : plan.only ? 0 : 1
    }
    const weight = Math.max(...all.map(weightOf))
    if (!random.chance(Math.min(0.5, plan.chance * weight))) return 'none'
    const node = nodes().find(({ running }) => running?.life === link.life)
    if (!node || link.life.held) return 'none'
    const strike = random.pick(plan.kinds)
    scheduler.trace.happened(`${strike} of ${node.options.name}: ${moment} ${[...new Set(all)].join(' ')}`)
    const ms = this.#strike(strike, node)
    this.#restUntil = scheduler.time + ms + random.between(0, 2 * plan.restMs)
    if (strike === 'kill') return 'gone'
    if (strike === 'limbo') return moment === 'before' ? 'limbo' : 'unheard'
    // On its way when its process was stopped: it leaves when that goes on, or is there meanwhile.
    if (strike === 'freeze') return moment === 'before' ? random.pick(['held', 'limbo']) : 'held'
    return 'none'
  }

  #strike(strike: Strike, node: SimulatedNode): number {
    const { scheduler, random, cut } = this.#options
    if (strike === 'kill') node.kill('it was struck')
    else if (strike === 'stop') node.stop()
    else if (strike === 'cut') {
      const ms = random.pick(CUT_MS)
      cut(node, ms)
      return ms
    } else if (strike === 'freeze') {
      const ms = random.pick(FREEZE_MS)
      const { running } = node
      node.freeze()
      scheduler.after(ms, THE_WORLD, 'go on', () => {
        if (node.running === running) node.goOn()
      })
      return ms
    }
    return 0
  }
}
