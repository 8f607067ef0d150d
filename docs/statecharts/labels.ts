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
  /** All, though not all may be shown: as wide as the widest. */
  readonly lines: readonly LabelLine[]
  /** How many frames, and lines of other arrows, it covers or comes too near to. */
  readonly crossings: number
}
export interface LabelLine {
  readonly text: string
  /** The events, with their guards, that it stands for. */
  readonly labels: readonly string[]
}

/** A label has no more lines. */
const LINES_MAX = 3
/** How far the places are apart that are tried for a label, and how far it is from a line that it is beside. */
const STEP_PX = 5
const BESIDE_PX = 8
/** Of the ground of a label, around its words, and how far words are from what is drawn beside them. */
export const GROUND_PX = 4
const APART_PX = 8
/** How far beside the boxes words may be. */
const BEYOND_PX = 110
/** Half of the head of an arrow. */
const HEAD_PX = 4

/**
 * What makes a place worse: each pixel from where the line leaves its source; each frame, or other line, below the label
 * or too near; a point of a line that other arrows share; each pixel of its own line that the label may cover.
 */
const COST = { px: 0.05, coveredPx: 0.03, crossed: 30, shared: 25 }

interface Surroundings {
  /** States, the words of frames, and the heads of arrows. */
  readonly boxes: readonly Box[]
  /** The sides of each. */
  readonly frames: readonly (readonly Segment[])[]
  readonly size: Pick<Box, 'width' | 'height'>
}

/** A machine with a place for everything. */
export interface Chart {
  /** Where it begins: words may be to the left of all boxes. */
  readonly left: number
  readonly width: number
  readonly height: number
  readonly nodes: readonly GraphNode[]
  readonly lines: readonly Line[]
  readonly labels: ReadonlyMap<Arrow, Label>
  /** Every arrow has its words. */
  readonly isWhole: boolean
  /** How many frames, and lines of other arrows, are below words or too near. */
  readonly crossings: number
}

/** What was laid out, with the words of its arrows. */
export function chartOf(graph: GraphNode, arrows: readonly Arrow[]): Chart {
  const size = { width: Math.ceil(graph.width ?? 0), height: Math.ceil(graph.height ?? 0) }
  const nodes = within(graph)
  const pieces = new Map((graph.edges ?? []).map((edge) => [edge.id, edge]))
  const lines = arrows.map((arrow) => ({ arrow, points: pointsOf(arrow, pieces, nodes) }))
  const labels = placeLabels(lines, {
    boxes: [
      ...nodes.map((node) => (node.kind === 'composite' ? headOf(node) : outerOf(node))),
      ...lines.flatMap(({ points }) => points.slice(-1).map(arrowHeadAt)),
    ],
    frames: nodes.filter(({ kind }) => kind === 'composite').map((node) => sidesOf(outerOf(node))),
    size,
  })
  const placed = [...labels.values()]
  const left = Math.floor(Math.min(0, ...placed.map(({ x }) => x - GROUND_PX)))
  const right = Math.ceil(Math.max(size.width, ...placed.map(({ x, width }) => x + width + GROUND_PX)))
  const crossings = placed.reduce((sum, label) => sum + label.crossings, 0)
  return { ...size, left, width: right - left, nodes, lines, labels, isWhole: labels.size === arrows.length, crossings }
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
const arrowHeadAt = ({ x, y }: Point): Box => ({
  ...{ x: x - HEAD_PX, y: y - HEAD_PX, width: 2 * HEAD_PX, height: 2 * HEAD_PX },
})
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
  const places = lines.map((line) => ({
    arrow: line.arrow,
    places: candidates(line, linesOf(line.arrow), lines, around).sort((a, b) => a.cost - b.cost),
  }))
  // Those with the least room choose first.
  for (const { arrow, places: own } of places.sort((a, b) => a.places.length - b.places.length)) {
    const free = own.filter(({ label }) => [...placed.values()].every((other) => areApart(label, other)))
    const wanted = places.flatMap((other) => (other.arrow === arrow ? [] : other.places.slice(0, 1)))
    const takes = ({ label }: Candidate) => wanted.filter((other) => !areApart(label, other.label)).length
    // Of places as good it leaves the others theirs.
    const equal = free.filter(({ cost }) => cost === free[0]?.cost)
    const best = equal.toSorted((a, b) => takes(a) - takes(b))[0]
    if (best) placed.set(arrow, best.label)
  }
  return placed
}

const areApart = (a: Box, b: Box): boolean => !overlaps(a, b, 2 * GROUND_PX)

/**
 * One line for each event, and for each guard where nothing is waited for. What may happen in any state has its guard, too:
 * the same event changes nothing otherwise.
 */
function linesOf({ from, labels }: Arrow): LabelLine[] {
  const byText = new Map<string, string[]>()
  for (const label of labels) {
    const [event = '', guard] = label.split(/ (?=\[)/)
    const text = event === 'always' ? (guard ?? event) : from.endsWith('*') ? label : event
    byText.set(text, [...(byText.get(text) ?? []), label])
  }
  return [...byText].map(([text, own]) => ({ text, labels: own }))
}

/** Of more lines than a label has, so many are shown, above the number of the others. */
export const shownOf = (lines: readonly LabelLine[]): number =>
  lines.length <= LINES_MAX ? lines.length : LINES_MAX - 1

interface Candidate {
  readonly label: Label
  readonly cost: number
}

function candidates(line: Line, text: readonly LabelLine[], all: readonly Line[], around: Surroundings): Candidate[] {
  const width = Math.max(...text.map((each) => widthOf(each.text, LABEL_PX)))
  const height = Math.min(LINES_MAX, text.length) * LABEL_LINE_PX
  const others = all.flatMap((other, index) =>
    other === line ? [] : segmentsOf(other.points).map((segment) => ({ ...segment, index })),
  )
  let gone = 0
  return segmentsOf(line.points).flatMap((segment) => {
    const places = along(segment).flatMap((point) => {
      const distance = gone + Math.abs(point.x - segment.from.x) + Math.abs(point.y - segment.from.y)
      const place = { ...point, width: 0, height: 0 }
      const isShared = others.some((each) => touches(place, each))
      const cost = distance * COST.px + (isShared ? COST.shared : 0)
      return beside(point, width, height)
        .filter((box) => isFree(box, around))
        .map((box) => {
          const crossings = crossingsOf(box, others, around) + 4 * hiddenBy(box, line.points)
          const isOn = segmentsOf(line.points).some((each) => touches(box, each))
          const covered = isOn ? width * COST.coveredPx : 0
          return { label: { ...box, lines: text, crossings }, cost: cost + covered + crossings * COST.crossed }
        })
    })
    gone += Math.abs(segment.to.x - segment.from.x) + Math.abs(segment.to.y - segment.from.y)
    return places
  })
}

/** On a point of a line, and on each side of it. */
function beside({ x, y }: Point, width: number, height: number): Box[] {
  const [left, top] = [x - width / 2, y - height / 2]
  const places = [
    [left, top],
    [x + BESIDE_PX, top],
    [x - width - BESIDE_PX, top],
    [left, y - height - BESIDE_PX],
    [left, y + BESIDE_PX],
  ] as const
  return places.map(([x, y]) => ({ x, y, width, height }))
}

/** Whether a label may be there: apart from states, the words of frames, and the heads of arrows. */
function isFree(box: Box, { boxes, size }: Surroundings): boolean {
  const { x, y, width, height } = grown(box, GROUND_PX)
  const isInside = x >= -BEYOND_PX && y >= 0 && x + width <= size.width + BEYOND_PX && y + height <= size.height
  return isInside && !boxes.some((each) => overlaps(box, each, APART_PX))
}

/** How many of the places where its own line begins, bends and ends a label covers. */
function hiddenBy(box: Box, points: readonly Point[]): number {
  const around = grown(box, GROUND_PX + HEAD_PX)
  const [right, bottom] = [around.x + around.width, around.y + around.height]
  return points.filter(({ x, y }) => x > around.x && x < right && y > around.y && y < bottom).length
}

/** How many frames, and lines of other arrows, are below a label or too near. */
function crossingsOf(box: Box, others: readonly OthersSegment[], { frames }: Surroundings): number {
  const [ground, around] = [grown(box, GROUND_PX), grown(box, APART_PX)]
  const crossed = new Set<number>()
  for (const each of others) if (touches(ground, each)) crossed.add(each.index)
  // What breaks a border looks as if it were part of the frame.
  return crossed.size + 2 * frames.filter((frame) => frame.some((side) => touches(around, side))).length
}

const grown = ({ x, y, width, height }: Box, by: number): Box => ({
  ...{ x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by },
})

interface Segment {
  readonly from: Point
  readonly to: Point
}
/** Of which of the other lines it is. */
interface OthersSegment extends Segment {
  readonly index: number
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
