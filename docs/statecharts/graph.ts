import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** A graph as the layout takes it and gives it back, with places and sizes filled in. */
export interface GraphNode {
  readonly id: string
  readonly width?: number
  readonly height?: number
  readonly x?: number
  readonly y?: number
  readonly labels?: readonly GraphLabel[]
  readonly children?: readonly GraphNode[]
  readonly edges?: readonly GraphEdge[]
  readonly layoutOptions?: Readonly<Record<string, string>>
  /** What the drawing is to know of it: the layout hands it on. */
  readonly kind: 'machine' | 'composite' | 'state' | 'final' | 'start' | 'anywhere'
  readonly path: string
}
export interface GraphLabel {
  readonly text: string
  readonly width: number
  readonly height: number
  readonly x?: number
  readonly y?: number
}
export interface GraphEdge {
  readonly id: string
  readonly sources: readonly string[]
  readonly targets: readonly string[]
  readonly labels: readonly GraphLabel[]
  readonly container?: string
  readonly sections?: readonly { startPoint: Point; endPoint: Point; bendPoints?: readonly Point[] }[]
  readonly events: readonly string[]
}
export interface Point {
  readonly x: number
  readonly y: number
}

const CHAR_PX = 6.6
const SMALL_CHAR_PX = 5.9
export const LINE_PX = 15
const NAME_PX = 24
const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeLabel': '3',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.edgeLabels.inline': 'false',
  'elk.padding': '[top=12,left=12,bottom=12,right=12]',
}

/** A machine as a graph: its states as boxes in boxes, its transitions as labelled arrows. The same machine gives the same graph. */
export function graphOf(machine: AnyStateMachine): GraphNode {
  const { root } = machine
  const edges = within(root).flatMap(arrowsOf)
  return {
    id: root.id,
    kind: 'machine',
    path: '',
    layoutOptions: OPTIONS,
    children: childrenOf(root),
    edges: [...within(root).flatMap(startOf), ...merged(edges)],
  }
}

const within = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(within)]
const isComposite = (node: AnyStateNode) => Object.keys(node.states).length > 0
const isInside = (node: AnyStateNode, outer: AnyStateNode): boolean =>
  node !== outer && (node.parent === outer || (node.parent !== undefined && isInside(node.parent, outer)))

interface Arrow {
  readonly from: string
  readonly to: string
  readonly event: string
  readonly guard: string
}

/** The transitions of a state that lead somewhere. One into the state itself starts at "any state" inside it. */
function arrowsOf(node: AnyStateNode): Arrow[] {
  const defined: AnyTransitionDefinition[] = [...[...node.transitions.values()].flat(), ...(node.always ?? [])]
  return defined.flatMap(({ target, eventType, guard }) =>
    (target ?? []).map((to: AnyStateNode) => ({
      from: isInside(to, node) ? `${node.id}.*` : node.id,
      to: to.id,
      event: eventLabel(String(eventType)),
      guard: guardLabel(guard),
    })),
  )
}

function merged(arrows: readonly Arrow[]): GraphEdge[] {
  const byEnds = new Map<string, Arrow[]>()
  for (const arrow of arrows) {
    const ends = `${arrow.from} → ${arrow.to}`
    byEnds.set(ends, [...(byEnds.get(ends) ?? []), arrow])
  }
  return [...byEnds].map(([ends, [first, ...others]]) => {
    const all = first ? [first, ...others] : others
    const lines = [...new Set(all.map(({ event, guard }) => (guard === '' ? event : `${event} [${guard}]`)))]
    return {
      id: ends,
      sources: [first?.from ?? ''],
      targets: [first?.to ?? ''],
      events: [...new Set(all.map(({ event }) => event))],
      labels: [{ text: lines.join('\n'), width: widthOf(lines, SMALL_CHAR_PX) + 6, height: lines.length * LINE_PX }],
    }
  })
}

function startOf(node: AnyStateNode): GraphEdge[] {
  const [target] = node.type === 'compound' ? node.initial.target : []
  if (!target) return []
  const source = `${node.id}.(start)`
  return [{ id: source, sources: [source], targets: [target.id], labels: [], events: ['begin'] }]
}

function childrenOf(node: AnyStateNode): GraphNode[] {
  const states = Object.values(node.states).map(nodeOf)
  const anywhere = arrowsOf(node).some(({ from }) => from.endsWith('.*'))
  const dot = (id: string, kind: 'start' | 'anywhere', width: number, height: number): GraphNode => ({
    id,
    kind,
    path: '',
    width,
    height,
  })
  return [
    ...(node.type === 'compound' ? [dot(`${node.id}.(start)`, 'start', 10, 10)] : []),
    ...states,
    ...(anywhere ? [dot(`${node.id}.*`, 'anywhere', 92, 26)] : []),
  ]
}

const invokesOf = (node: AnyStateNode) => node.invoke.map(({ src, id }) => String(id && !/^\d+\./.test(id) ? id : src))

/** What the entry has done outside of the machine; messages to other actors are arrows elsewhere. */
function effectsOf(node: AnyStateNode): string[] {
  const { actions } = node.machine.implementations
  const types = node.entry.map((action) => String((action as { type?: unknown }).type))
  return types.filter(
    (type) => typeof actions[type] === 'function' && !('resolve' in actions[type]) && !type.startsWith('post'),
  )
}

function nodeOf(node: AnyStateNode): GraphNode {
  const name = node.key
  const waits = node.description?.split('\n') ?? []
  const does = [...waits, ...[...invokesOf(node), ...effectsOf(node)].map((effect) => `does ${effect}`)]
  const text = [name, ...does].join('\n')
  const width = Math.max(widthOf([name], CHAR_PX + 1), widthOf(does, SMALL_CHAR_PX)) + 28
  const base = { id: node.id, path: node.path.join('.') }
  if (isComposite(node)) {
    const height = NAME_PX + does.length * LINE_PX
    return {
      ...base,
      kind: 'composite',
      labels: [{ text, width, height }],
      children: childrenOf(node),
      layoutOptions: { 'elk.padding': `[top=${height + 18},left=16,bottom=16,right=16]` },
    }
  }
  return {
    ...base,
    kind: node.type === 'final' ? 'final' : 'state',
    labels: [{ text, width, height: NAME_PX }],
    width: Math.max(84, width),
    height: NAME_PX + 12 + does.length * LINE_PX,
  }
}

const widthOf = (lines: readonly string[], charPx: number) => Math.max(0, ...lines.map((line) => line.length * charPx))

function eventLabel(type: string): string {
  if (type === '') return 'always'
  const [, kind, rest = ''] = /^xstate\.(after|done\.actor|error\.actor|done\.state)\.(.+)$/.exec(type) ?? []
  if (kind === undefined) return type
  return kind === 'after' ? `after ${rest.split('.')[0]}` : `${kind.split('.')[0]} ${rest}`
}

function guardLabel(guard: unknown): string {
  if (guard === undefined || guard === null) return ''
  if (typeof guard === 'string') return guard
  const { type, name, guards } = guard as { type?: string; name?: string; guards?: readonly unknown[] }
  if (guards === undefined) return type ?? name ?? 'guarded'
  const names = guards.map(guardLabel)
  const kind = type ?? name ?? ''
  return kind.includes('not') ? `not ${names[0]}` : names.join(kind.includes('or') ? ' or ' : ' and ')
}
