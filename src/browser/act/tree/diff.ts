import { MessageDepth } from './messages.ts'
import type { Tree, TreeLine } from './read.ts'
import { linkText } from './text.ts'

const REMOVED_SHOWN_MAX = 10
const PLACE_CHARS_MAX = 80
const NOTICE_CHARS = 40

/**
 * What changed from one tree to another: `+` added, `~` changed, `-` removed; lines are indented under what they are in,
 * which stands there without a mark. What the page says to its user comes first. Empty when nothing changed. What was
 * only drawn anew is no change, unless it has another reference now or is in something else. Nor is what the field `told`
 * holds: the answer says so already. At most `maxChars` characters; what is left out is counted in the last line.
 */
export function diffTrees(before: Tree, after: Tree, maxChars: number, told: string | null = null): string {
  const marks = marksOf(before, after, told)
  const outline = new Outline(after, marks)
  const inMessage = new MessageDepth()
  const isMessage = after.lines.map((line) => inMessage.at(line))
  const changed = [...marks.keys()]
  const said = changed.filter((at) => isMessage[at])
  const others = changed.filter((at) => !isMessage[at])
  return fit([...outline.lines(said), ...outline.lines(others), ...removed(before, after)], maxChars)
}

type Mark = '+' | '~'

/** The lines that are new or different, by their places in the tree. */
function marksOf(before: Tree, after: Tree, told: string | null): ReadonlyMap<number, Mark> {
  const around = { before: aroundOf(before.lines), after: aroundOf(after.lines) }
  const old = new Map(before.lines.map((line, at) => [idOf(line), { line, around: around.before[at] }]))
  const now = new Set(after.lines.map(idOf))
  const redrawn = countTexts(before.lines.filter((line) => !now.has(idOf(line))))
  const isPartial = isPart(before) || isPart(after)
  const marks = new Map<number, Mark>()
  for (const [at, line] of after.lines.entries()) {
    const was = old.get(idOf(line))
    if (!was) {
      if (!take(redrawn, line.text) && (!isPartial || line.isNew || line.inView)) marks.set(at, '+')
    } else if (was.line.key !== line.key && roleOf(was.around) !== roleOf(around.after[at])) marks.set(at, '+')
    else if (!isSame(was.line, line, line.ref !== null && line.ref === told)) marks.set(at, '~')
  }
  return marks
}

/** What was drawn anew with the same reference is the same thing. */
const idOf = ({ key, ref }: TreeLine): string => ref ?? key

const roleOf = (line: TreeLine | null | undefined): string => /^\w*/.exec(line?.text ?? '')?.[0] ?? ''

/** What lost the focus is told by what has it now. */
function isSame(was: TreeLine, { text }: TreeLine, isTold: boolean): boolean {
  if (was.text === text || unfocused(was.text) === text) return true
  return isTold && emptied(was.text) === emptied(text)
}

/** Without what it holds. */
const emptied = (text: string): string =>
  unfocused(text)
    .replace(/ (not )?checked\b| value="(?:[^"\\]|\\.)*"/, '')
    .replace(/ options: .*/, '')

/** Of a page of which only a part is read, what is not in that part is not gone. */
const isPart = ({ before, after }: Tree): boolean => before + after > 0

/**
 * The outermost lines that went, with the number of those in them: nothing in it can be used any more. What has no name
 * is told by what was in it.
 */
function removed(before: Tree, after: Tree): string[] {
  if (isPart(before) || isPart(after)) return []
  const old = new Set(before.lines.map(idOf))
  const now = new Set(after.lines.map(idOf))
  const came = countTexts(after.lines.filter((line) => !old.has(idOf(line))))
  const gone = new Set(before.lines.filter((line) => !now.has(idOf(line)) && !take(came, line.text)))
  const told: { line: TreeLine; inside: number }[] = []
  let outer: TreeLine | null = null
  for (const line of before.lines) {
    if (outer && line.depth <= outer.depth) outer = null
    const last = told.at(-1)
    if (outer && last) last.inside += gone.has(line) ? 1 : 0
    else if (gone.has(line) && (isNamed(line) || line.ref !== null)) {
      told.push({ line, inside: 0 })
      outer = line
    }
  }
  const shown = told.length > REMOVED_SHOWN_MAX ? told.slice(0, REMOVED_SHOWN_MAX - 1) : told
  const rest = told.length - shown.length
  return [
    ...shown.map(
      ({ line, inside }) => `- ${linkText(line, before.url)}${inside > 0 ? ` and ${linesIn(inside)} in it` : ''}`,
    ),
    ...(rest > 0 ? [`- … and ${rest} more lines`] : []),
  ]
}

const linesIn = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)

const NAMED = /^[a-z ]+ "(?:[^"\\]|\\.)+"/
const isNamed = ({ text }: TreeLine): boolean => NAMED.test(text)

/** The elements that a change is listed under; one inside any other element is listed under what contains that element. */
const PLACES =
  /^(row|listitem|article|group|region|form|dialog|alertdialog|tabpanel|treeitem|menu|list|table|grid|treegrid|figure|search)\b/

/** The place of the line around each; -1 for none. */
function outerOf(lines: readonly TreeLine[]): number[] {
  const open: number[] = []
  return lines.map(({ depth }, at) => {
    while (open.length > 0 && (lines[open.at(-1) ?? 0]?.depth ?? 0) >= depth) open.pop()
    const outer = open.at(-1) ?? -1
    open.push(at)
    return outer
  })
}

const aroundOf = (lines: readonly TreeLine[]): (TreeLine | null)[] => outerOf(lines).map((at) => lines[at] ?? null)

/** Writes lines of a tree under what they are in. */
class Outline {
  readonly #lines: readonly TreeLine[]
  readonly #url: string
  readonly #marks: ReadonlyMap<number, Mark>
  /** The place of the line around each; -1 for none. */
  readonly #outer: readonly number[]

  constructor({ lines, url }: Tree, marks: ReadonlyMap<number, Mark>) {
    this.#lines = lines
    this.#url = url
    this.#marks = marks
    this.#outer = outerOf(lines)
  }

  /** The lines at these places, in their order. */
  lines(places: readonly number[]): string[] {
    const wanted = new Set(places)
    const depths = new Map<number, number>()
    const out: string[] = []
    let place = -1
    for (const at of places) {
      const outer = this.#shownAround(at, wanted)
      const isMarked = wanted.has(outer)
      if (outer >= 0 && !isMarked && outer !== place) out.push(this.#placeText(outer))
      if (!isMarked) place = outer
      const depth = outer < 0 ? 0 : isMarked ? (depths.get(outer) ?? 0) + 1 : 1
      depths.set(at, depth)
      const line = this.#lines[at]
      if (line) out.push(`${'  '.repeat(depth)}${this.#marks.get(at)} ${linkText(line, this.#url)}`)
    }
    return out
  }

  /** The next line around one that is told as well, or says where it is; -1 for none. */
  #shownAround(at: number, wanted: ReadonlySet<number>): number {
    let outer = this.#outer[at] ?? -1
    while (outer >= 0 && !wanted.has(outer) && !this.#isPlace(outer)) outer = this.#outer[outer] ?? -1
    return outer
  }

  #isPlace(at: number): boolean {
    const line = this.#lines[at]
    return line !== undefined && PLACES.test(line.text) && isNamed(line)
  }

  #placeText(at: number): string {
    const { text = '' } = this.#lines[at] ?? {}
    const [named = ''] = NAMED.exec(text) ?? []
    const ref = /^ \[\w+\]/.exec(text.slice(named.length))?.[0] ?? ''
    return (named.length > PLACE_CHARS_MAX ? `${named.slice(0, PLACE_CHARS_MAX)}…"` : named) + ref
  }
}

/** Whether the focus moved from one tree to the other, and nothing else did. */
export const onlyFocusMoved = (before: Tree, after: Tree): boolean =>
  before.lines.length === after.lines.length &&
  before.lines.some(({ text }, at) => text !== after.lines[at]?.text) &&
  before.lines.every(({ text }, at) => unfocused(text) === unfocused(after.lines[at]?.text ?? ''))

const unfocused = (text: string): string => text.replace(/(?<=\](?: [\w=-]+)*) focused\b/, '')

function countTexts(lines: readonly TreeLine[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { text } of lines) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

function take(counts: Map<string, number>, text: string): boolean {
  const count = counts.get(text) ?? 0
  if (count > 0) counts.set(text, count - 1)
  return count > 0
}

function fit(lines: readonly string[], maxChars: number): string {
  const shown: string[] = []
  let chars = 0
  for (const line of lines) {
    if (chars + line.length + 1 > maxChars - NOTICE_CHARS && lines.length > shown.length) break
    shown.push(line)
    chars += line.length + 1
  }
  const left = lines.length - shown.length
  return [...shown, ...(left > 0 ? [`… and ${left} more changes`] : [])].join('\n')
}
