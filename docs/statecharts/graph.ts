import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'
import { NAME_LINE_PX, textOf, type Words } from './words.ts'

/** A box of the drawing. The layout takes its size, or what is in it, and gives its place in the whole drawing. */
export interface GraphNode {
  readonly id: string
  readonly kind: 'machine' | 'composite' | 'state' | 'final' | 'anywhere'
  /** The path of its state in the machine. */
  readonly path: string
  readonly words: Words
  /** Its frame begins in it. */
  readonly isInitial: boolean
  /** An arrow leads from it to itself. */
  readonly isLooped: boolean
  readonly width?: number
  readonly height?: number
  readonly x?: number
  readonly y?: number
  readonly ports?: readonly Port[]
  readonly children?: readonly GraphNode[]
  readonly edges?: readonly GraphEdge[]
  readonly layoutOptions?: Options
}
export type Options = Readonly<Record<string, string>>
interface Port {
  readonly id: string
}

/** A piece of a line: the arrows that leave a frame for the same state share what lies outside of it. */
export interface GraphEdge {
  readonly id: string
  readonly sources: readonly string[]
  readonly targets: readonly string[]
  readonly sections?: readonly { startPoint: Point; endPoint: Point; bendPoints?: readonly Point[] }[]
}
export interface Point {
  readonly x: number
  readonly y: number
}

/** All transitions from one state to another. */
export interface Arrow {
  readonly from: string
  readonly to: string
  /** The pieces of its line, from its source to its target; none for one that leads back, beside its state. */
  readonly pieces: readonly string[]
  readonly events: readonly string[]
  /** Each event with its guard. */
  readonly labels: readonly string[]
}

/** Each frame is laid out for itself: from its first state downwards, in the order of the code. */
const OPTIONS: Options = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.layered.mergeEdges': 'true',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.spacing.edgeNode': '14',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
}
/**
 * How far states are apart, below and beside each other, until there is room for the words of all arrows. As far as the
 * last are they only where otherwise some words have none.
 */
const APART_PX = [
  [50, 40],
  [60, 98],
  [76, 110],
  [90, 150],
]
export const LAYOUTS: readonly (readonly Options[])[] = APART_PX.map(([below, beside]) =>
  ['LINEAR_SEGMENTS', 'NETWORK_SIMPLEX'].map((placement) => ({
    'elk.layered.spacing.nodeNodeBetweenLayers': `${below}`,
    'elk.spacing.nodeNode': `${beside}`,
    'elk.layered.nodePlacement.strategy': placement,
  })),
)
/** Between a frame and what is in it, above and below, and at its sides, where words are. */
const FRAME_PX = 16
const FRAME_SIDE_PX = 24
/** Of the dot and its arrow, which are drawn beside a state that its frame begins in. */
export const DOT_PX = 22
/** Of the arrow beside a state that leads back to it. */
export const LOOP_PX = 14

/** A machine as boxes in boxes, for the layout, and its arrows. The same machine gives the same graph. */
export function graphOf(machine: AnyStateMachine): { readonly graph: GraphNode; readonly arrows: readonly Arrow[] } {
  const { root } = machine
  const ports = new Map<string, Set<string>>()
  // A large machine would become too high.
  const order = new Map((isLarge(root) ? [] : [root, ...within(root)]).map(({ id }, index) => [id, index]))
  const addPort = ({ node, port }: Stop) => ports.set(node, new Set([...(ports.get(node) ?? []), port]))
  const pieces = new Map<string, GraphEdge>()
  const arrows = merged([root, ...within(root)].flatMap(transitionsOf)).map(({ source, target, ...arrow }) => {
    if (source === target) return { ...arrow, pieces: [] }
    const stops = stopsOf(source, target)
    const begin = stops[0]?.node === arrow.from ? [] : [{ node: arrow.from, port: arrow.from }]
    const end = stops.at(-1)?.node === arrow.to ? [] : [{ node: arrow.to, port: arrow.to }]
    const way = [...begin, ...stops, ...end]
    const own = way.slice(1).map((to, index) => pieceOf(way[index] ?? to, to, order))
    for (const { stops, ...piece } of own) {
      for (const stop of stops) if (stop.port !== stop.node) addPort(stop)
      pieces.set(piece.id, piece)
    }
    return { ...arrow, pieces: own.map(({ id }) => id) }
  })
  const graph = { ...frameOf(root, ports), id: root.id, kind: 'machine', edges: [...pieces.values()] } as const
  return { graph, arrows }
}

/** A place of a node that a line passes: one of its own, or, of a state itself, where the layout has its lines. */
interface Stop {
  readonly node: string
  readonly port: string
}

/** What leads back to a state before has places of its own: no piece of a line has arrows in both directions. */
function pieceOf(from: Stop, to: Stop, order: ReadonlyMap<string, number>): GraphEdge & { readonly stops: Stop[] } {
  const last = Number.POSITIVE_INFINITY
  const leadsBack =
    (order.get(from.node) ?? last) > (order.get(to.node) ?? last) && !from.node.startsWith(`${to.node}.`)
  const back = ({ node, port }: Stop, side: string): Stop => ({
    node,
    port: leadsBack && port === node ? `${node} back ${side}` : port,
  })
  const stops = [back(from, 'from'), back(to, 'to')]
  const [source, target] = stops.map(({ port }) => port) as [string, string]
  return { id: `${source} → ${target}`, sources: [source], targets: [target], stops }
}

const within = (node: AnyStateNode): AnyStateNode[] =>
  Object.values(node.states).flatMap((each) => [each, ...within(each)])
const isInside = (node: AnyStateNode, outer: AnyStateNode): boolean =>
  node.parent !== undefined && (node.parent === outer || isInside(node.parent, outer))
const isComposite = (node: AnyStateNode): boolean => Object.keys(node.states).length > 0
/** From the innermost outwards. */
const framesOf = ({ parent }: AnyStateNode): AnyStateNode[] =>
  parent?.parent === undefined ? [] : [parent, ...framesOf(parent)]

/**
 * Where an arrow crosses frames: all that leave a frame for the same state do so at one place, those of the frame itself
 * begin at another, and all that enter it for the same state do so at a third.
 */
function stopsOf(source: AnyStateNode, target: AnyStateNode): Stop[] {
  const outOf = [...(isComposite(source) && !isInside(target, source) ? [source] : []), ...framesOf(source)]
  const left = outOf.filter((frame) => frame !== target && !isInside(target, frame))
  const into = [...(isComposite(target) && !isInside(source, target) ? [target] : []), ...framesOf(target)]
  const entered = into.filter((frame) => frame !== source && !isInside(source, frame))
  return [
    ...left.map(({ id }) => ({ node: id, port: `${id} ${id === source.id ? 'itself' : 'out'} to ${target.id}` })),
    ...entered.reverse().map(({ id }) => ({ node: id, port: `${id} in to ${target.id}` })),
  ]
}

interface Transition {
  readonly source: AnyStateNode
  readonly target: AnyStateNode
  readonly from: string
  readonly to: string
  readonly event: string
  readonly label: string
}

/** The transitions of a state that lead somewhere. One into the state itself starts at "any state" inside it. */
function transitionsOf(node: AnyStateNode): Transition[] {
  const defined: AnyTransitionDefinition[] = [...[...node.transitions.values()].flat(), ...(node.always ?? [])]
  return defined.flatMap(({ target, eventType, guard }) =>
    (target ?? []).map((to: AnyStateNode) => {
      const event = eventLabel(String(eventType))
      const condition = guardLabel(guard)
      return {
        source: node,
        target: to,
        from: isInside(to, node) ? `${node.id}.*` : node.id,
        to: to.id,
        event,
        label: condition === '' ? event : `${event} [${condition}]`,
      }
    }),
  )
}

type Ends = Pick<Transition, 'source' | 'target' | 'from' | 'to'> & Pick<Arrow, 'events' | 'labels'>

function merged(transitions: readonly Transition[]): Ends[] {
  const byEnds = new Map<string, Ends>()
  for (const { event, label, ...ends } of transitions) {
    const key = `${ends.from} → ${ends.to}`
    const { events, labels } = byEnds.get(key) ?? { events: [], labels: [] }
    byEnds.set(key, { ...ends, events: [...new Set([...events, event])], labels: [...new Set([...labels, label])] })
  }
  return [...byEnds.values()]
}

type Ports = ReadonlyMap<string, ReadonlySet<string>>

function frameOf(
  node: AnyStateNode,
  ports: Ports,
): Pick<GraphNode, 'children' | 'layoutOptions' | 'words' | 'path' | 'isInitial' | 'isLooped'> {
  const words = textOf(node.parent ? node.key : '', sentenceOf(node))
  const anywhere = transitionsOf(node).some(({ from }) => from.endsWith('.*'))
  const states = Object.values(node.states).map((each) => nodeOf(each, ports))
  const side = node.parent ? FRAME_SIDE_PX : FRAME_PX
  const top = FRAME_PX + (node.parent ? words.height + 2 : 0)
  // Frames are below each other: beside each other they would be wider than a page.
  const direction = node.parent && Object.values(node.states).some(isComposite) ? 'RIGHT' : 'DOWN'
  return {
    ...{
      words,
      path: node.path.join('.'),
      isInitial: node.parent?.type === 'compound' && node.parent.initial.target?.[0] === node,
    },
    isLooped: transitionsOf(node).some(({ to }) => to === node.id),
    children: [...states, ...(anywhere ? [anywhereIn(node, ports)] : [])],
    layoutOptions: {
      ...OPTIONS,
      'elk.direction': direction,
      'elk.padding': `[top=${top},left=${side},bottom=${FRAME_PX},right=${side}]`,
    },
  }
}

function nodeOf(node: AnyStateNode, ports: Ports): GraphNode {
  const frame = frameOf(node, ports)
  const { id } = node
  const own = [...(ports.get(id) ?? [])].map((port) => ({ id: port }))
  if (isComposite(node)) return { ...frame, id, kind: 'composite', ports: own }
  const { words, path, isInitial, isLooped } = frame
  const width = words.width + 20 + (isInitial ? DOT_PX : 0) + (isLooped ? LOOP_PX : 0)
  return {
    words,
    path,
    isInitial,
    isLooped,
    id,
    ports: own,
    kind: node.type === 'final' ? 'final' : 'state',
    width,
    height: words.height + 12,
  }
}

const anywhereIn = ({ id }: AnyStateNode, ports: Ports): GraphNode => ({
  ...{
    id: `${id}.*`,
    ports: [...(ports.get(`${id}.*`) ?? [])].map((port) => ({ id: port })),
    kind: 'anywhere',
    path: '',
    words: textOf('in any state', ''),
    isInitial: false,
    isLooped: false,
  },
  ...{ width: 110, height: NAME_LINE_PX + 8 },
})

/** A machine with more states is drawn with their names alone, and what leads back shares lines with what leads onwards. */
const SMALL_MAX = 13
const isLarge = (root: AnyStateNode): boolean => within(root).length > SMALL_MAX
/** What a state waits for or does, as its box says it. */
const sentenceOf = ({ machine, description = '' }: AnyStateNode): string =>
  isLarge(machine.root) ? '' : description.replaceAll('\n', ' ')

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
