import { newCustoms } from './custom-elements.ts'
import { shownType, titleAndUrl, truncate } from './dom.ts'
import type { Item } from './item.ts'
import { choiceItems, isTruncated, lineOf } from './lines.ts'
import { frameOf, isNew, keyOf, setPending, setSuspects } from './new-lines.ts'
import { type Extent, type Flat, windowOf } from './paging.ts'
import * as raw from './raw.ts'
import { elementOf, nextNumber, numberOf, Places, startAt } from './redrawn-refs.ts'
import { roleOf } from './roles.ts'
import { extentOf, isStub } from './stub.ts'
import type { ReadLine, ReadOptions, ReadResult } from './types.ts'
import { walk } from './walk.ts'

/** A reference and the spaces around it, and the end of the line. */
const REF_CHARS = 8
/** A line is not cut to fewer characters, however little room there is. */
const LINE_CHARS_MIN = 200
/** Have references where they are cut, so that they can be read by themselves. */
const PARTS =
  /^(list|listitem|table|grid|treegrid|row|region|article|group|main|navigation|complementary|form|search|heading|feed|tree|figure|dialog|tabpanel|banner|contentinfo)$/

/** Reads the document, or one part of it, as lines: as many as there is room for. */
export function read(options: ReadOptions): ReadResult {
  startAt(options.nextRef)
  const element = options.element === undefined ? null : elementOf(options.element)
  const isGone = options.element !== undefined && element === null
  const section = element && roleOf(element) === 'heading' ? element : null
  const scope = section || !element ? raw.page('documentElement') : element
  const { items, suspects, isCut, unread } = walk(isGone ? null : scope)
  setSuspects(suspects)
  const places = new Places(items)
  const all = flatten(items, options, 0)
  const part = section ? sectionOf(all, section) : all
  const isListed = ({ item }: Flat) =>
    !options.interactive || item.actionable || isStub(item) || frameOf(item.element) !== undefined
  const listed = part.filter(isListed)
  const extents = listed.map((flat) => extent(flat, options))
  const { start, stop, page, pages } = windowOf(listed, extents, options)
  const isPartial = start > 0 || stop < listed.length
  // What can be dragged may be dropped on any part of the page.
  const hasDrags = all.some(({ item }) => item.role === 'draggable' || item.states.includes('draggable'))
  const flats = listed.slice(start, stop).flatMap((flat): Flat[] => {
    if (!isStub(flat.item)) return [flat]
    const late = flat.item.expand()
    places.add(late)
    return flatten(late, options, flat.depth).filter(isListed)
  })
  const depth0 = flats[0]?.depth ?? 0
  const shown = new Map<Node, string>()
  const lines = flats.map(({ item, depth }): ReadLine => {
    const isScrolled = item.states.some((state) => state.startsWith('scrolled'))
    const isPart = ((isPartial || hasDrags) && PARTS.test(item.role)) || isScrolled || isTruncated(item)
    const ref = item.actionable || isPart ? `${options.prefix}e${numberOf(item, places)}` : null
    const text = textFor(item, ref, options)
    const bare = text.replace(/ \[[fe\d]+\]/, '')
    shown.set(item.node, bare)
    const frame = frameOf(item.element)
    return {
      key: keyOf(item.node),
      depth: options.interactive ? 0 : Math.max(0, depth - depth0),
      text,
      ref,
      actionable: item.actionable,
      inView: item.inView,
      isNew: isNew(item.node, bare, options.element !== undefined),
      ...(frame === undefined ? {} : { frame }),
    }
  })
  const nodes = [...all, ...flats].map(({ item }) => item.node)
  setPending({
    nodes,
    stubs: all.flatMap(({ item }) => (isStub(item) ? [item.node] : [])),
    shown,
    isPart: options.element !== undefined,
  })
  const count = (some: readonly Extent[]) => some.reduce((sum, each) => sum + each.lines, 0)
  return {
    ...titleAndUrl(),
    lines,
    before: count(extents.slice(0, start)),
    after: count(extents.slice(stop)),
    page,
    pages,
    nextRef: nextNumber(),
    fingerprint: fingerprintOf(all),
    suspects: suspects.length + newCustoms(),
    contentType: shownType(),
    isGone,
    isCut,
    unread,
  }
}

/** However much an item holds, its line fits into the room for all of them. */
function textFor(item: Item, ref: string | null, { origin, interactive, element, maxChars }: ReadOptions): string {
  const max = Math.max(LINE_CHARS_MIN, maxChars)
  const wholeMax = element === undefined ? null : max
  return truncate(lineOf(item, { ref, origin, isAlone: interactive, wholeMax }), max)
}

function extent({ item, depth }: Flat, options: ReadOptions): Extent {
  if (isStub(item)) return extentOf(item, options.interactive)
  const indent = options.interactive ? 0 : depth * 2
  return { chars: indent + textFor(item, null, options).length + REF_CHARS, lines: 1 }
}

function flatten(items: readonly Item[], options: ReadOptions, depth: number): Flat[] {
  const all: Flat[] = []
  const add = (each: readonly Item[], at: number) => {
    for (const item of each) {
      all.push({ item, depth: at })
      add(item.children, at + 1)
      if (options.element !== undefined) add(choiceItems(item), at + 1)
    }
  }
  add(items, depth)
  return all
}

/** A heading and what follows, up to the next one that is not below it. */
function sectionOf(all: readonly Flat[], heading: Element): readonly Flat[] {
  const levelOf = ({ item }: Flat) => Number(/level=(\d)/.exec(item.states.join(' '))?.[1] ?? 9)
  const from = all.findIndex(({ item }) => item.element === heading && item.role === 'heading')
  const first = all[from]
  if (!first) return []
  const to = all.findIndex((flat, at) => at > from && flat.item.role === 'heading' && levelOf(flat) <= levelOf(first))
  return all.slice(from, to < 0 ? all.length : to)
}

/** The state of the document in a few letters: another one means that something is there, holds something or is somewhere else. */
function fingerprintOf(all: readonly Flat[]): string {
  let hash = 0x811c9dc5
  const add = (text: string) => {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  add(`${location.href}\n${raw.page('title')}\n${Math.round(scrollX)},${Math.round(scrollY)}`)
  for (const { item, depth } of all) {
    if (isStub(item)) add(raw.textContent(item.element) ?? '')
    else add(`${depth}${item.role} ${item.name} ${item.value} ${item.states.join()} ${item.url}`)
  }
  return (hash >>> 0).toString(36)
}
