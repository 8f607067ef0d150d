import { shortAddress } from '../../../../machines/short-address.ts'
import { truncate } from '../text.ts'
import type { Tree, TreeLine } from './read.ts'

/** Of a longer address no more is told than where it leads to; reading the link by its ref tells all. */
const ADDRESS_CHARS_MAX = 80
const ADDRESS = /(?<=^link\b.* -> )\S+$/
/** Said of what is not checked in a difference alone. */
const UNCHECKED =
  /(?<=^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio)\b(?: "(?:[^"\\]|\\.)*")?(?: \[\w+\])?) not checked\b/

/** The tree as the model reads it: what the page says. Lines that came since the last look begin with `*`. */
export function treeText({ title, url, lines }: Tree, empty = '(the page is empty)', isWhole = false): string {
  const told = (line: TreeLine) =>
    `${'  '.repeat(line.depth)}${line.isNew ? '*' : ''}${isWhole ? line.text : lineText(line, url)}`
  return [headOf({ title, url }), ...(lines.length > 0 ? lines.map(told) : [empty])].join('\n')
}

/** A line of a page as it is told with all of the page: shorter addresses, and nothing of what is not checked. */
export const lineText = (line: TreeLine, url: string): string => linkText(line, url).replace(UNCHECKED, '')

/** A line with the address of a link as the page's own makes it short. Those in a frame are another page's. */
export const linkText = ({ text, ref }: TreeLine, url: string): string =>
  text.replace(ADDRESS, (address) =>
    truncate(ref?.startsWith('f') ? address : shortAddress(address, url), ADDRESS_CHARS_MAX),
  )

export const headOf = ({ title, url }: Pick<Tree, 'title' | 'url'>): string => `Page ${JSON.stringify(title)} (${url})`

/** What the tool says about a tree: what was left out, and how to get it. */
export function treeNotes({ before, after, page, pages, notes }: Tree): string[] {
  const more = before + after
  if (more === 0) return [...notes]
  const where = before > 0 && after > 0 ? `${before} before, ${after} after` : before > 0 ? 'before' : 'after'
  const cut = `… cut: ${more} more lines (${where}). This is page ${page} of ${pages}: read on with page, read one part with ref, or use find.`
  return [cut, ...notes]
}
