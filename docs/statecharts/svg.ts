import { escaped } from '../../src/web/html.ts'
import type { Sentences } from '../sentences.ts'
import { DOT_PX, type GraphNode } from './graph.ts'
import { boxOf, type Chart, GROUND_PX, type Label, type Line, shownOf } from './labels.ts'
import { LABEL_LINE_PX, LABEL_PX, LINE_PX, NAME_LINE_PX, NAME_PX, SMALL_PX } from './words.ts'

/** Of lines and words without a style sheet: it can be read on white and on black. */
const GREY = '#767676'
const LINE = `fill="none" stroke="${GREY}"`
const DOT_RADIUS_PX = 4

const round = (px: number): number => Math.round(px * 10) / 10

/**
 * A laid-out machine as SVG. Its few colours are for a reader of the repository; the style sheet of the pages overrides
 * them. A state is `.state[data-state=path]`, an arrow `.edge[data-events]`, its words `.words` with the same number.
 * States cover arrows, arrows frames; words are above all, on a ground of their own. Each says what it means when it is
 * pointed at.
 */
export function svgOf(
  name: string,
  { left, width, height, nodes, lines, labels }: Chart,
  sentences: Sentences,
): string {
  const marker = `arrow-${name}`
  const drawn = (which: (node: GraphNode) => boolean) =>
    nodes.flatMap((node) => (which(node) ? [drawnBox(node, marker, sentences)] : [])).join('\n')
  const edges = lines.map((line, number) => edgeOf(line, number, marker))
  const words = lines.map(({ arrow }, number) => wordsOf(labels.get(arrow), number, sentences))
  return `<svg class="machine" xmlns="http://www.w3.org/2000/svg" viewBox="${left} 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="${SMALL_PX}" fill="${GREY}" role="img" aria-label="${escaped(`The machine ${name}: its states, and the events that lead from one to another`)}">
<defs><marker id="${marker}" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" orient="auto"><path class="arrow" d="M0 0 8 4 0 8Z"/></marker></defs>
${drawn(({ kind }) => kind === 'composite')}
<g>
${edges.join('\n')}
</g>
${drawn(({ kind }) => kind !== 'composite')}
${words.join('\n')}
</svg>`
}

/** A state that its frame begins in has a dot beside it. */
function drawnBox(node: GraphNode, marker: string, sentences: Sentences): string {
  const { x, y, width, height } = boxOf(node)
  const rect = (className: string, inset: number, radius: number) =>
    `<rect${className} x="${round(x + inset)}" y="${round(y + inset)}" width="${round(width - 2 * inset)}" height="${round(height - 2 * inset)}" rx="${radius}" ${LINE}/>`
  const middle = round(x + width / 2)
  const lines = [...(node.words.name === '' ? [] : [node.words.name]), ...node.words.lines]
  const texts = lines.map((line, index) => {
    const look = index === 0 ? `class="key" font-size="${NAME_PX}" font-weight="600"` : 'class="does"'
    const down = index === 0 ? NAME_LINE_PX : NAME_LINE_PX + 1 + index * LINE_PX
    return `<text ${look} x="${middle}" y="${round(y + down)}" text-anchor="middle">${escaped(line)}</text>`
  })
  if (node.kind === 'anywhere') return `<g class="anywhere">${rect('', 0, 13)}${texts.join('')}</g>`
  const at = round(y + height / 2)
  const dot = round(x - DOT_PX + DOT_RADIUS_PX)
  const start =
    node.isInitial && node.kind !== 'composite'
      ? `<circle class="start" cx="${dot}" cy="${at}" r="${DOT_RADIUS_PX}"/><path class="begin" d="M${dot} ${at}L${round(x)} ${at}" marker-end="url(#${marker})" ${LINE}/>`
      : ''
  const ring = node.kind === 'final' ? rect(' class="ring"', 3, 5) : ''
  return `<g class="state ${node.kind}" data-state="${escaped(node.path)}"${node.isInitial ? ' data-initial=""' : ''}>${titleOf(sentences.states[node.path])}${rect('', 0, 8)}${ring}${start}${texts.join('')}</g>`
}

function edgeOf({ arrow, points }: Line, number: number, marker: string): string {
  const way = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('')
  const data = Object.entries({
    arrow: `${number}`,
    from: arrow.from,
    to: arrow.to,
    events: arrow.events.join(' | '),
    labels: arrow.labels.join(' | '),
  })
  return `<g class="edge" ${data.map(([name, text]) => `data-${name}="${escaped(text)}"`).join(' ')}><path d="${way}" marker-end="url(#${marker})" ${LINE}/></g>`
}

/** Lines that are not shown are there: the one that is lit takes the place of another. */
function wordsOf(label: Label | undefined, number: number, sentences: Sentences): string {
  if (!label) return ''
  const { x, y, width, height, lines } = label
  const shown = shownOf(lines)
  const line = (text: string, labels: readonly string[], at: number, more: string) => {
    const meaning = labels.map((each) => meaningOf(each, sentences)).filter((each) => each !== '')
    return `<text${more} x="${round(x + width / 2)}" y="${round(y + LABEL_PX - 0.5 + at * LABEL_LINE_PX)}" text-anchor="middle">${titleOf(meaning.join('\n'))}${escaped(text)}</text>`
  }
  const texts = lines.map(({ text, labels }, index) =>
    line(text, labels, Math.min(index, shown - 1), ` data-line="${index}"${index < shown ? '' : ' display="none"'}`),
  )
  const hidden = lines.slice(shown)
  const rest = hidden.flatMap(({ labels }) => labels)
  if (hidden.length > 0) texts.push(line(`+ ${hidden.length} more`, rest, shown, ' class="more"'))
  const ground = `<rect class="ground" x="${round(x - GROUND_PX)}" y="${round(y - GROUND_PX)}" width="${round(width + 2 * GROUND_PX)}" height="${round(height + 2 * GROUND_PX)}" rx="3" fill="none"/>`
  return `<g class="words" data-arrow="${number}">${ground}${texts.join('')}</g>`
}

const titleOf = (text = ''): string => (text === '' ? '' : `<title>${escaped(text)}</title>`)

/** What an event means, and the guards behind it: `call.settled [isCurrent]`. */
function meaningOf(line: string, { events, guards }: Sentences): string {
  const [, event = '', condition = ''] = /^(.*?)(?: \[(.*)\])?$/.exec(line) ?? []
  const only = condition.split(/ and | or /).map((name) => [name.replace(/^not /, ''), name] as const)
  const words = only.flatMap(([guard, name]) => (guards[guard] ? [`${name}: ${guards[guard]}`] : []))
  return [events[event] ?? '', ...words].filter((text) => text !== '').join('\n')
}
