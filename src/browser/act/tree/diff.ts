import type { Tree, TreeLine } from './read.ts'

const GONE_SHOWN_MAX = 10

/**
 * What changed from one tree to another, in lines: `+` came, `~` changed, `-` went. Empty when nothing did. What was
 * only drawn anew is no change, unless it has another reference now. At most `maxChars` characters; what is left out is counted in the last line.
 */
export function diffTrees(before: Tree, after: Tree, maxChars: number): string {
  const old = new Map(before.lines.map((line) => [line.key, line]))
  const now = new Set(after.lines.map(({ key }) => key))
  const isPartial = [before, after].some((tree) => tree.before + tree.after > 0)
  // Of a page of which only a part is read, what is not in that part is not gone.
  const gone = isPartial ? [] : before.lines.filter(({ key }) => !now.has(key))
  const redrawn = countTexts(before.lines.filter(({ key }) => !now.has(key)))
  const changes: string[] = []
  const places = new Places(after.lines)
  for (const [at, line] of after.lines.entries()) {
    const was = old.get(line.key)
    // What lost the focus is told by what has it now.
    if (was && (was.text === line.text || unfocused(was.text) === line.text)) continue
    if (was) changes.push(`~ ${line.text}${places.of(at)}`)
    else if (!take(redrawn, line.text) && (!isPartial || line.isNew || line.inView))
      changes.push(`+ ${line.text}${places.of(at)}`)
  }
  const came = countTexts(after.lines.filter(({ key }) => !old.has(key)))
  const went = gone.filter((line) => !take(came, line.text)).map(({ text }) => `- ${text}`)
  const shown = went.length > GONE_SHOWN_MAX ? went.slice(0, GONE_SHOWN_MAX - 1) : went
  // A calendar that closes is told by its first lines: nothing of it can be used any more.
  const rest = went.length > shown.length ? [`- … and ${went.length - shown.length} more lines`] : []
  return fit([...changes, ...shown, ...rest], maxChars)
}

/** Of lines that are called alike, what each of them is in: the next line around it that has a name. */
class Places {
  readonly #lines: readonly TreeLine[]
  readonly #counts: ReadonlyMap<string, number>

  constructor(lines: readonly TreeLine[]) {
    this.#lines = lines
    this.#counts = countTexts(lines.map((line) => ({ ...line, text: bare(line.text) })))
  }

  of(index: number): string {
    const line = this.#lines[index]
    if (!line || (this.#counts.get(bare(line.text)) ?? 0) < 2) return ''
    let { depth } = line
    for (let at = index - 1; at >= 0 && depth > 0; at -= 1) {
      const outer = this.#lines[at]
      if (!outer || outer.depth >= depth) continue
      depth = outer.depth
      const name = /^[a-z ]+ "(?:[^"\\]|\\.)+"/.exec(outer.text)?.[0]
      if (name) return ` in ${name.length > PLACE_CHARS_MAX ? `${name.slice(0, PLACE_CHARS_MAX)}…` : name}`
    }
    return ''
  }
}
const PLACE_CHARS_MAX = 120
const bare = (text: string): string => text.replace(/ \[(f\d+)?e\d+\]/, '')

/** Whether the focus moved from one tree to the other, and nothing else did. */
export const onlyFocusMoved = (before: Tree, after: Tree): boolean =>
  before.lines.length === after.lines.length &&
  before.lines.some(({ text }, at) => text !== after.lines[at]?.text) &&
  before.lines.every(({ text }, at) => unfocused(text) === unfocused(after.lines[at]?.text ?? ''))

const unfocused = (text: string): string => text.replace(/(?<=\]) focused\b/, '')

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

const NOTICE_CHARS = 40

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
