/** How the tree of a page writes the addresses of its links: relative to the address of the page. Pure. */

/** The text, with its middle replaced by an ellipsis where it is longer than `max` characters. */
export function withoutMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const start = Math.ceil(((max - 1) * 2) / 3)
  return `${text.slice(0, start)}${ELLIPSIS}${text.slice(text.length - (max - 1 - start))}`
}

/** So many characters that a link's query begins with as the page's own does are worth leaving out. */
const SHARED_CHARS_MIN = 20
const FOLDER_CHARS_MIN = 6
const ELLIPSIS = '…'

/**
 * The address of a link, from the root of the page's own site, relative to the page's: `#notes`, `?page=2`,
 * `./126/change/`, and `?…db=…&table=tea`, whose parameters up to `db` are the page's. As it is when that is no shorter.
 */
export function shortAddress(address: string, page: string): string {
  if (!address.startsWith('/') || !URL.canParse(page)) return address
  const { pathname, search } = new URL(page)
  const own = pathname + search
  if (address.startsWith(`${own}#`)) return address.slice(own.length)
  if (address.startsWith(`${pathname}?`)) return shortQuery(address.slice(pathname.length), search)
  const folder = folderOf(pathname)
  const isInside = folder.length >= FOLDER_CHARS_MIN && address.startsWith(folder) && address !== pathname
  return isInside && address !== folder ? `./${address.slice(folder.length)}` : address
}

function shortQuery(query: string, own: string): string {
  const [all, known] = [query.slice(1).split('&'), own.slice(1).split('&')]
  let count = 0
  while (count < all.length && all[count] === known[count]) count += 1
  const shared = all.slice(0, count).join('&')
  if (shared.length < SHARED_CHARS_MIN) return query
  const last = nameOf(all[count - 1] ?? '')
  const short = `?${ELLIPSIS}${last}=${ELLIPSIS}${query.slice(shared.length + 1)}`
  // Of two parameters of that name it would not say which.
  const isClear = known.filter((parameter) => nameOf(parameter) === last).length === 1
  return isClear && short.length < query.length ? short : query
}

/** The whole address that a short one stands for on this page; `null` when it is not a short one. */
export function wholeAddress(short: string, page: string): string | null {
  if (!/^(\.\/|[?#])/.test(short) || !URL.canParse(page)) return null
  const { pathname, search } = new URL(page)
  const [, last, rest = ''] = /^\?…(.*?)=…(.*)$/.exec(short) ?? []
  if (short.startsWith('./')) return folderOf(pathname) + short.slice(2)
  if (last === undefined) return pathname + (short.startsWith('#') ? search : '') + short
  const known = search.slice(1).split('&')
  const count = known.findIndex((parameter) => nameOf(parameter) === last) + 1
  return `${pathname}?${known.slice(0, count).join('&')}${rest}`
}

const folderOf = (pathname: string): string => pathname.slice(0, pathname.lastIndexOf('/') + 1)
const nameOf = (parameter: string): string => parameter.split('=')[0] ?? ''
