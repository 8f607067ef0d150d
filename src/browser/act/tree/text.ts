import { shortAddress, withoutMiddle } from '../../../../machines/short-address.ts'
import { ADDRESS_CHARS_MAX } from '../../limits.ts'
import { truncate } from '../text.ts'
import type { Tree, TreeLine } from './read.ts'

/** Of a longer address no more is told than where it leads to; reading the link by its ref tells all. */
const LINK_CHARS_MAX = 80
const LINK = /^link\b/
const LEADS_TO = ' -> '
/** Said of what is not checked in a difference alone. */
const UNCHECKED =
  /(?<=^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio)\b(?: "(?:[^"\\]|\\.)*")?(?: \[\w+\])?) not checked\b/

/** The tree as the model reads it: what the page says. Lines that came since the last look begin with `*`. */
export function treeText(
  { title, url, lines }: Tree,
  empty = '(the page is empty)',
  isWhole = false,
  headMax = ADDRESS_CHARS_MAX,
): string {
  const told = (line: TreeLine) =>
    `${'  '.repeat(line.depth)}${line.isNew ? '*' : ''}${isWhole ? line.text : lineText(line, url)}`
  return [headOf({ title, url }, headMax), ...(lines.length > 0 ? lines.map(told) : [empty])].join('\n')
}

/** A line of a page as it is told with all of the page: shorter addresses, and nothing of what is not checked. */
export const lineText = (line: TreeLine, url: string): string => linkText(line, url).replace(UNCHECKED, '')

/** A line with the address of a link as the page's own makes it short. Those in a frame are another page's. */
export function linkText({ text, ref }: TreeLine, url: string): string {
  const at = LINK.test(text) ? text.lastIndexOf(LEADS_TO) + LEADS_TO.length : 0
  const address = text.slice(at)
  if (at < LEADS_TO.length || address === '' || /\s/.test(address)) return text
  return text.slice(0, at) + truncate(ref?.startsWith('f') ? address : shortAddress(address, url), LINK_CHARS_MAX)
}

/** What a page is called and where it is, each with its middle left out where it is longer than `max`. */
export const titleAndAddress = ({ title, url }: Pick<Tree, 'title' | 'url'>, max = ADDRESS_CHARS_MAX): string =>
  `${JSON.stringify(withoutMiddle(title, max))} (${withoutMiddle(url, max)})`

export const headOf = (page: Pick<Tree, 'title' | 'url'>, max?: number): string => `Page ${titleAndAddress(page, max)}`

/** In an answer of at most so many characters. */
export const headPartMax = (maxChars: number): number =>
  Math.min(ADDRESS_CHARS_MAX, Math.max(HEAD_CHARS_MIN, Math.floor(maxChars / HEAD_SHARE)))
const HEAD_SHARE = 8
const HEAD_CHARS_MIN = 20

/** What the tool says about a tree: what was left out, and how to get it. */
export function treeNotes({ before, after, page, pages, notes }: Tree): string[] {
  const more = before + after
  if (more === 0) return [...notes]
  const where = before > 0 && after > 0 ? `${before} before, ${after} after` : before > 0 ? 'before' : 'after'
  const cut = `… cut: ${more} more lines (${where}). This is page ${page} of ${pages}: read on with page, read one part with ref, or use find.`
  return [cut, ...notes]
}
