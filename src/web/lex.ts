import { lexer, Marked, type Token as MarkedToken } from 'marked'

export { Marked }

/** A part of parsed markdown: what it has beside its type depends on that. */
// biome-ignore lint/suspicious/noExplicitAny: the library's own union is not told apart by type
export type Token = MarkedToken & Record<string, any> & { readonly tokens?: Token[] }

/** Markdown as parts: entities are left as they are written. */
export const lex = (text: string): Token[] => lexer(text, { gfm: true }) as Token[]

/** How many letters and gaps fit beside one another on the narrowest phone. */
const PHONE_CHARS_MAX = 32
const GAP_CHARS = 2

interface Words {
  readonly type?: string
  readonly text?: string
  readonly tokens?: readonly Words[]
}

/** [P35] Whether a table is too wide for a phone, where words stay whole: its rows are shown one below the other there. */
export function isStacked({ header, rows }: { readonly header: readonly Words[]; readonly rows: readonly Words[][] }) {
  const widths = header.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column])].map((cell) => longestWord(wordsIn(cell)) + GAP_CHARS)),
  )
  return widths.reduce((sum, width) => sum + width, 0) > PHONE_CHARS_MAX
}

const longestWord = (words: string): number => Math.max(...words.split(/\s/).map(({ length }) => length))

/** The words of a part of a line, without its marks. */
export const wordsIn = ({ text = '', tokens = [] }: Words = {}): string =>
  tokens.length > 0 ? tokens.map(wordsIn).join('') : text
