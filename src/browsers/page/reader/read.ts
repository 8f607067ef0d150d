import type { Item } from './item.ts'
import { lineOf } from './lines.ts'
import { elementOf, nextNumber, numberOf, Places, startAt } from './registry.ts'
import { frameOf, isNew, keyOf, setPending, setSuspects } from './seen.ts'
import type { ReadLine, ReadOptions, ReadResult } from './types.ts'
import { walk } from './walk.ts'

interface Flat {
  readonly item: Item
  readonly depth: number
  /** Of the first line after everything in it. */
  end: number
}

/** A reference and the spaces around it. */
const REF_CHARS = 7
/** Have references where they are cut, so that they can be read by themselves. */
const PARTS =
  /^(list|listitem|table|grid|treegrid|row|region|article|group|main|navigation|complementary|form|search|heading|feed|tree|figure|dialog|tabpanel|scroll area|banner|contentinfo|clickable)$/

/** Reads the document, or one element of it, as lines: as many as there is room for. */
export function read(options: ReadOptions): ReadResult {
  startAt(options.nextRef)
  const { scope, isGone } = scopeOf(options)
  const { items, suspects, isCut } = isGone ? { items: [], suspects: [], isCut: false } : walk(scope)
  setSuspects(suspects)
  const places = new Places(items)
  const all = flatten(items)
  const listed = all.filter(
    ({ item }) => !options.interactive || item.actionable || frameOf(item.element) !== undefined,
  )
  const sizes = listed.map(
    ({ item, depth }) => (options.interactive ? 0 : depth * 2) + textFor(item, null, options).length + REF_CHARS,
  )
  const { start, stop, page, pages } = windowOf(listed, sizes, options)
  const isPartial = start > 0 || stop < listed.length
  const depth0 = listed[0]?.depth ?? 0
  const shown = new Map<Node, string>()
  const lines = listed.slice(start, stop).map((flat): ReadLine => {
    const { item } = flat
    const isPart = isPartial && PARTS.test(item.role)
    const ref = item.actionable || isPart ? `${options.prefix}e${numberOf(item, places)}` : null
    const text = textFor(item, ref, options)
    const bare = text.replace(/ \[[fe\d]+\]/, '')
    shown.set(item.node, bare)
    const frame = frameOf(item.element)
    return {
      key: keyOf(item.node),
      depth: options.interactive ? 0 : flat.depth - depth0,
      text,
      ref,
      actionable: item.actionable,
      inView: item.inView,
      isNew: isNew(item.node, bare),
      ...(frame === undefined ? {} : { frame }),
    }
  })
  setPending(
    all.map(({ item }) => item.node),
    shown,
  )
  return {
    title: document.title,
    url: location.href,
    lines,
    total: listed.length,
    before: start,
    after: listed.length - stop,
    page,
    pages,
    nextRef: nextNumber(),
    fingerprint: fingerprintOf(all),
    suspects: suspects.length,
    isGone,
    isCut,
  }
}

const textFor = (item: Item, ref: string | null, { origin, interactive, element }: ReadOptions): string =>
  lineOf(item, { ref, origin, isAlone: interactive, isWhole: element !== undefined })

function scopeOf({ element }: ReadOptions): { scope: Element; isGone: boolean } {
  const root = document.documentElement
  if (element === undefined) return { scope: root, isGone: false }
  const found = elementOf(element)
  return found ? { scope: found, isGone: false } : { scope: root, isGone: true }
}

function flatten(items: readonly Item[]): Flat[] {
  const all: Flat[] = []
  const add = (each: readonly Item[], depth: number) => {
    for (const item of each) {
      const flat: Flat = { item, depth, end: 0 }
      all.push(flat)
      add(item.children, depth + 1)
      flat.end = all.length
    }
  }
  add(items, 0)
  return all
}

/** Which lines there is room for: a page of them, or those from what is in view on. */
function windowOf(listed: readonly Flat[], sizes: readonly number[], { maxChars, page }: ReadOptions) {
  const starts = [0]
  let chars = 0
  sizes.forEach((size, at) => {
    if (chars > 0 && chars + size + 1 > maxChars) {
      starts.push(at)
      chars = 0
    }
    chars += size + 1
  })
  const pages = starts.length
  if (pages === 1) return { start: 0, stop: listed.length, page: 1, pages }
  if (page !== 'view') {
    const index = Math.min(page, pages) - 1
    return { start: starts[index] ?? 0, stop: starts[index + 1] ?? listed.length, page: index + 1, pages }
  }
  const firstSeen = listed.findIndex(
    ({ item }) => item.inView && (item.role === 'text' || item.actionable || item.children.length === 0),
  )
  let start = Math.max(0, firstSeen)
  // What is left of the room after the end goes to what comes before.
  let room = maxChars
  let stop = start
  while (stop < listed.length && room - (sizes[stop] ?? 0) - 1 >= 0) room -= (sizes[stop++] ?? 0) + 1
  if (stop === start) stop += 1
  while (start > 0 && stop === listed.length && room - (sizes[start - 1] ?? 0) - 1 >= 0)
    room -= (sizes[--start] ?? 0) + 1
  const at = starts.findLastIndex((first) => first <= start)
  return { start, stop, page: at + 1, pages }
}

/** The state of the document in a few letters: another one means that something is there, holds something or is somewhere else. */
function fingerprintOf(all: readonly Flat[]): string {
  let hash = 0x811c9dc5
  const add = (text: string) => {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  add(`${location.href}\n${document.title}\n${Math.round(scrollX)},${Math.round(scrollY)}`)
  for (const { item, depth } of all)
    add(`${depth}${item.role} ${item.name} ${item.value} ${item.states.join()} ${item.url}`)
  return (hash >>> 0).toString(36)
}
