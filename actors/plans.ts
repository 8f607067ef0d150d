import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate'

/** What actions, guards and their params are called with. */
export interface Args {
  readonly context: unknown
  readonly event: AnyEventObject
  readonly self: unknown
  readonly system: unknown
}

type Params = unknown | ((args: Args) => unknown)
type Fn = (args: Args, params: unknown) => unknown

/** XState's own timers: what `after` adds to the entry and to the exit of a state. */
export interface Timer {
  readonly type: string
  resolve(
    scope: unknown,
    snapshot: unknown,
    args: Args,
    params: unknown,
    self: Timer,
    extra: object,
  ): [unknown, unknown]
  execute(scope: unknown, params: unknown): void
}

/** One thing that a transition does. */
export type Step =
  | { readonly does: 'assign'; readonly assignment: Fn | Readonly<Record<string, unknown>>; readonly params: Params }
  | { readonly does: 'act'; readonly type: string; readonly act: Fn; readonly params: Params }
  | { readonly does: 'time'; readonly timer: Timer }
  /** What a history knows from now on. */
  | { readonly does: 'remember'; readonly history: Readonly<Record<string, readonly AnyStateNode[]>> }

/** A transition that may be taken. `steps`: `null` when only XState itself may take it. */
export interface Choice {
  readonly guard: { readonly test: Fn; readonly params: Params } | null
  readonly steps: readonly Step[] | null
  /** Where it leads; `null` when it stays. */
  readonly to: Place | null
}

/** A machine is in one state at a time: one leaf, and all that it lies in. */
export interface Place {
  readonly nodes: readonly AnyStateNode[]
  readonly value: AnyMachineSnapshot['value']
  readonly tags: ReadonlySet<string>
  /** The event by which the output is asked for; `null` for a place that is not final. */
  readonly done: AnyEventObject | null
  /** What may be chosen by an event, in XState's order: from the leaf outwards. */
  on(eventType: string): readonly Choice[]
  /** What is chosen by itself. */
  readonly always: readonly Choice[]
}

export interface Plans {
  /** Where a snapshot stands. */
  placeOf(nodes: readonly AnyStateNode[]): Place | undefined
  /** The way to the first state, if it is plain. */
  readonly first: { readonly steps: readonly Step[]; readonly to: Place } | null
}

type Definition = NonNullable<AnyStateNode['always']>[number]
type Action = Definition['actions'][number]

/**
 * What every transition of a machine does, worked out once: XState finds the states to leave and to enter, and makes a
 * snapshot, at every one of its small steps. `null` for a machine with parallel states, or a star for an event.
 */
export function plansOf(machine: AnyStateMachine): Plans | null {
  const { root } = machine
  const all = [...withDescendants(root)]
  if (root.type !== 'compound' || all.some(isBeyond)) return null
  const places = new Map<AnyStateNode, Place>()
  const steps = stepsOf(machine)

  function place(leaf: AnyStateNode): Place {
    const known = places.get(leaf)
    if (known) return known
    const path = [...upwards(leaf)]
    const byEvent = new Map<string, readonly Choice[]>()
    let always: readonly Choice[] | undefined
    const made: Place = {
      nodes: path.toReversed(),
      value: stateValue(leaf),
      tags: new Set(path.flatMap(({ tags }) => tags)),
      done: leaf.type === 'final' ? { type: `xstate.done.state.${leaf.id}`, output: undefined } : null,
      on(eventType) {
        const known = byEvent.get(eventType)
        if (known) return known
        const choices = path.flatMap((node) => (node.transitions.get(eventType) ?? []).map((one) => choice(leaf, one)))
        byEvent.set(eventType, choices)
        return choices
      },
      get always() {
        always ??= path.flatMap((node) => (node.always ?? []).map((one) => choice(leaf, one)))
        return always
      },
    }
    places.set(leaf, made)
    return made
  }

  function choice(leaf: AnyStateNode, definition: Definition): Choice {
    const guard = guardOf(machine, definition.guard)
    const way = guard === undefined ? null : wayOf(leaf, definition)
    const done = way && steps([...way.left.flatMap(leaving), ...definition.actions, ...way.entered.flatMap(entering)])
    const history = Object.fromEntries((way?.left ?? []).flatMap((node) => historyOf(node, leaf)))
    const remembered: readonly Step[] = Object.keys(history).length > 0 ? [{ does: 'remember', history }] : []
    return {
      guard: guard ?? null,
      steps: done && [...remembered, ...done],
      to: done && way?.leaf ? place(way.leaf) : null,
    }
  }

  const entered = entrance(root)
  const firstLeaf = entered?.at(-1)
  const firstSteps = entered && steps(entered.flatMap(entering))
  return {
    placeOf(nodes) {
      const last = nodes[nodes.length - 1]
      const leaf = last?.type === 'compound' ? nodes.find(({ type }) => type !== 'compound') : last
      return leaf && place(leaf)
    },
    first: firstLeaf && firstSteps && !isFinal(firstLeaf) ? { steps: firstSteps, to: place(firstLeaf) } : null,
  }
}

/** In place of an action: only XState does it, as it invokes, or has more to do at the end than to give an output. */
const BEYOND: readonly (Action | null)[] = [null]
const isFinal = (node: AnyStateNode) => node.type === 'final'
const leaving = (node: AnyStateNode): readonly (Action | null)[] => (node.invoke.length > 0 ? BEYOND : node.exit)
const entering = (node: AnyStateNode): readonly (Action | null)[] =>
  node.invoke.length > 0 || (isFinal(node) && !endsPlainly(node)) ? BEYOND : node.entry

/** Its machine ends with it, and nothing is left to be done then. */
const endsPlainly = (node: AnyStateNode) =>
  node.parent === node.machine.root &&
  node.output === undefined &&
  node.exit.length === 0 &&
  node.machine.root.exit.length === 0

const isBeyond = ({ type, transitions }: AnyStateNode) =>
  type === 'parallel' || [...transitions.keys()].some((descriptor) => descriptor.includes('*'))

/** What the histories of a state know when it is left: where it was, as far in as they are deep. */
const historyOf = (node: AnyStateNode, leaf: AnyStateNode) =>
  Object.values(node.states)
    .filter(({ type }) => type === 'history')
    .map(({ id, history }): [string, AnyStateNode[]] => [
      id,
      [...upwards(leaf)].filter((at) => (history === 'deep' ? at === leaf : at.parent === node)),
    ])

function* withDescendants(node: AnyStateNode): Iterable<AnyStateNode> {
  yield node
  for (const child of Object.values(node.states)) yield* withDescendants(child)
}

function* upwards(node: AnyStateNode): Iterable<AnyStateNode> {
  for (let at: AnyStateNode | undefined = node; at; at = at.parent) yield at
}

const isWithin = (node: AnyStateNode, outer: AnyStateNode) =>
  node !== outer && [...upwards(node)].some((each) => each === outer)

/** `{ outer: 'inner' }`, or the name of the one state. */
function stateValue(leaf: AnyStateNode): AnyMachineSnapshot['value'] {
  const [inner = '', ...outer] = leaf.path.toReversed()
  return outer.reduce<AnyMachineSnapshot['value']>((value, key) => ({ [key]: value }), inner)
}

interface Way {
  /** From the inside out. */
  readonly left: readonly AnyStateNode[]
  /** From the outside in. */
  readonly entered: readonly AnyStateNode[]
  /** The new leaf; `null` when the old one stays. */
  readonly leaf: AnyStateNode | null
}

/** What a transition leaves and enters; `null` when only XState can tell. */
function wayOf(leaf: AnyStateNode, { source, target: targets, reenter }: Definition): Way | null {
  if (!targets || targets.length === 0) return { left: [], entered: [], leaf: null }
  const [target] = targets
  if (!target || targets.length > 1 || target.type === 'history') return null
  const stays = !reenter && (target === source || isWithin(target, source))
  const domain = stays ? source : [...upwards(target)].find((node) => isWithin(target, node) && isWithin(source, node))
  if (!domain) return null
  const inward = entrance(target)
  if (!inward) return null
  const between = [...upwards(target)].filter((node) => node !== target && isWithin(node, domain)).reverse()
  const left = [...upwards(leaf)].filter((node) => isWithin(node, domain))
  const entered = target === domain ? inward.slice(1) : [...between, ...inward]
  return { left, entered, leaf: entered.at(-1) ?? null }
}

/** A state and those that are entered with it; `null` when that does more than to enter them. */
function entrance(node: AnyStateNode): AnyStateNode[] | null {
  if (node.type !== 'compound') return [node]
  const [child] = node.initial.target
  if (!child || child.parent !== node || node.initial.actions.length > 0) return null
  const inward = entrance(child)
  return inward && [node, ...inward]
}

/** `null` without a guard, `undefined` for one of XState's own kinds. */
function guardOf(machine: AnyStateMachine, guard: Definition['guard']): Choice['guard'] | undefined {
  if (guard === undefined) return null
  const test: unknown = typeof guard === 'function' ? guard : machine.implementations.guards[nameOf(guard)]
  if (typeof test !== 'function' || 'check' in test) return undefined
  return { test: test as Fn, params: paramsOf(guard) }
}

const nameOf = (named: string | { readonly type: string }) => (typeof named === 'string' ? named : named.type)
const paramsOf = (named: unknown): Params =>
  typeof named === 'object' && named !== null && 'params' in named ? named.params : undefined

const stepsOf =
  (machine: AnyStateMachine) =>
  (actions: readonly (Action | null)[]): readonly Step[] | null => {
    const steps = actions.map((action) => (action === null ? null : stepOf(machine, action)))
    return steps.every((step) => step !== null) ? steps : null
  }

function stepOf(machine: AnyStateMachine, action: Action): Step | null {
  const isInline = typeof action === 'function'
  const found: unknown = isInline ? action : machine.implementations.actions[nameOf(action)]
  if (typeof found !== 'function') return null
  const params = isInline ? undefined : paramsOf(action)
  if (!('resolve' in found))
    return { does: 'act', type: isInline ? found.name : nameOf(action), act: found as Fn, params }
  const own = found as unknown as Timer & { readonly assignment?: Fn; readonly delay?: unknown }
  if (own.type === 'xstate.assign' && own.assignment) return { does: 'assign', assignment: own.assignment, params }
  if (own.type === 'xstate.cancel' || (own.type === 'xstate.raise' && own.delay !== undefined)) {
    return { does: 'time', timer: own }
  }
  return null
}
