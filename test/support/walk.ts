import {
  type ActorOptions,
  type AnyActor,
  type AnyStateMachine,
  createActor,
  type EventFrom,
  getInitialMicrosteps,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate'
import { type DirectedGraphNode, toDirectedGraph } from 'xstate/graph'
import { type Effect, inert } from './inert.ts'
import { StepClock } from './step-clock.ts'

const ANSWER = /^xstate\.(?:done|error)\.actor\.(.+)$/

/** One state that was reached, on a real actor, by the shortest way. */
export interface Visit<Machine extends AnyStateMachine> {
  readonly snapshot: SnapshotFrom<Machine>
  /** What it is told apart by: `key` of the options. */
  readonly key: string
  /** The events that lead here, those of timers included. */
  readonly path: readonly string[]
  /** Every effect on the way, in order. */
  readonly effects: readonly Effect[]
  /** The event types that it handles, with what comes after each: the keys of the states, in the order of the vocabulary. */
  readonly handles: Readonly<Record<string, readonly string[]>>
}

export interface Walked<Machine extends AnyStateMachine> {
  readonly visits: readonly Visit<Machine>[]
  /** The states of the machine that no path reached, by their ids; those that are passed without a stop count as reached. */
  readonly unreached: readonly string[]
  /** How often an event was sent to a state that does not handle it. */
  readonly refused: number
}

export interface WalkOptions<Machine extends AnyStateMachine> {
  readonly input: InputFrom<Machine>
  /**
   * The vocabulary: every event that may ever come, several of one type where their content matters. Answers of invoked
   * promises belong to it (`xstate.done.actor.<id>`, `xstate.error.actor.<id>`, sent only while that child is there);
   * timers do not: they fire on their own.
   */
  readonly events:
    | readonly EventFrom<Machine>[]
    | ((snapshot: SnapshotFrom<Machine>, nowMs: number) => readonly EventFrom<Machine>[])
  /** Tells states apart. By their value alone unless something of the context matters; what is unbounded must not be in it. */
  readonly key?: (snapshot: SnapshotFrom<Machine>) => string
  /** What must hold in every state that is reached. */
  readonly check?: (visit: Visit<Machine>) => void
  /** The time at which every path begins. */
  readonly now?: number
  /** A walk that finds more states than this has a key that is not bounded. */
  readonly statesMax?: number
}

/**
 * Walks a machine from its start through every state that its vocabulary and its timers lead to, each path replayed on a
 * real actor with a clock of its own. Effects are made inert: invoked actors answer nothing (their answers are events of
 * the vocabulary), actions that are not computed by XState itself are recorded.
 *
 * In every state every event is sent. One that the state does not handle must change nothing and run no effect; none
 * may throw. A timer fires only when it is the next one due, so that no state is reached that time does not allow:
 * this is why the paths are found by walking, and not from `xstate/graph`, which lets timers fire in any order.
 */
export function walk<Machine extends AnyStateMachine>(
  machine: Machine,
  options: WalkOptions<Machine>,
): Walked<Machine> {
  const { key = keyOfValue, statesMax = 2_000 } = options
  const replay = replaysOf(machine, options)
  const start: Step<Machine>[] = []
  const found = new Map<string, readonly Step<Machine>[]>([[key(replay(start).snapshot()), start]])
  const passed = atStart(machine, options.input)
  const visits: Visit<Machine>[] = []
  let refused = 0

  for (const [here, path] of found) {
    const labels = path.map(({ label }) => label)
    const at = replay(path)
    const handles: Record<string, string[]> = {}
    for (const step of at.steps()) {
      const run = replay(path)
      const before = run.print()
      const handled = step.event === null || run.can(step.event)
      const label = run.take(step)
      run.mustLive([...labels, label])
      for (const id of run.passed) passed.add(id)
      if (!handled && run.print() !== before) {
        throw new Error(`${here} does not handle ${label}, and changed: ${labels.join(' → ')}`)
      }
      if (!handled) {
        refused += 1
        continue
      }
      const next = key(run.snapshot())
      handles[label] = [...new Set([...(handles[label] ?? []), next])]
      if (!found.has(next)) found.set(next, [...path, { ...step, label }])
      if (found.size > statesMax) throw new Error(`More than ${statesMax} states: bound the key`)
    }
    const visit = { snapshot: at.snapshot(), key: here, path: labels, effects: at.effects, handles }
    visits.push(visit)
    options.check?.(visit)
  }
  return { visits, unreached: stateIds(machine).filter((id) => !passed.has(id)), refused }
}

/** One event of a path; `null`: the next timer fires. */
interface Step<Machine extends AnyStateMachine> {
  readonly event: EventFrom<Machine> | null
  readonly label: string
}

/** What the inspection of an actor tells, as far as it is of use here: its events, and each small step of a transition. */
interface Seen {
  readonly type: string
  readonly event?: { readonly type: string }
  readonly snapshot?: { readonly _nodes?: readonly { readonly id: string }[] }
}

/** Gives a fresh actor that was led along a path. The machine is made inert once: one actor at a time is led. */
function replaysOf<Machine extends AnyStateMachine>(machine: Machine, options: WalkOptions<Machine>) {
  let recorded: Effect[] = []
  const still = inert(machine, { push: (...effects) => recorded.push(...effects) })
  return (path: readonly Step<Machine>[]) => {
    const effects: Effect[] = []
    recorded = effects
    return led(still, effects, path, options)
  }
}

function led<Machine extends AnyStateMachine>(
  machine: AnyStateMachine,
  effects: readonly Effect[],
  path: readonly Step<Machine>[],
  { input, events, now = 0 }: WalkOptions<Machine>,
) {
  const passed = new Set<string>()
  const clock = new StepClock(now)
  let thrown: unknown = null
  let timer = 'timer'
  const options = {
    input,
    clock,
    inspect: ({ type, event, snapshot }: Seen) => {
      if (type === '@xstate.event' && event?.type.startsWith('xstate.after.')) timer = event.type
      if (type === '@xstate.microstep') for (const { id } of snapshot?._nodes ?? []) passed.add(id)
    },
  }
  const actor: AnyActor = createActor(machine, options as unknown as ActorOptions<AnyStateMachine>)
  actor.subscribe({ error: (error) => (thrown = error) })
  actor.start()
  const run = {
    effects,
    passed,
    snapshot: () => actor.getSnapshot() as SnapshotFrom<Machine>,
    can: (event: EventFrom<Machine>): boolean => actor.getSnapshot().can(event),
    /** All that an event could have changed. */
    print: () => {
      const { value, context, status, output, tags } = actor.getSnapshot()
      return JSON.stringify([value, context, status, output, [...tags], effects.length])
    },
    /** What may happen next. A machine at its end hears nothing. */
    steps: (): Step<Machine>[] => {
      if (actor.getSnapshot().status !== 'active') return []
      const now = clock.now()
      const sent = typeof events === 'function' ? events(run.snapshot(), now) : events
      const timers = clock.pending() > 0 ? [{ event: null, label: '' }] : []
      const children = actor.getSnapshot().children as Record<string, unknown>
      const possible = sent.filter((event) => {
        const child = ANSWER.exec((event as { type: string }).type)?.[1]
        return child === undefined || children[child] !== undefined
      })
      return [...possible.map((event) => ({ event, label: (event as { type: string }).type })), ...timers]
    },
    /** Takes one step and gives its name: the event's type, or the timer's. */
    take: ({ event, label }: Step<Machine>): string => {
      if (event !== null) actor.send(event)
      else clock.fireNext()
      return event === null ? timer : label
    },
    mustLive: (labels: readonly string[]) => {
      if (thrown !== null) throw new Error(`Broke after ${labels.join(' → ')}`, { cause: thrown })
    },
  }
  for (const step of path) run.take(step)
  run.mustLive(path.map(({ label }) => label))
  return run
}

/** The states that are passed before the first event: inspection does not tell of them. */
function atStart<Machine extends AnyStateMachine>(machine: Machine, input: InputFrom<Machine>): Set<string> {
  const steps = getInitialMicrosteps(inert(machine, []), input)
  const nodes = steps.flatMap(([snapshot]) => (snapshot as NonNullable<Seen['snapshot']>)._nodes ?? [])
  return new Set(nodes.map(({ id }) => id))
}

function keyOfValue(snapshot: { value?: unknown }): string {
  return typeof snapshot.value === 'string' ? snapshot.value : JSON.stringify(snapshot.value)
}

/** The ids of all states, without the root and without history. */
function stateIds(machine: AnyStateMachine): string[] {
  const inside = (node: DirectedGraphNode): DirectedGraphNode[] => [node, ...node.children.flatMap(inside)]
  return toDirectedGraph(machine)
    .children.flatMap(inside)
    .filter(({ stateNode }) => stateNode.type !== 'history')
    .map(({ id }) => id)
}
