import type { Tree, TreeLine } from './read.ts'

/** The tree as the model reads it: what the page says. Lines that came since the last look begin with `*`. */
export function treeText({ title, url, lines }: Tree, empty = '(the page is empty)'): string {
  return [headOf({ title, url }), ...(lines.length > 0 ? lines.map(lineText) : [empty])].join('\n')
}

export const headOf = ({ title, url }: Pick<Tree, 'title' | 'url'>): string => `Page ${JSON.stringify(title)} (${url})`

const lineText = ({ depth, text, isNew }: TreeLine): string => `${'  '.repeat(depth)}${isNew ? '*' : ''}${text}`

/** What the tool says about a tree: what was left out, and how to get it. */
export function treeNotes({ before, after, page, pages, notes }: Tree): string[] {
  const more = before + after
  if (more === 0) return [...notes]
  const where = before > 0 && after > 0 ? `${before} before, ${after} after` : before > 0 ? 'before' : 'after'
  const cut = `… cut: ${more} more lines (${where}). This is page ${page} of ${pages}: read on with page, read one part with ref, or use find.`
  return [cut, ...notes]
}
