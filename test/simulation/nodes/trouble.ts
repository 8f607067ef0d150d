import type { SimulatedDatabase } from '../database/database.ts'
import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { SimulatedBrowser } from '../outside/browser.ts'
import type { Random } from '../random.ts'
import { disturb, every } from '../trouble.ts'
import type { SimulatedNats } from './bus.ts'
import type { SimulatedNode } from './node.ts'
import type { Cut, NodesPlan } from './plan.ts'

export interface NodesTroubleOptions {
  readonly plan: NodesPlan
  readonly scheduler: Scheduler
  readonly random: Random
  readonly nodes: readonly SimulatedNode[]
  readonly database: Pick<SimulatedDatabase, 'mood'>
  readonly nats: SimulatedNats
  readonly browsers: readonly SimulatedBrowser[]
}

/** What goes wrong of itself among nodes, until `stop`. */
export class NodesTrouble {
  isOn = true
  readonly #options: NodesTroubleOptions

  constructor(options: NodesTroubleOptions) {
    this.#options = options
    const { plan, scheduler, random, nodes, browsers } = options
    const often = (meanMs: number | null, label: string, happen: () => void) =>
      every({ scheduler, random, isOn: () => this.isOn }, meanMs, label, happen)
    const one = () => random.pick(nodes)
    often(plan.deathEveryMs, 'kill', () => one().kill('it was killed'))
    often(plan.stopEveryMs, 'stop', () => one().stop())
    often(plan.freezeEveryMs, 'freeze', () => this.#freeze(one()))
    often(plan.cutEveryMs, 'cut', () => this.cut(one(), random.pick([500, 3_000, 8_000, 20_000])))
    often(plan.busRestartEveryMs, 'bus restart', () => options.nats.restart())
    often(plan.storeMoodEveryMs, 'store mood', () => this.#storeMood())
    often(plan.browserTroubleEveryMs, 'browser trouble', () => {
      const browser = random.pick(browsers)
      // It is back on another socket before the first one is known to be closed.
      if (random.chance(0.3)) browser.replace()
      else disturb(browser, random)
    })
  }

  stop(): void {
    const { nodes, database, browsers } = this.#options
    this.isOn = false
    database.mood = 'well'
    for (const node of nodes) {
      node.goOn()
      this.#heal(node)
    }
    for (const browser of browsers) browser.wake()
  }

  #freeze(node: SimulatedNode): void {
    const { scheduler, random } = this.#options
    const { running } = node
    node.freeze()
    scheduler.after(random.pick([800, 2_500, 5_000, 20_000]), THE_WORLD, 'go on', () => {
      if (node.running === running) node.goOn()
    })
  }

  /** From the bus, from the store, or from both. */
  cut(node: SimulatedNode, ms: number): void {
    const { scheduler, random, nats, plan } = this.#options
    const { running } = node
    if (!running) return
    const from = random.pick<Cut>(plan.cutFrom ?? ['the bus', 'the store', 'both'])
    scheduler.trace.happened(`${node.options.name} is cut off from ${from}`)
    if (from !== 'the store') nats.cut(running.link)
    if (from !== 'the bus') running.link.storeCut = true
    scheduler.after(ms, THE_WORLD, 'heal', () => {
      if (node.running === running) this.#heal(node)
    })
  }

  #heal({ running }: SimulatedNode): void {
    if (!running) return
    running.link.storeCut = false
    this.#options.nats.heal(running.link)
  }

  #storeMood(): void {
    const { scheduler, random, database } = this.#options
    database.mood = random.pick(['slow', 'failing', 'down'])
    scheduler.trace.happened(`the store is ${database.mood}`)
    const ms = random.pick([500, 3_000, 10_000])
    scheduler.after(ms, THE_WORLD, 'the store is well', () => {
      database.mood = 'well'
    })
  }
}
