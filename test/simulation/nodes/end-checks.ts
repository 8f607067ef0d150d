import { NODE_STEADY_MS_MIN, VIEW_REFRESH_EVERY_MS } from '../../../actors/limits.ts'
import type { StartAnswer, StartTask } from '../../../actors/task-service.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { RefusalCode } from '../../../machines/texts.ts'
import type { Kept } from '../database/kept.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import { THE_WORLD } from '../engine/scheduler.ts'
import { Violation } from '../engine/trace.ts'
import type { SimulatedBrowser } from '../outside/browser.ts'
import type { Random } from '../random.ts'
import type { Watch } from '../watch.ts'
import type { SimulatedNode } from './node.ts'
import type { NodesPlan } from './plan.ts'
import { checkRecords } from './records-check.ts'
import type { ShardsKept } from './shards-kept.ts'

export interface EndChecksOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly watch: Watch
  readonly kept: Kept
  readonly shards: ShardsKept
  readonly nodes: readonly SimulatedNode[]
  readonly browsers: ReadonlyMap<string, readonly SimulatedBrowser[]>
  readonly plan: NodesPlan
}

/** Throws a `Violation` with what happened last, if a promise was broken. */
export function pronounce(seed: number, { trace, steps }: Scheduler, { breaches }: Watch): void {
  const [first] = breaches
  if (first === undefined) return
  const last = trace.last.map((line) => `  ${line}`).join('\n')
  throw new Violation(`seed ${seed}, step ${steps}: ${breaches.join('; ')}\n${last}\nseed ${seed}: ${first}`)
}

/** What still runs when nothing goes wrong any more is cancelled after a while, and again: starts that are sent again still come. */
export function cancelAgain(scheduler: Scheduler, clients: { cancelAll(): void }): { end(): void } {
  let isOver = false
  const later = () =>
    scheduler.after(CANCEL_AFTER_MS, THE_WORLD, 'all is cancelled', () => {
      if (isOver) return
      clients.cancelAll()
      later()
    })
  later()
  return {
    end() {
      isOver = true
    },
  }
}

const CANCEL_AFTER_MS = 6 * SECOND_MS
const PROBES_MAX = 4
const PROBE_MS_MAX = 12 * SECOND_MS
/** A result is with its task by then: a node that has just started may take over, the others see it, and a browser connects again. */
const RESULT_MS_MAX = NODE_STEADY_MS_MIN + VIEW_REFRESH_EVERY_MS + SECOND_MS
const RESULTS_LOOK_MS = 400

/** [M4] A node that has looked since knows that a shard is another's, and runs nothing of it. */
export const knowsItsShards = ({ nodes, shards }: EndChecksOptions): boolean =>
  nodes.every(({ running }) =>
    [...(running?.cluster?.node.services() ?? [])].every(({ owned }) => owned.epoch === shards.of(owned.shard).epoch),
  )

/** [M5] What browsers have sent over connections that hold is with its tasks. Only where nothing is lost. */
export function watchResults(options: EndChecksOptions & { readonly isWell: () => boolean }): void {
  const { scheduler, nodes, isWell } = options
  let wellSince = Number.POSITIVE_INFINITY
  const look = () => {
    const all = isWell() && nodes.every((node) => node.isWell)
    wellSince = all ? Math.min(wellSince, scheduler.time) : Number.POSITIVE_INFINITY
    if (scheduler.time - wellSince > RESULT_MS_MAX) checkResults(options)
    scheduler.after(RESULTS_LOOK_MS, THE_WORLD, 'results', look)
  }
  look()
}

function checkResults({ scheduler, watch, shards, nodes, browsers }: EndChecksOptions): void {
  for (const [workspaceId, own] of browsers) {
    const shard = shards.of(shardOf(workspaceId))
    const owner = nodes.find(({ running }) => running?.cluster?.node.id === shard.node)
    const service = owner?.running?.cluster.node.service(shardOf(workspaceId))
    if (!service?.isOpen || service.owned.epoch !== shard.epoch) continue
    for (const browser of own) {
      const pending = service.running.taskService.pendingCalls(browser.sessionId)
      for (const requestId of browser.sentBefore(scheduler.time - RESULT_MS_MAX))
        if (pending.includes(requestId)) watch.broken(`the result of ${requestId} was sent and never came`)
    }
  }
}

/** What must be kept when all is over, beside what one node keeps. */
export function checkKeptByNodes({ watch, kept }: EndChecksOptions, { frames }: NodesPlan): void {
  checkStarts(kept, watch, frames.doubled > 0)
  checkRecords(kept, watch.broken)
}

/** [M3] However often a start was sent, it is one task: each has words of its own. A browser sends its own once. */
function checkStarts(kept: Kept, { acknowledged, broken }: Watch, framesComeTwice: boolean): void {
  const byWords = new Map<string, string>()
  for (const { id, task, door, status, steps } of kept.tasks.values()) {
    // [D13] What a start that failed left behind was ended.
    const isLeft = status === 'error' && steps === 0 && !acknowledged.has(id)
    if (isLeft || (door === 'relay' && framesComeTwice)) continue
    const other = byWords.get(task)
    if (other !== undefined) broken(`one start is two tasks: ${other} and ${id}`)
    byWords.set(task, id)
  }
}

/** Whether the owner of a session knows nothing of its browser, and the browser nothing of that. */
const isForgotten = (code: RefusalCode, { bus }: NodesPlan): boolean =>
  code === 'session_not_found' || (code === 'session_not_connected' && bus.lost > 0)

/** [M1, M5] When all is well again, a task can be started at any node, for each browser that is connected, and runs. */
export class Probes {
  readonly #options: EndChecksOptions
  readonly #open = new Set<string>()

  constructor(options: EndChecksOptions) {
    this.#options = options
    for (const [workspaceId, own] of options.browsers)
      for (const browser of own) if (browser.isConnected) this.#start(workspaceId, browser, PROBES_MAX)
  }

  get isOver(): boolean {
    return this.#open.size === 0
  }

  check(): void {
    for (const sessionId of this.#open)
      this.#options.watch.broken(`all is well, and no task can be done in the browser of session ${sessionId}`)
  }

  #start(workspaceId: string, browser: SimulatedBrowser, left: number): void {
    const { scheduler, random, nodes } = this.#options
    const { sessionId } = browser
    this.#open.add(sessionId)
    const again = (isFree = false) => {
      if ((left > 1 || isFree) && this.#open.has(sessionId))
        scheduler.after(SECOND_MS, THE_WORLD, 'a probe again', () =>
          this.#start(workspaceId, browser, isFree ? left : left - 1),
        )
    }
    const listening = nodes.flatMap(({ running, listening: is }) => (is && running ? [running] : []))
    if (listening.length === 0) {
      again()
      return
    }
    const at = random.pick(listening)
    const nothing = { url: null, context: null, webhookUrl: null, outputSchema: null, maxSteps: null, maxTokens: null }
    const start = {
      ...{ door: 'internal', workspaceId, apiKeyId: 'key', requestId: null },
      request: { ...nothing, task: `Task ${random.hex(8)} probe`, browserSessionId: sessionId },
    } as StartTask
    at.cluster.taskService.startTask(start).then(
      (answer) => this.#started(answer, browser, again),
      () => again(),
    )
  }

  #started(answer: StartAnswer, browser: SimulatedBrowser, again: (isFree?: boolean) => void): void {
    if (!answer.ok) {
      this.#options.scheduler.trace.happened(`probe: refused ${answer.refusal.code}`)
      // Its token has ended meanwhile, or it has gone by itself.
      if (answer.refusal.code === 'session_expired' || !browser.isConnected) this.#open.delete(browser.sessionId)
      // [M5] That its session was removed, or its socket given up in a message that was lost, it may hear only when it is
      // pinged next, in 20 s at the latest.
      else again(isForgotten(answer.refusal.code, this.#options.plan))
      return
    }
    const { scheduler, kept } = this.#options
    const { id } = answer.task
    const look = (until: number) => {
      const task = kept.tasks.get(id)
      if (task?.status === 'complete' || !browser.isConnected) this.#open.delete(browser.sessionId)
      else if (task?.status === 'error' || scheduler.time > until) again()
      else scheduler.after(300, THE_WORLD, 'a probe looks', () => look(until))
    }
    look(scheduler.time + PROBE_MS_MAX)
  }
}
