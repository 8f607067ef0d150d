import { Depth, MessageDepth } from './messages.ts'
import type { Tree, TreeLine } from './read.ts'

/**
 * What of another page is told after it has loaded. What stands around its main part and was on the page before as well is
 * left out. Of a long page there is room for what it says to its user first, then for what is new against the page before
 * it, rows of lists and tables after what stands around them, then for its main part. Lines keep their order; what is left
 * out between them is counted.
 */

/** It is on every page of a site, as a rule. */
const AROUND = /^(navigation|banner|contentinfo|complementary|search|menubar)\b/
const MAIN = /^main\b/
const HEADING = /^heading\b/
const ROW = /^(row|listitem|article|treeitem)\b/
/** Alone they say nothing. */
const CONTAINER = /^(list|listitem|group|table|grid|treegrid|row|region|article|scroll area|form)( \[\w+\])?$/

const GAP_CHARS = 40
/** Fewer lines that were on the page before are shown again: they may be needed. */
const FOLDED_LINES_MIN = 6

/** The part that all pages of a site begin or end with leads to other pages; it may have a search. */
const LEADS = /^(link|text|image|hoverable|listitem|list|separator)\b/
const SEARCH = /^(searchbox\b|textbox "search\b)/i
const SEARCHES = /^button\b/

/** The best first; `repeated` is in a part that was on the page before, too. */
const RANKS = ['message', 'newHeading', 'newInMain', 'newRow', 'new', 'inMain', 'rest', 'repeated'] as const
type Rank = (typeof RANKS)[number]

/** Lines of at most `maxChars` characters. `before` is the page that its model saw last. */
export function outlineOf(before: Tree | null, { lines, url }: Tree, maxChars: number): string[] {
  const old = (before?.lines ?? []).map(({ text }) => bare(text))
  const ranks = ranksOf(new Set(old), lines)
  if (before && pathOf(before.url) !== pathOf(url)) foldFrame(old, lines, ranks)
  keepShortRuns(ranks)
  const chosen = chosenLines(lines, ranks, maxChars)
  const shown: string[] = []
  let skipped: number[] = []
  const gap = (depth: number) => {
    if (skipped.length > 0) shown.push(`${'  '.repeat(depth)}${gapText(skipped.map((at) => ranks[at] ?? 'rest'))}`)
    skipped = []
  }
  for (const [at, { depth, text }] of lines.entries()) {
    if (!chosen.has(at)) {
      skipped.push(at)
      continue
    }
    gap(depth)
    shown.push(`${'  '.repeat(depth)}${text}`)
  }
  gap(0)
  return shown
}

function gapText(ranks: readonly Rank[]): string {
  const isRepeated = ranks.every((rank) => rank === 'repeated')
  return `… ${ranks.length} ${ranks.length === 1 ? 'line' : 'lines'}${isRepeated ? ' as on the page before' : ''}`
}

/** What each line is worth, by what it is, what it is in, and whether it was on the page before. */
function ranksOf(known: ReadonlySet<string>, lines: readonly TreeLine[]): Rank[] {
  const hasMain = lines.some(({ text }) => MAIN.test(text))
  const inside = { message: new MessageDepth(), around: new Depth(AROUND), main: new Depth(MAIN), row: new Depth(ROW) }
  return lines.map((line) => {
    const isMessage = inside.message.at(line)
    const isAround = inside.around.at(line)
    const isInMain = inside.main.at(line) || (!hasMain && !isAround)
    const isInRow = inside.row.at(line)
    const isNew = !known.has(bare(line.text))
    if (isMessage) return 'message'
    if (isAround && known.size > 0 && !isNew) return 'repeated'
    if (CONTAINER.test(line.text)) return isInMain ? 'inMain' : 'rest'
    if (!isNew) return isInMain ? 'inMain' : 'rest'
    if (HEADING.test(line.text)) return 'newHeading'
    if (isInMain) return isInRow ? 'newRow' : 'newInMain'
    return isAround ? 'rest' : 'new'
  })
}

/** What two pages of a site begin and end with alike is around them, though nothing says so. */
function foldFrame(old: readonly string[], lines: readonly TreeLine[], ranks: Rank[]): void {
  const now = lines.map(({ text }) => bare(text))
  const fold = (at: number, was: number) => {
    const [text = '', before = ''] = [now[at], now[at - 1]]
    const isAround = LEADS.test(text) || SEARCH.test(text) || (SEARCHES.test(text) && SEARCH.test(before))
    if (text !== old[was] || !isAround) return false
    ranks[at] = 'repeated'
    return true
  }
  for (let at = 0; at < now.length && fold(at, at); at += 1);
  for (
    let at = now.length - 1;
    at >= 0 && LEADS.test(now[at] ?? '') && fold(at, at - now.length + old.length);
    at -= 1
  );
}

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url)

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

/** The best that there is room for; of the same rank those that come first. */
function chosenLines(lines: readonly TreeLine[], ranks: readonly Rank[], maxChars: number): ReadonlySet<number> {
  const rankAt = (at: number) => RANKS.indexOf(ranks[at] ?? 'rest')
  const order = [...lines.keys()].sort((a, b) => rankAt(a) - rankAt(b) || a - b)
  const chosen = new Set<number>()
  let chars = 0
  for (const at of order) {
    const line = lines[at]
    if (!line || ranks[at] === 'repeated') continue
    // Beside each of them there may be a gap.
    const isBeside = chosen.has(at - 1) || chosen.has(at + 1)
    const cost = line.text.length + line.depth * 2 + 1 + (isBeside ? 0 : GAP_CHARS)
    if (chars + cost > maxChars) continue
    chosen.add(at)
    chars += cost
  }
  return chosen
}

/** A reference is another one on each page. */
const bare = (text: string): string => text.replace(/ \[(f\d+)?e\d+\]/, '').replace(/ (focused|current( \w+)?)\b/g, '')
