import { type Hands, linesOf, refIn } from '../harness/hands.ts'
import { Unsolved } from '../harness/task.ts'

/** What a solver has seen of the page when it begins. */
export interface Seen {
  readonly tree: string
  /** All that is said on the page, in one line. */
  readonly words: string
}
export type Solver = (s: Hands, seen: Seen) => Promise<unknown>

/** The texts of a tree in one line: what the page says, however it is cut into lines. */
export const wordsOf = (tree: string): string =>
  [...tree.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
    .map(([quoted]) => unquoted(quoted))
    .join(' ')
    .replace(/\s+/g, ' ')

function unquoted(text: string): string {
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(1, -1)
  }
}

/** The first group of an expression in what the page says. */
export function said(words: string, pattern: RegExp): string {
  const found = pattern.exec(words)
  if (!found) throw new Unsolved(`the page does not say ${pattern}: ${words}`)
  return (found[1] ?? found[0]).trim()
}

export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A line with this role and name. */
export const named = (name: string, role = ''): RegExp =>
  new RegExp(`${role}[^"\\n]*"${escaped(JSON.stringify(name).slice(1, -1))}"`)

export async function refNamed(s: Hands, name: string, role = '', tree?: string): Promise<string> {
  return s.ref(named(name, role), tree)
}

/** The reference of the nth line that matches (from 1). */
export function nth(tree: string, line: RegExp, n: number): string {
  const lines = linesOf(tree, line).filter(({ ref }) => ref !== null)
  const ref = lines.at(n > 0 ? n - 1 : n)?.ref
  if (!ref) throw new Unsolved(`there is no ${n}. line with a reference that matches ${line}: ${tree}`)
  return ref
}

export const ordinal = (text: string): number => Number.parseInt(text, 10)

export const submit = (s: Hands, name = 'Submit', tree?: string): Promise<string> => {
  const ref = tree === undefined ? null : refIn(tree, named(name, 'button'))
  return s.click(ref ?? named(name, 'button'))
}

/** The line with a reference that holds, or is just above, the words; else what `find` knows of them. */
export async function around(s: Hands, tree: string, words: string): Promise<string> {
  const lines = tree.split('\n')
  const at = lines.findLastIndex((line, index) => index > 1 && line.includes(words))
  for (let line = at; line >= Math.max(0, at - 2); line -= 1) {
    const ref = refIn(lines[line] ?? '', /./)
    // A line further above is only meant when it is the parent of these words.
    const parent =
      indent(lines[line]) < indent(lines[at]) && !/^\s*\*?(list|menu|listbox|scroll)/.test(lines[line] ?? '')
    if (ref !== null && (line === at || parent)) return ref
  }
  const found = refIn(await s.call('find', { query: words }), new RegExp(escaped(words)))
  if (found !== null) return found
  throw new Unsolved(`nothing to click around ${JSON.stringify(words)}: ${tree}`)
}
const indent = (line = ''): number => line.search(/\S/)

/** Looks until the page shows what is wanted, a few times. */
export async function until(s: Hands, wanted: RegExp): Promise<string> {
  let tree = ''
  for (let look = 0; look < 12; look += 1) {
    if (look > 0) await s.wait(0.5)
    tree = await s.look()
    if (wanted.test(tree)) return tree
  }
  throw new Unsolved(`the page never showed ${wanted}: ${tree}`)
}
