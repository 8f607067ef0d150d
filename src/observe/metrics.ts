import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { SnapshotFrom } from 'xstate'
import type { Inspection } from '../../actors/inspection/inspection.ts'
import type { ActorSystem } from '../../actors/runtime/actor-system.ts'
import type { Store } from '../../actors/runtime/ports.ts'
import type { Vitals } from '../../actors/vitals.ts'
import { type ActorKind, parseAddress } from '../../machines/addresses.ts'
import type { sessionMachine } from '../../machines/session.ts'
import type { Usage } from '../../machines/usage.ts'
import type { workspaceMachine } from '../../machines/workspace.ts'
import { poolsOf } from '../../machines/workspace-checks.ts'
import type { Answered, Prices } from '../api/deps.ts'
import type { BrowserLoad } from '../wire/relay.ts'
import { stateOf, type Task, watchTasks } from './metrics/task-times.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
const ACTOR_KINDS: readonly ActorKind[] = ['workspace', 'session', 'call', 'task', 'closing', 'delivery']

/** Clients choose the method: what is not one of these must not become a series of its own. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'])

export interface Metrics {
  /** The store, whose failed commits are counted. */
  counted<S extends Store>(store: S): S
  /** What is asked when someone reads. */
  attach(parts: MeasuredParts): void
  /** A request that was answered. */
  answered(request: Pick<Answered, 'method' | 'route' | 'status' | 'ms'>): void
  /** An attempt to call a webhook; `null`: no answer came. */
  webhookCalled(status: number | null, ms: number): void
  /** [G35] What a call cost the process of its browser. */
  browserLoaded(load: BrowserLoad): void
  /** All of it in Prometheus' text format, with its content type. */
  read(): Promise<{ readonly type: string; readonly text: string }>
}

/** What a reading looks at. */
export interface MeasuredParts {
  /** Several where a node owns shards; their vitals are the same. */
  systems(): readonly Pick<ActorSystem, 'registry' | 'snapshotWriter'>[]
  readonly vitals: Vitals
  /** Of a node among several: what it owns, and what it sent to the others. */
  cluster?(): {
    readonly owns: number
    readonly unowned: number
    readonly nodes: number
    readonly messages: number
    readonly bytes: number
  }
}

type Workspace = SnapshotFrom<typeof workspaceMachine>
type Session = SnapshotFrom<typeof sessionMachine>
const CONNECTED: Session['value'] = 'connected'

/** What is known of the service before it runs. */
export interface MetricsOptions {
  readonly version: string
  readonly prices: Prices
}

/** [O5] Measures the service for Prometheus. docs/metrics.md says what each one means. */
export function openMetrics(inspection: Inspection, { version, prices }: MetricsOptions): Metrics {
  const registers = [new Registry()] as const
  const [registry] = registers
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Histogram({ name: `browser_task_${name}`, help, labelNames, registers: [...registers], buckets: SECONDS })
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `browser_task_${name}`, help, labelNames, registers: [...registers] })
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name: `browser_task_${name}`, help, labelNames, registers: [...registers] })

  const stepTime = histogram('step_seconds', 'Time from one model call of a task to the next.', [])
  const modelTime = histogram('model_seconds', 'Time a task waited for its model, by what came.', ['outcome'])
  const toolTime = histogram('tool_seconds', 'Time a tool call took in its browser, by tool.', ['tool'])
  const browserCpu = histogram('browser_cpu_seconds', "CPU that a call took of its browser's own process.", ['tool'])
  const browserBlocked = histogram(
    'browser_blocked_seconds',
    'Longest time for which a call kept that process from everything else.',
    ['tool'],
  )
  const storeErrors = counter('store_errors_total', 'What the store refused, by what was asked of it.', ['operation'])
  const tasks = gauge('tasks', 'Tasks that run now, by the state of their machine.', ['state'])
  const actors = gauge('actors', 'Live actors, by kind.', ['kind'])
  const sockets = gauge('sockets', 'Browsers that are connected now.', [])
  const poolPlaces = gauge('pool_places', 'Tasks that the connected browsers of a pool take at a time.', ['pool'])
  const poolUsed = gauge('pool_used', 'Places of those that tasks have taken.', ['pool'])
  const poolWaiting = gauge('pool_waiting', 'Tasks that wait for a place in a pool.', ['pool'])
  const lag = gauge('snapshot_lag', 'Actors and journal entries that wait to be written.', [])
  const failing = gauge('store_failing_seconds', 'Since when the store takes no writes; 0 while it does.', [])
  const granted = counter('starts_granted_total', 'Tasks that were started.', [])
  const refused = counter('starts_refused_total', 'Starts that were refused, by reason.', ['reason'])
  const ended = counter('tasks_ended_total', 'Tasks that ended, by what ended them.', ['ended_by'])
  const deadLetters = counter('dead_letters_total', 'Events that found no actor.', [])
  const dropped = counter('results_dropped_total', 'Results of calls that nobody waited for.', [])
  const shards = gauge('shards', 'Shards that this node owns; 0 where one process owns all.', [])
  const unowned = gauge('unowned_shards', 'Shards that no node can own, because none reads their rows.', [])
  const nodes = gauge('nodes', 'Nodes that this node sees, itself included; 0 where one process owns all.', [])
  const sent = counter('bus_messages_total', 'Messages that this node sent to other nodes.', [])
  const sentBytes = counter('bus_bytes_total', 'Bytes of those messages.', [])
  const requests = histogram('http_request_seconds', 'Time from a request to its answer, by route.', [
    'method',
    'route',
    'status',
  ])
  const webhooks = histogram('webhook_seconds', 'Time of one attempt to call a webhook, by outcome.', ['outcome'])
  const tokens = counter('model_tokens_total', 'Tokens of tasks that their models read and wrote.', ['kind'])
  const cost = counter('model_cost_usd_total', 'What those tokens cost, for models with a known price.', [])
  gauge('build_info', 'Always 1; the build is in the labels.', ['version', 'node']).set(
    { version, node: process.version },
    1,
  )
  // CPU, memory, garbage collection and event loop, under the names that dashboards know.
  collectDefaultMetrics({ register: registry })

  const spent = (
    model: string | null,
    { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 }: Usage,
  ) => {
    tokens.inc({ kind: 'input' }, inputTokens)
    tokens.inc({ kind: 'cached_input' }, cachedTokens)
    tokens.inc({ kind: 'output' }, outputTokens)
    const usd = prices.costUsd(model ?? '', { inputTokens, outputTokens, cachedTokens, cacheWriteTokens })
    if (usd !== null) cost.inc(usd)
  }

  watchTasks(inspection, {
    stepTook: (seconds) => stepTime.observe(seconds),
    modelTook: (outcome, seconds) => modelTime.observe({ outcome }, seconds),
    toolTook: (tool, seconds) => toolTime.observe({ tool }, seconds),
    endingFailed: () => storeErrors.inc({ operation: 'ending' }),
    spent,
  })
  let read = () => {}
  return {
    counted(store) {
      const commit: Store['commit'] = (writes) => {
        const done = store.commit(writes)
        done.catch(() => storeErrors.inc({ operation: 'commit' }))
        return done
      }
      return { ...store, commit }
    },
    attach({ systems, vitals, cluster }) {
      read = () => {
        const all = systems()
        const sum = (count: (system: (typeof all)[number]) => number) => all.reduce((n, each) => n + count(each), 0)
        const { context } = vitals.getSnapshot()
        total(granted, context.startsGranted)
        totals(refused, context.startsRefused, (reason) => ({ reason }))
        totals(ended, context.tasksEnded, (ended_by) => ({ ended_by }))
        total(
          deadLetters,
          sum(({ registry: alive }) => alive.deadLetters),
        )
        total(dropped, context.resultsDropped)
        lag.set(sum(({ snapshotWriter }) => snapshotWriter.lag))
        const failingSince = Math.min(
          ...all.map(({ snapshotWriter }) => snapshotWriter.failingSince ?? Number.POSITIVE_INFINITY),
        )
        failing.set(Number.isFinite(failingSince) ? (Date.now() - failingSince) / 1_000 : 0)
        for (const kind of ACTOR_KINDS)
          actors.set(
            { kind },
            sum(({ registry: alive }) => alive.count(kind)),
          )
        tasks.reset()
        sockets.reset()
        for (const each of [poolPlaces, poolUsed, poolWaiting]) each.reset()
        for (const { registry: alive } of all) {
          for (const { address } of alive.list()) {
            const { actorKind } = parseAddress(address)
            const snapshot = alive.snapshot(address)
            if (actorKind === 'task' && snapshot) tasks.inc({ state: stateOf(snapshot as Task) })
            else if (actorKind === 'session' && snapshot?.value === CONNECTED) sockets.inc()
            else if (actorKind === 'workspace' && snapshot) {
              for (const [pool, { places, used, waiting }] of poolsOf((snapshot as Workspace).context)) {
                poolPlaces.inc({ pool }, places)
                poolUsed.inc({ pool }, used)
                poolWaiting.inc({ pool }, waiting)
              }
            }
          }
        }
        const own = cluster?.()
        if (!own) return
        shards.set(own.owns)
        unowned.set(own.unowned)
        nodes.set(own.nodes)
        total(sent, own.messages)
        total(sentBytes, own.bytes)
      }
    },
    answered({ method, route, status, ms }) {
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, ms / 1_000)
    },
    webhookCalled(status, ms) {
      webhooks.observe({ outcome: status === null ? 'no_answer' : `${Math.floor(status / 100)}xx` }, ms / 1_000)
    },
    browserLoaded({ tool, cpuMs, blockedMs }) {
      if (cpuMs !== null) browserCpu.observe({ tool }, cpuMs / 1_000)
      browserBlocked.observe({ tool }, blockedMs / 1_000)
    },
    async read() {
      read()
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

/** A count that is kept elsewhere. */
function total(counter: Counter, value: number): void {
  counter.reset()
  counter.inc(value)
}
function totals<Label extends string>(
  counter: Counter<Label>,
  values: Readonly<Record<string, number>>,
  labelled: (name: string) => Partial<Record<Label, string>>,
): void {
  counter.reset()
  for (const [name, value] of Object.entries(values)) counter.inc(labelled(name), value)
}
