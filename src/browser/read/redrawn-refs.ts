import { collapse, truncate } from './dom.ts'
import { everyItem, type Item, labelOf, textOf } from './item.ts'
import * as raw from './raw.ts'
import { isStub, textOfStub } from './stub.ts'
import { walk } from './walk.ts'

/** An element that a reference was given to, and by what it is found again when the page draws it anew. */
interface Entry {
  element: WeakRef<Element>
  readonly label: string
  /** Role and name. */
  readonly kind: string
  /** The row, list item or section that it is in. */
  readonly place: string
  /** How many of this kind there were. */
  readonly ofKind: number
  /** How many of this kind there were in this place, and which of them it was, from 0. */
  readonly inPlace: number
  readonly order: number
}

const entries = new Map<number, Entry>()
const numbers = new WeakMap<Element, number>()
let next = 1

export const startAt = (number: number): void => {
  next = Math.max(next, number)
}
export const nextNumber = (): number => next

const kindOf = (item: Item): string => `${item.role} ${item.name || textOf(item.children, 80)}`
const AROUND = /^(row|listitem|article|group|region|form|dialog|alertdialog|tabpanel|option|treeitem|clickable)$/

const STUBS_EXPANDED_MAX = 300

function put(items: Map<string, Item[]>, key: string, item: Item): void {
  const same = items.get(key)
  if (same) same.push(item)
  else items.set(key, [item])
}

/** Of more that are alike in one place nobody says which is which. */
const ALIKE_MAX = 50

/** What an element is known by: made once for each reading. */
export class Places {
  readonly #places = new Map<Element, string>()
  readonly #kinds = new Map<string, Item[]>()
  readonly #here = new Map<string, Item[]>()

  constructor(items: readonly Item[]) {
    this.add(items)
  }

  add(items: readonly Item[]): void {
    const walkIn = (all: readonly Item[], place: string) => {
      for (const item of all) {
        const own = this.#places.get(item.element) ?? place
        this.#places.set(item.element, own)
        if (item.role !== 'text') {
          const kind = kindOf(item)
          put(this.#kinds, kind, item)
          put(this.#here, `${kind}\n${own}`, item)
        }
        walkIn(
          item.children,
          AROUND.test(item.role) ? `${item.role} ${truncate(item.name || textOf(item.children, 120), 120)}` : place,
        )
      }
    }
    walkIn(items, '')
  }

  of(element: Element): string {
    return this.#places.get(element) ?? ''
  }

  ofKind(kind: string): readonly Item[] {
    return this.#kinds.get(kind) ?? []
  }

  /** Those of a kind in a place. */
  here(kind: string, place: string): readonly Item[] {
    return this.#here.get(`${kind}\n${place}`) ?? []
  }

  /**
   * The element drawn in the place of one that is gone; `null` when that cannot be said. Of several it is the only one
   * that has no reference of its own, where there are as many as before and it stands where that one stood.
   */
  find({ kind, place, ofKind, inPlace, order }: Entry): Element | null {
    const here = this.here(kind, place)
    if (here.length === 1 && here[0]) return here[0].element
    const fresh = here.filter(({ element }) => !numbers.has(element))
    if (here.length === inPlace && fresh.length === 1 && fresh[0] && fresh[0] === here[order]) return fresh[0].element
    const [only] = this.ofKind(kind)
    return here.length === 0 && this.ofKind(kind).length === 1 && ofKind === 1 && only ? only.element : null
  }
}

/** The number of the item's element; one that was drawn anew keeps that of the one before. */
export function numberOf(item: Item, places: Places): number {
  const { element } = item
  const known = numbers.get(element)
  const kind = kindOf(item)
  const place = places.of(element)
  const here = places.here(kind, place)
  const entry: Entry = {
    element: new WeakRef(element),
    label: labelOf(item),
    kind,
    place,
    ofKind: places.ofKind(kind).length,
    inPlace: here.length,
    order: here.length > ALIKE_MAX ? -1 : here.findIndex((each) => each.element === element),
  }
  const number = known ?? inheritedBy(element, places) ?? next++
  if (item.role !== 'text' || known === undefined) entries.set(number, entry)
  numbers.set(element, number)
  return number
}

let orphans: { places: Places; numbers: Map<Element, number> } | null = null

/** The references of elements that are gone, by the elements that took their places. */
function inheritedBy(element: Element, places: Places): number | undefined {
  if (orphans?.places !== places) {
    const heirs = new Map<Element, number>()
    for (const [number, entry] of entries) {
      if (entry.element.deref()?.isConnected) continue
      const heir = places.find(entry)
      if (heir && !numbers.has(heir) && !heirs.has(heir)) heirs.set(heir, number)
    }
    orphans = { places, numbers: heirs }
  }
  return orphans.numbers.get(element)
}

/** A number for an element that no line was read of. */
export function numberFor(element: Element, label: string): number {
  const number = numbers.get(element) ?? next++
  numbers.set(element, number)
  if (!entries.has(number))
    entries.set(number, { element: new WeakRef(element), label, kind: '', place: '', ofKind: 0, inPlace: 0, order: 0 })
  return number
}

/** The element that a number means: itself, or what was drawn in its place. `null` when it is gone, or never was. */
export function elementOf(number: number): Element | null {
  const entry = entries.get(number)
  const element = entry?.element.deref()
  if (element && raw.isConnected(element)) return element
  if (!entry || entry.kind === '') return null
  const { items } = walk(raw.page('documentElement'))
  const places = new Places(items)
  const name = collapse(entry.kind.slice(entry.kind.indexOf(' ') + 1)).toLowerCase()
  const stubs = [...everyItem(items)].filter(isStub).filter((stub) => textOfStub(stub).includes(name))
  for (const stub of stubs.slice(0, STUBS_EXPANDED_MAX)) places.add(stub.expand())
  const found = places.find(entry)
  if (!found) return null
  entry.element = new WeakRef(found)
  numbers.set(found, number)
  return found
}

export const labelFor = (number: number): string => entries.get(number)?.label ?? 'element'
export const isKnown = (number: number): boolean => entries.has(number)
