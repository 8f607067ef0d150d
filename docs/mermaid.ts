import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** One transition in words. `to` is empty where the state is not left. */
interface Arrow {
  readonly from: AnyStateNode
  readonly to: readonly AnyStateNode[]
  readonly on: string
  readonly guard: string
}

/** All states under a node, itself first, in the order of the code. */
const within = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(within)]

/** Every transition that starts at this state itself, in the order in which it is tried. */
function arrowsOf(node: AnyStateNode): Arrow[] {
  const defined: AnyTransitionDefinition[] = [...[...node.transitions.values()].flat(), ...(node.always ?? [])]
  return defined.map(({ target, eventType, guard }) => ({
    from: node,
    to: target ?? [],
    on: eventName(String(eventType)),
    guard: guardName(guard),
  }))
}

/** An event's name; a time-out by the name of its delay, an answer by the name of what was invoked. */
function eventName(type: string): string {
  if (type === '') return 'always'
  const [, kind, rest = ''] = /^xstate\.(after|done\.actor|error\.actor|done\.state)\.(.+)$/.exec(type) ?? []
  if (kind === undefined) return type
  if (kind === 'after') return `after ${rest.split('.')[0]}`
  return `${kind.split('.')[0]} ${rest}`
}

type Named = { readonly type?: string; readonly guards?: readonly unknown[]; readonly name?: string }

/** `and`, `or` and `not` are functions that carry the guards they are made of. */
function guardName(guard: unknown): string {
  if (guard === undefined) return ''
  const { guards } = guard as Named
  if (typeof guard !== 'function' || guards === undefined) return nameOf(guard)
  const names = guards.map(guardName)
  return nameOf(guard).includes('not') ? `not ${names[0]}` : names.join(nameOf(guard).includes('or') ? ' or ' : ' and ')
}

function nameOf(named: unknown): string {
  if (typeof named === 'string') return named
  const { type, name } = named as Named
  return (type ?? name ?? 'unnamed').replace(/^xstate\./, '')
}

const idOf = (node: AnyStateNode) => [node.machine.id, ...node.path].join('_').replaceAll(/\W/g, '_')
const isInside = (node: AnyStateNode, outer: AnyStateNode): boolean =>
  node === outer || (node.parent !== undefined && isInside(node.parent, outer))

const invokesOf = (node: AnyStateNode): string[] =>
  node.invoke.map(({ src, id }) => {
    const source = typeof src === 'string' ? src : 'unnamed'
    return id === source || /^\d+\./.test(id) ? source : `${source} (${id})`
  })

const entriesOf = (node: AnyStateNode): string[] =>
  node.entry.map(nameOf).filter((name) => name !== 'cancel' && name !== 'raise')

/** What goes on while it is in the state: what it invokes, and what its entry has done outside of the machine. */
const doesOf = (node: AnyStateNode): string[] => {
  const { actions } = node.machine.implementations
  const isEffect = (name: string) => typeof actions[name] === 'function' && !('resolve' in actions[name])
  return [...invokesOf(node), ...entriesOf(node).filter((name) => isEffect(name) && !name.startsWith('post'))]
}

/** What the state waits for, and what goes on in it. */
const linesOf = (node: AnyStateNode): string[] => [
  ...(node.description ? [node.description.replaceAll('\n', ' ')] : []),
  ...doesOf(node).map((name) => `does ${name}`),
]

const label = ({ on, guard }: Arrow) => (guard === '' ? on : `${on} [${guard}]`)

/** A machine as the body of a Mermaid `stateDiagram-v2`. The same machine always gives the same text. */
export function mermaid(machine: AnyStateMachine): string {
  const root: AnyStateNode = machine.root
  const body = root.type === 'parallel' ? [composite(root)] : inside(root)
  return ['stateDiagram-v2', ...body.flatMap((part) => part.split('\n')).map((line) => `  ${line}`)].join('\n')
}

/** What stands inside a composite state: where it begins, its states, and the arrows whose nearest home it is. */
function inside(node: AnyStateNode): string[] {
  const children = Object.values(node.states)
  const blocks = children.map((child) => (Object.keys(child.states).length > 0 ? composite(child) : leaf(child)))
  const begin = node.initial.target.map((target) => `[*] --> ${idOf(target)}`)
  const body = node.type === 'parallel' ? [blocks.join('\n--\n')] : [...begin, ...blocks]
  return [...body, ...arrowsAmong(node)].filter((part) => part !== '')
}

const indented = (parts: readonly string[]) => parts.flatMap((part) => part.split('\n')).map((line) => `  ${line}`)

function composite(node: AnyStateNode): string {
  const title = [node.key, ...linesOf(node)].join(' · ')
  return [`state "${title}" as ${idOf(node)} {`, ...indented(inside(node)), '}'].join('\n')
}

function leaf(node: AnyStateNode): string {
  if (node.type === 'history') return `state "${node.key} (history)" as ${idOf(node)}`
  const does = linesOf(node).map((line) => `\n${idOf(node)} : ${line}`)
  const end = node.type === 'final' ? `\n${idOf(node)} --> [*]` : ''
  return `state "${node.key}" as ${idOf(node)}${does.join('')}${end}`
}

/**
 * The arrows that belong into a composite state: those between its parts. One that leaves a composite for a state
 * inside it starts at a node of its own, "in any state": a diagram has no arrow from a box into itself.
 */
function arrowsAmong(home: AnyStateNode): string[] {
  const arrows = within(home)
    .flatMap(arrowsOf)
    .filter(({ from, to: [to] }) => to !== undefined && homeOf(from, to) === home)
  const merged = new Map<string, string[]>()
  for (const arrow of arrows) {
    const [to = home] = arrow.to
    const from = arrow.from !== to && isInside(to, arrow.from) ? `${idOf(arrow.from)}_any` : idOf(arrow.from)
    const ends = `${from} --> ${idOf(to)}`
    merged.set(ends, [...(merged.get(ends) ?? []), label(arrow)])
  }
  const anywhere = [...merged.keys()].some((ends) => ends.startsWith(`${idOf(home)}_any `))
  const lines = [...merged].map(([ends, labels]) => `${ends} : ${[...new Set(labels)].join('<br/>')}`)
  return anywhere ? [`state "in any state" as ${idOf(home)}_any`, ...lines] : lines
}

/** The innermost state in which both ends stand. */
function homeOf(from: AnyStateNode, to: AnyStateNode): AnyStateNode {
  let home = from !== to && isInside(to, from) ? from : (from.parent ?? from)
  while (!isInside(to, home) && home.parent) home = home.parent
  return home
}
