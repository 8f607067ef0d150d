import { lexer, Marked, type Token as MarkedToken } from 'marked'

export { Marked }

/** A part of parsed markdown: what it has beside its type depends on that. */
// biome-ignore lint/suspicious/noExplicitAny: the library's own union is not told apart by type
export type Token = MarkedToken & Record<string, any> & { readonly tokens?: Token[] }

/** Markdown as parts: entities are left as they are written. */
export const lex = (text: string): Token[] => lexer(text, { gfm: true }) as Token[]
