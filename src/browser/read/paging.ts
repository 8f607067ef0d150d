import type { Item } from './item.ts'
import type { ReadOptions } from './types.ts'

/** An item on its line, or one that stands for lines to be read when they are needed. */
export interface Flat {
  readonly item: Item
  readonly depth: number
}

/** At least as much as an item will take. */
export interface Extent {
  readonly chars: number
  readonly lines: number
}

export interface Window {
  readonly start: number
  readonly stop: number
  readonly page: number
  readonly pages: number
}

/** Which lines there is room for: a page of them, or those from what is in view on. */
export function windowOf(
  listed: readonly Flat[],
  extents: readonly Extent[],
  { maxChars, page }: Pick<ReadOptions, 'maxChars' | 'page'>,
): Window {
  const charsAt = (at: number) => extents[at]?.chars ?? 0
  const starts = [0]
  let chars = 0
  extents.forEach((_, at) => {
    if (chars > 0 && chars + charsAt(at) > maxChars) {
      starts.push(at)
      chars = 0
    }
    chars += charsAt(at)
  })
  const pages = starts.length
  if (pages === 1) return { start: 0, stop: listed.length, page: 1, pages }
  if (page !== 'view') {
    const index = Math.min(page, pages) - 1
    return { start: starts[index] ?? 0, stop: starts[index + 1] ?? listed.length, page: index + 1, pages }
  }
  const isSeen = ({ item }: Flat) => item.inView && (item.name !== '' || item.actionable)
  let start = Math.max(0, listed.findIndex(isSeen))
  let stop = start
  let room = maxChars
  while (stop < listed.length && room >= charsAt(stop)) room -= charsAt(stop++)
  if (stop === start) stop += 1
  // What is left of the room after the end goes to what comes before.
  while (start > 0 && stop === listed.length && room >= charsAt(start - 1)) room -= charsAt(--start)
  return { start, stop, page: starts.findLastIndex((first) => first <= start) + 1, pages }
}
