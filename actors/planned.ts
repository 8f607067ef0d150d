import type {
  ActorScope,
  AnyActorLogic,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  EventObject,
  Snapshot,
} from 'xstate'
import { type Args, type Choice, type Place, plansOf, type Step } from './plans.ts'

type Scope = ActorScope<AnyMachineSnapshot, EventObject>

/** Small steps that follow each other by themselves. More than that are XState's to judge. */
const STEPS_MAX = 100

/** What is done once it is known where the machine goes. */
interface Effect {
  readonly step: Extract<Step, { does: 'act' | 'time' }>
  readonly args: Args
  readonly params: unknown
}

/**
 * The same machine, quicker: its plain transitions are planned once. What is not plain (a state that invokes, parallel
 * states, a guard of XState's own kinds) and whatever throws is left to XState, from the beginning: first it is worked
 * out where the machine goes, which touches nothing, and only then its actions are run, in XState's order.
 * Snapshots are XState's, so that a machine may go from one to the other at every event.
 */
export function planned(machine: AnyStateMachine): AnyActorLogic {
  const plans = plansOf(machine)
  if (!plans) return machine
  const { first } = plans
  const initialContext = machine.config.context
  /** A snapshot of this machine, for what all of them share. */
  const sample = machine.resolveState({ value: first?.to.value ?? {}, context: {} })

  /** The first choice whose guard holds. */
  function chosen(choices: readonly Choice[], args: Args): Choice | undefined {
    for (const choice of choices) {
      const { guard } = choice
      if (!guard || guard.test(args, valueFor(guard.params, args))) return choice
    }
    return undefined
  }

  /** Takes a choice, and then what is chosen by itself. `null` when XState has to. */
  function walk(walker: Walker, begin: Choice | undefined): Walker | null {
    let choice = begin
    for (let n = 0; n < STEPS_MAX; n++) {
      if (choice) {
        if (!choice.steps) return null
        const before = walker.args
        for (const step of choice.steps) walker.take(step)
        const moved = choice.to !== null && choice.to !== walker.place
        if (choice.to) walker.place = choice.to
        if (walker.place.done) return walker
        // What chose itself and changed nothing would choose itself for ever.
        if (n > 0 && !moved && walker.args === before) return walker
      }
      if (walker.place.always.length === 0) return walker
      const next = chosen(walker.place.always, walker.args)
      if (!next) return walker
      choice = next
    }
    return null
  }

  function transition(snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: Scope): AnyMachineSnapshot {
    if (snapshot.status !== 'active' || event.type.startsWith('xstate.')) {
      return machine.transition(snapshot, event, scope as never)
    }
    const place = plans?.placeOf(snapshot._nodes)
    let walked: Walker | null = null
    try {
      if (place) {
        const walker = new Walker(snapshot, place, argsOf(snapshot.context, event, scope), scope)
        walked = walk(walker, chosen(place.on(event.type), walker.args))
      }
    } catch {
      // XState comes to the same, and says it in its own words.
    }
    // At its end XState stops what it invoked.
    if (walked?.place.done && Object.keys(snapshot.children).length > 0) walked = null
    if (!walked) return machine.transition(snapshot, event, scope as never)
    for (const { step, args, params } of walked.effects) {
      if (step.does === 'act') step.act(args, params)
      else step.timer.execute(scope, params)
    }
    return walked.snapshot(machine)
  }

  function getInitialSnapshot(scope: Scope, input: unknown): AnyMachineSnapshot {
    let walked: Walker | null = null
    try {
      if (first && typeof initialContext === 'function') {
        const context = initialContext({ input, self: scope.self } as never)
        const args = argsOf(context, { type: 'xstate.init', input }, scope)
        const walker = new Walker(sample, first.to, args, scope)
        for (const step of first.steps) walker.take(step)
        walked = walk(walker, undefined)
      }
    } catch {
      // As above.
    }
    if (!walked || walked.place.done) return machine.getInitialSnapshot(scope as never, input)
    // They are run when the actor starts.
    for (const { step, args, params } of walked.effects) {
      const exec = step.does === 'act' ? step.act : () => step.timer.execute(scope, params)
      const type = step.does === 'act' ? step.type : step.timer.type
      scope.actionExecutor({ type, info: args, params, exec } as never)
    }
    return walked.snapshot(machine, {})
  }

  return {
    config: machine.config,
    transition,
    getInitialSnapshot,
    getPersistedSnapshot: (snapshot, options) =>
      persisted(snapshot as AnyMachineSnapshot, options) ?? machine.getPersistedSnapshot(snapshot as never, options),
    restoreSnapshot: machine.restoreSnapshot,
    start: machine.start,
  }
}

/** What XState keeps of an actor that a machine invoked. */
interface Child {
  readonly src: unknown
  readonly systemId: unknown
  readonly _syncSnapshot: unknown
  getPersistedSnapshot(options: unknown): unknown
}

/**
 * What is kept of a snapshot, as XState makes it where there is no history: without a copy of all that is not kept, and
 * without a look for actors in the context, which has none.
 */
function persisted(snapshot: AnyMachineSnapshot, options: unknown): Snapshot<unknown> | null {
  const { status, output, error, value, historyValue, context } = snapshot
  for (const _ in historyValue) return null
  const children: Record<string, unknown> = {}
  for (const id in snapshot.children) {
    const child = snapshot.children[id] as unknown as Child
    const { src, systemId, _syncSnapshot: syncSnapshot } = child
    children[id] = { snapshot: child.getPersistedSnapshot(options), src, systemId, syncSnapshot }
  }
  return { status, output, error, value, historyValue, context, children } as unknown as Snapshot<unknown>
}

const argsOf = (context: unknown, event: AnyEventObject, { self, system }: Scope): Args => ({
  context,
  event,
  self,
  system,
})

const valueFor = (params: unknown, args: Args): unknown => (typeof params === 'function' ? params(args) : params)

/** Where a machine is on its way from one snapshot to the next. It has changed nothing yet. */
class Walker {
  readonly effects: Effect[] = []
  readonly #from: AnyMachineSnapshot
  readonly #begin: Place
  readonly #scope: Scope
  #history: AnyMachineSnapshot['historyValue'] | null = null
  place: Place
  args: Args

  constructor(from: AnyMachineSnapshot, place: Place, args: Args, scope: Scope) {
    this.#from = from
    this.#begin = place
    this.place = place
    this.args = args
    this.#scope = scope
  }

  take(step: Step): void {
    const { args } = this
    if (step.does === 'assign') {
      const context = assigned(step.assignment, args, valueFor(step.params, args))
      this.args = argsOf(context, args.event, this.#scope)
    } else if (step.does === 'act') {
      this.effects.push({ step, args, params: valueFor(step.params, args) })
    } else if (step.does === 'remember') {
      this.#history = { ...(this.#history ?? this.#from.historyValue), ...step.history } as never
    } else {
      const [, params] = step.timer.resolve(this.#scope, this.#from, args, undefined, step.timer, { internalQueue: [] })
      this.effects.push({ step, args, params })
    }
  }

  /** Where it has come to. `children`: those that it has now. */
  snapshot(machine: AnyStateMachine, children = this.#from.children): AnyMachineSnapshot {
    const { place } = this
    const from = this.#from
    const { context } = this.args
    if (place === this.#begin && context === from.context && !this.#history) return from
    const { done } = place
    const { output } = machine.root
    return {
      status: done ? 'done' : 'active',
      output: done
        ? typeof output === 'function'
          ? output({ ...this.args, event: done } as never)
          : output
        : undefined,
      error: undefined,
      machine: from.machine,
      context,
      _nodes: place.nodes,
      value: place.value,
      tags: place.tags,
      children,
      historyValue: this.#history ?? from.historyValue,
      matches: from.matches,
      hasTag: from.hasTag,
      can: from.can,
      getMeta: from.getMeta,
      toJSON: from.toJSON,
    } as AnyMachineSnapshot
  }
}

function assigned(assignment: Extract<Step, { does: 'assign' }>['assignment'], args: Args, params: unknown): unknown {
  if (typeof assignment === 'function') return { ...(args.context as object), ...(assignment(args, params) as object) }
  const context: Record<string, unknown> = { ...(args.context as object) }
  for (const [key, value] of Object.entries(assignment)) {
    context[key] = typeof value === 'function' ? value(args, params) : value
  }
  return context
}
