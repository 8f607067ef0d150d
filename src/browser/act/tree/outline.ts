import { Depth, MessageDepth } from './messages.ts'
import type { Tree, TreeLine } from './read.ts'
import { lineText } from './text.ts'

/**
 * What of another page is shown after it has loaded. What was on the page before as well, and is neither filled in nor
 * pressed nor a row of a table, is left out where it is much. Of a long page there is room for what it says to its user
 * first, then for what is new against the page before it, rows of lists and tables after what stands around them, then for
 * its main part. Lines keep their order; what is left out between them is counted.
 */

/** It is on every page of a site, as a rule. */
const AROUND = /^(navigation|banner|contentinfo|complementary|search|menubar)\b/
const MAIN = /^main\b/
const HEADING = /^heading\b/
const ROW = /^(row|listitem|article|treeitem)\b/
const TABLE_ROW = /^row\b/
/** Alone they say nothing. */
const CONTAINER = /^(list|listitem|group|table|grid|treegrid|row|region|article|scroll area|form)( \[\w+\])?$/

const GAP_CHARS = 40
/** Fewer lines that were on the page before are shown again: they may be needed. */
const FOLDED_LINES_MIN = 6

/** Of what was on the page before it is enough to know that it is there again; what is filled in or pressed may be needed. */
const KNOWN =
  /^(link|text|image|hoverable|heading(?!.* level=1$)|list|listitem|separator|group|region|table|cell|columnheader|rowheader)\b/
/** A search is around the pages of a site, with its button. */
const SEARCH = /^(searchbox\b|textbox "search\b)/i
const SEARCHES = /^button\b/

/** The best first; `repeated` is in a part that was on the page before, too. */
const RANKS = ['message', 'newHeading', 'newInMain', 'newRow', 'new', 'inMain', 'rest', 'repeated'] as const
type Rank = (typeof RANKS)[number]

/** The lines that are shown of a page, and the keys of the lines for which there was no room. */
interface Outlined {
  readonly lines: string[]
  readonly untold: ReadonlySet<string>
}

/** Lines of at most `maxChars` characters. `before` is the page that its model saw last, but for its `untold` lines. */
export function outlineOf(
  before: { readonly tree: Tree; readonly untold: ReadonlySet<string> } | null,
  { lines, url }: Tree,
  maxChars: number,
): Outlined {
  const seen = before?.tree.lines.filter(({ key }) => !before.untold.has(key)) ?? []
  const ranks = ranksOf(new Set(seen.map(({ text }) => bare(text))), lines)
  keepShortRuns(ranks)
  keepAbove(lines, ranks)
  const told = lines.map((line) => '  '.repeat(line.depth) + lineText(line, url))
  const chosen = chosenLines(told, ranks, maxChars)
  const shown: string[] = []
  let skipped: number[] = []
  const gap = (depth: number) => {
    if (skipped.length > 0) shown.push(`${'  '.repeat(depth)}${gapText(skipped.map((at) => ranks[at] ?? 'rest'))}`)
    skipped = []
  }
  for (const [at, { depth }] of lines.entries()) {
    if (!chosen.has(at)) {
      skipped.push(at)
      continue
    }
    gap(depth)
    shown.push(told[at] ?? '')
  }
  gap(0)
  const left = [...lines.keys()].filter((at) => !chosen.has(at) && ranks[at] !== 'repeated')
  return { lines: shown, untold: new Set(left.flatMap((at) => lines[at]?.key ?? [])) }
}

function gapText(ranks: readonly Rank[]): string {
  const isRepeated = ranks.every((rank) => rank === 'repeated')
  return `… ${ranks.length} ${ranks.length === 1 ? 'line' : 'lines'}${isRepeated ? ' as on the page before' : ''}`
}

/** What each line is worth, by what it is, what it is in, and whether it was on the page before. */
function ranksOf(known: ReadonlySet<string>, lines: readonly TreeLine[]): Rank[] {
  const hasMain = lines.some(({ text }) => MAIN.test(text))
  const inside = {
    message: new MessageDepth(),
    around: new Depth(AROUND),
    main: new Depth(MAIN),
    row: new Depth(ROW),
    tableRow: new Depth(TABLE_ROW),
  }
  return lines.map((line, at) => {
    const isMessage = inside.message.at(line)
    const isAround = inside.around.at(line)
    const isInMain = inside.main.at(line) || (!hasMain && !isAround)
    const isInRow = inside.row.at(line)
    const isInTableRow = inside.tableRow.at(line)
    const isNew = !known.has(bare(line.text))
    if (isMessage) return 'message'
    if (!isNew && (isAround || (!isInTableRow && isKnownAlone(line, lines[at - 1])))) return 'repeated'
    if (CONTAINER.test(line.text)) return isInMain ? 'inMain' : 'rest'
    if (!isNew) return isInMain ? 'inMain' : 'rest'
    if (HEADING.test(line.text)) return 'newHeading'
    if (isInMain) return isInRow ? 'newRow' : 'newInMain'
    return isAround ? 'rest' : 'new'
  })
}

const isKnownAlone = ({ text }: TreeLine, before: TreeLine | undefined): boolean =>
  KNOWN.test(text) || SEARCH.test(text) || (SEARCHES.test(text) && SEARCH.test(before?.text ?? ''))

/** Only a run of repeated lines that is long enough is worth leaving out. */
function keepShortRuns(ranks: Rank[]): void {
  for (let from = 0; from < ranks.length; from += 1) {
    if (ranks[from] !== 'repeated') continue
    let to = from
    while (ranks[to] === 'repeated') to += 1
    if (to - from < FOLDED_LINES_MIN) ranks.fill('rest', from, to)
    from = to
  }
}

/** What stands right above something that is told says what that belongs to. */
function keepAbove(lines: readonly TreeLine[], ranks: Rank[]): void {
  for (let at = lines.length - 2; at >= 0; at -= 1) {
    const [line, next] = [lines[at], lines[at + 1]]
    if (!line || !next || ranks[at] !== 'repeated' || ranks[at + 1] === 'repeated') continue
    if (HEADING.test(line.text) || next.depth > line.depth) ranks[at] = 'rest'
  }
}

/** The best that there is room for; of the same rank those that come first. */
function chosenLines(lines: readonly string[], ranks: readonly Rank[], maxChars: number): ReadonlySet<number> {
  const rankAt = (at: number) => RANKS.indexOf(ranks[at] ?? 'rest')
  const order = [...lines.keys()].sort((a, b) => rankAt(a) - rankAt(b) || a - b)
  const chosen = new Set<number>()
  let chars = 0
  for (const at of order) {
    const line = lines[at]
    if (line === undefined || ranks[at] === 'repeated') continue
    // Beside each of them there may be a gap.
    const isBeside = chosen.has(at - 1) || chosen.has(at + 1)
    const cost = line.length + 1 + (isBeside ? 0 : GAP_CHARS)
    if (chars + cost > maxChars) continue
    chosen.add(at)
    chars += cost
  }
  return chosen
}

/** A reference is another one on each page. */
const bare = (text: string): string => text.replace(/ \[(f\d+)?e\d+\]/, '').replace(/ (focused|current( \w+)?)\b/g, '')
