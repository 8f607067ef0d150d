import { type Arrow, DOT_PX, type GraphEdge, type GraphNode, LOOP_PX, type Point } from './graph.ts'
import { LABEL_LINE_PX, LABEL_PX, widthOf } from './words.ts'

export interface Box extends Point {
  readonly width: number
  readonly height: number
}
export interface Line {
  readonly arrow: Arrow
  readonly points: readonly Point[]
}
export interface Label extends Box {
  readonly lines: readonly LabelLine[]
}
export interface LabelLine {
  readonly text: string
  /** The events, with their guards, that it stands for. */
  readonly labels: readonly string[]
}

/** A label has no more lines. */
const LINES_MAX = 3
/** How far the places are apart that are tried for a label, and how far it is from a line that it is beside. */
const STEP_PX = 6
const BESIDE_PX = 4

/**
 * What makes a place worse: each pixel from where the line leaves its source; each other line, or frame, under the label;
 * a point of a line that other arrows share.
 */
const COST = { px: 0.05, crossed: 6, framed: 4, shared: 12 }

interface Surroundings {
  /** Nothing may lie on them. */
  readonly boxes: readonly Box[]
  readonly frames: readonly Box[]
  readonly size: Pick<Box, 'width' | 'height'>
}

/** A machine with a place for everything. */
export interface Chart {
  readonly width: number
  readonly height: number
  readonly nodes: readonly GraphNode[]
  readonly lines: readonly Line[]
  readonly labels: ReadonlyMap<Arrow, Label>
  /** Every arrow has its words. */
  readonly isWhole: boolean
}

/** What was laid out, with the words of its arrows. */
export function chartOf(graph: GraphNode, arrows: readonly Arrow[]): Chart {
  const size = { width: Math.ceil(graph.width ?? 0), height: Math.ceil(graph.height ?? 0) }
  const nodes = within(graph)
  const pieces = new Map((graph.edges ?? []).map((edge) => [edge.id, edge]))
  const lines = arrows.map((arrow) => ({ arrow, points: pointsOf(arrow, pieces, nodes) }))
  const labels = placeLabels(lines, {
    boxes: nodes.map((node) => (node.kind === 'composite' ? headOf(node) : outerOf(node))),
    frames: nodes.filter(({ kind }) => kind === 'composite').map(outerOf),
    size,
  })
  return { ...size, nodes, lines, labels, isWhole: labels.size === arrows.length }
}

const within = (node: GraphNode): GraphNode[] => (node.children ?? []).flatMap((each) => [each, ...within(each)])

const outerOf = ({ x = 0, y = 0, width = 0, height = 0 }: GraphNode): Box => ({ x, y, width, height })
/** Without what is beside it: the dot of a beginning, the arrow that leads back. */
export function boxOf(node: GraphNode): Box {
  const { x, y, width, height } = outerOf(node)
  if (node.kind === 'composite') return { x, y, width, height }
  const left = node.isInitial ? DOT_PX : 0
  return { x: x + left, y, width: width - left - (node.isLooped ? LOOP_PX : 0), height }
}
/** Where a frame has its words. */
const headOf = ({ x = 0, y = 0, width = 0, words }: GraphNode): Box => ({
  ...{ x: x + (width - words.width) / 2, y, width: words.width, height: words.height + 6 },
})

/** The points of the pieces of an arrow, one after the other. */
function pointsOf(
  { from, pieces }: Arrow,
  known: ReadonlyMap<string, GraphEdge>,
  nodes: readonly GraphNode[],
): Point[] {
  const looped = nodes.find(({ id }) => id === from)
  if (pieces.length === 0 && looped) return loopAt(boxOf(looped))
  const points = pieces.flatMap((id) =>
    (known.get(id)?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]),
  )
  return points.filter(({ x, y }, index) => index === 0 || x !== points[index - 1]?.x || y !== points[index - 1]?.y)
}

function loopAt({ x, y, width, height }: Box): Point[] {
  const [right, middle] = [x + width, y + height / 2]
  const [above, below] = [middle - 8, middle + 8]
  return [
    { x: right, y: above },
    { x: right + LOOP_PX, y: above },
    { x: right + LOOP_PX, y: below },
    { x: right, y: below },
  ]
}

/** Where the words of each arrow are: on its line or beside it, on no box and on no other words. One without room has none. */
function placeLabels(lines: readonly Line[], around: Surroundings): ReadonlyMap<Arrow, Label> {
  const placed = new Map<Arrow, Label>()
  for (const line of lines) {
    const text = linesOf(line.arrow)
    const best = candidates(line, text, lines, around)
      .filter(({ label }) => [...placed.values()].every((other) => !overlaps(label, other, 3)))
      .sort((a, b) => a.cost - b.cost)[0]
    if (best) placed.set(line.arrow, best.label)
  }
  return placed
}

/** One line for each event, and for each guard where nothing is waited for. */
function linesOf({ labels }: Arrow): LabelLine[] {
  const byText = new Map<string, string[]>()
  for (const label of labels) {
    const [event = '', guard] = label.split(/ (?=\[)/)
    const text = event === 'always' ? (guard ?? event) : event
    byText.set(text, [...(byText.get(text) ?? []), label])
  }
  const lines = [...byText].map(([text, own]) => ({ text, labels: own }))
  if (lines.length <= LINES_MAX) return lines
  const more = lines.slice(LINES_MAX - 1)
  return [
    ...lines.slice(0, LINES_MAX - 1),
    { text: `+ ${more.length} more`, labels: more.flatMap((line) => line.labels) },
  ]
}

interface Candidate {
  readonly label: Label
  readonly cost: number
}

function candidates(line: Line, text: readonly LabelLine[], all: readonly Line[], around: Surroundings): Candidate[] {
  const width = Math.max(...text.map((each) => widthOf(each.text, LABEL_PX)))
  const height = text.length * LABEL_LINE_PX
  const others = all.filter((other) => other !== line).map(({ points }) => segmentsOf(points))
  let gone = 0
  return segmentsOf(line.points).flatMap((segment) => {
    const places = along(segment).flatMap((point) => {
      const distance = gone + Math.abs(point.x - segment.from.x) + Math.abs(point.y - segment.from.y)
      const isShared = others.some((other) => other.some((each) => touches({ ...point, width: 0, height: 0 }, each)))
      const cost = distance * COST.px + (isShared ? COST.shared : 0)
      return beside(point, width, height).map((box) => ({
        label: { ...box, lines: text },
        cost: cost + costOf(box, others, around),
      }))
    })
    gone += Math.abs(segment.to.x - segment.from.x) + Math.abs(segment.to.y - segment.from.y)
    return places.filter(({ cost }) => Number.isFinite(cost))
  })
}

/** On a point of a line, and on each side of it. */
function beside({ x, y }: Point, width: number, height: number): Box[] {
  const [left, top] = [x - width / 2, y - height / 2]
  const places = [
    [left, top],
    [x + BESIDE_PX, top],
    [x - width - BESIDE_PX, top],
    [left, y - height - 1],
    [left, y + 1],
  ] as const
  return places.map(([x, y]) => ({ x, y, width, height }))
}

function costOf(box: Box, others: readonly (readonly Segment[])[], { boxes, frames, size }: Surroundings): number {
  const isOutside = box.x < 2 || box.y < 2 || box.x + box.width > size.width - 2 || box.y + box.height > size.height - 2
  if (isOutside || boxes.some((each) => overlaps(box, each, 2))) return Number.POSITIVE_INFINITY
  const crossed = others.filter((segments) => segments.some((segment) => touches(box, segment))).length
  const framed = frames.filter((frame) => sidesOf(frame).some((side) => touches(box, side))).length
  return crossed * COST.crossed + framed * COST.framed
}

interface Segment {
  readonly from: Point
  readonly to: Point
}
const segmentsOf = (points: readonly Point[]): Segment[] =>
  points.slice(1).map((to, index) => ({ from: points[index] ?? to, to }))

function along({ from, to }: Segment): Point[] {
  const count = Math.max(1, Math.round((Math.abs(to.x - from.x) + Math.abs(to.y - from.y)) / STEP_PX))
  return Array.from({ length: count + 1 }, (_, index) => ({
    x: from.x + ((to.x - from.x) * index) / count,
    y: from.y + ((to.y - from.y) * index) / count,
  }))
}

const sidesOf = ({ x, y, width, height }: Box): Segment[] =>
  segmentsOf([
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
    { x, y },
  ])

const overlaps = (a: Box, b: Box, apart: number): boolean =>
  a.x < b.x + b.width + apart &&
  b.x < a.x + a.width + apart &&
  a.y < b.y + b.height + apart &&
  b.y < a.y + a.height + apart

/** Segments are horizontal or vertical. */
const touches = ({ x, y, width, height }: Box, { from, to }: Segment): boolean =>
  Math.min(from.x, to.x) <= x + width &&
  Math.max(from.x, to.x) >= x &&
  Math.min(from.y, to.y) <= y + height &&
  Math.max(from.y, to.y) >= y
