import { escaped } from '../../src/web/html.ts'
import type { Sentences } from '../sentences.ts'
import { type GraphEdge, type GraphLabel, type GraphNode, LINE_PX, type Point } from './graph.ts'

/** Of lines and words without a style sheet: it can be read on white and on black. */
const GREY = '#767676'
const LINE = `fill="none" stroke="${GREY}"`

const round = (px: number): number => Math.round(px * 10) / 10

/**
 * A laid-out machine as SVG. Its few colours are for a reader of the repository; the style sheet of the pages overrides
 * them. A state is `.state[data-state=path]`, an arrow `.edge[data-events]`; states cover arrows. Each says what it means
 * when it is pointed at.
 */
export function svgOf(name: string, graph: GraphNode, sentences: Sentences): string {
  const places = new Map<string, Point>()
  const boxes = boxesOf(graph, { x: 0, y: 0 }, places, sentences)
  const edges = edgesIn(graph).map((edge) =>
    edgeOf(edge, places.get(edge.container ?? graph.id) ?? { x: 0, y: 0 }, sentences),
  )
  const width = Math.ceil(graph.width ?? 0)
  const height = Math.ceil(graph.height ?? 0)
  const marker = `arrow-${name}`
  return `<svg class="machine" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11" fill="${GREY}" role="img" aria-label="${escaped(`The machine ${name}: its states, and the events that lead from one to another`)}">
<defs><marker id="${marker}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="arrow" d="M0 0 8 4 0 8Z"/></marker></defs>
${edges.map((edge) => edge.replace('MARKER', marker)).join('\n')}
${boxes.join('\n')}
</svg>`
}

function boxesOf(node: GraphNode, at: Point, places: Map<string, Point>, sentences: Sentences): string[] {
  const here = { x: at.x + (node.x ?? 0), y: at.y + (node.y ?? 0) }
  places.set(node.id, here)
  const inner = (node.children ?? []).flatMap((child) => boxesOf(child, here, places, sentences))
  if (node.kind === 'machine') return inner
  const { x, y } = { x: round(here.x), y: round(here.y) }
  const { width = 0, height = 0 } = node
  if (node.kind === 'start') {
    return [`<circle class="start" cx="${x + width / 2}" cy="${y + height / 2}" r="${width / 2}"/>`]
  }
  const size = `width="${round(width)}" height="${round(height)}"`
  if (node.kind === 'anywhere') {
    return [
      `<g class="anywhere"><rect x="${x}" y="${y}" ${size} rx="13" ${LINE}/><text x="${x + width / 2}" y="${y + 17}" text-anchor="middle">in any state</text></g>`,
    ]
  }
  const ring =
    node.kind === 'final'
      ? `<rect class="ring" x="${x + 3}" y="${y + 3}" width="${round(width - 6)}" height="${round(height - 6)}" rx="5" ${LINE}/>`
      : ''
  const box = `<g class="state ${node.kind}" data-state="${escaped(node.path)}">${titleOf(sentences.states[node.path])}<rect x="${x}" y="${y}" ${size} rx="8" ${LINE}/>${ring}${nameOf(node, { x, y })}</g>`
  return [box, ...inner]
}

function nameOf(node: GraphNode, { x, y }: Point): string {
  const [name = '', ...does] = node.labels?.[0]?.text.split('\n') ?? []
  const middle = round(x + (node.width ?? 0) / 2)
  const lines = does.map(
    (line, index) =>
      `<text class="does" x="${middle}" y="${y + 23 + (index + 1) * LINE_PX}" text-anchor="middle">${escaped(line)}</text>`,
  )
  return `<text class="key" x="${middle}" y="${y + 23}" text-anchor="middle">${escaped(name)}</text>${lines.join('')}`
}

const edgesIn = (node: GraphNode): GraphEdge[] => [...(node.edges ?? []), ...(node.children ?? []).flatMap(edgesIn)]

function edgeOf(edge: GraphEdge, { x, y }: Point, sentences: Sentences): string {
  const paths = (edge.sections ?? []).map(({ startPoint, bendPoints = [], endPoint }) => {
    const points = [startPoint, ...bendPoints, endPoint]
    return `<path d="${points.map((point, index) => `${index === 0 ? 'M' : 'L'}${round(point.x + x)} ${round(point.y + y)}`).join('')}" marker-end="url(#MARKER)" ${LINE}/>`
  })
  const labels = edge.labels.map((label) => labelOf(label, { x, y }, sentences)).join('')
  const [from = '', to = ''] = [edge.sources[0], edge.targets[0]]
  return `<g class="edge" data-from="${escaped(from)}" data-to="${escaped(to)}" data-events="${escaped(edge.events.join(' | '))}">${paths.join('')}${labels}</g>`
}

function labelOf({ text, x = 0, y = 0 }: GraphLabel, at: Point, sentences: Sentences): string {
  return text
    .split('\n')
    .map(
      (line, index) =>
        `<text x="${round(at.x + x + 3)}" y="${round(at.y + y + 11 + index * LINE_PX)}">${titleOf(meaningOf(line, sentences))}${escaped(line)}</text>`,
    )
    .join('')
}

const titleOf = (text = ''): string => (text === '' ? '' : `<title>${escaped(text)}</title>`)

/** What an event means, and the guards behind it: `call.settled [isCurrent]`. */
function meaningOf(line: string, { events, guards }: Sentences): string {
  const [, event = '', condition = ''] = /^(.*?)(?: \[(.*)\])?$/.exec(line) ?? []
  const only = condition.split(/ and | or /).map((name) => [name.replace(/^not /, ''), name] as const)
  const words = only.flatMap(([guard, name]) => (guards[guard] ? [`${name}: ${guards[guard]}`] : []))
  return [events[event] ?? '', ...words].filter((text) => text !== '').join('\n')
}
