import * as raw from './raw.ts'
/** What of the document can be seen. */

/** In CSS pixels of the frame's own viewport. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

let view: Box = { left: 0, top: 0, right: 0, bottom: 0 }
/** What the root scroller can reach, as it is scrolled now. */
let reach: Box = { left: 0, top: 0, right: 0, bottom: 0 }

/** Once for each reading: these are slow to ask for. */
export function measure(): void {
  view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
  const page = raw.page('scrollingElement') ?? (raw.page('documentElement') as Element | null)
  reach = view
  // A page may have taken its root away.
  if (!page) return
  const [wide, high] = [raw.scrollWidth(page) - raw.clientWidth(page), raw.scrollHeight(page) - raw.clientHeight(page)]
  // From right to left, and in vertical writing, a page goes on to the left of its start or above it.
  const [x, y] = [raw.scrollLeft(page), raw.scrollTop(page)]
  const body = raw.page('body')
  const own = getComputedStyle(page)
  // The body's is the page's where the root element has none of its own.
  const isOwn = own.direction === 'rtl' || own.writingMode !== 'horizontal-tb' || !body
  const { direction, writingMode } = isOwn ? own : getComputedStyle(body)
  const isVertical = writingMode.startsWith('vertical') || writingMode.startsWith('sideways')
  const goesLeft = isVertical ? writingMode.endsWith('-rl') : direction === 'rtl'
  const goesUp = isVertical ? (direction === 'rtl') !== (writingMode === 'sideways-lr') : false
  const left = goesLeft ? -wide - x : -x
  const top = goesUp ? -high - y : -y
  reach = { left, top, right: left + wide + innerWidth, bottom: top + high + innerHeight }
}
export const viewport = (): Box => view

export const intersection = (a: Box, b: Box): Box => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
})

export const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

export const hasArea = ({ left, top, right, bottom }: Box): boolean => right - left >= 1 && bottom - top >= 1

/** Too small for anything to be seen in it, as what is only for screen readers is made. */
export const isSliver = ({ left, top, right, bottom }: Box): boolean => right - left <= 1 || bottom - top <= 1

/** Left of or above where anyone can scroll to. */
export const isOffCanvas = (box: Box): boolean => box.right <= reach.left || box.bottom <= reach.top

/** Where an element is as the walk comes to it. */
export interface Place {
  /** What of it can be seen without scrolling. */
  readonly clip: Box
  /** Something around it hides whatever is in it. */
  readonly isClipped: boolean
  readonly isFaded: boolean
  /** Something around it scrolls. */
  readonly isScrolled: boolean
}

/** The place of what is inside an element. */
export function placeInside(place: Place, element: Element, style: CSSStyleDeclaration, box: Box | null): Place {
  const isFaded = place.isFaded || style.opacity === '0'
  const { overflow } = style
  if (overflow === 'visible' || !box || element === raw.page('body') || element === raw.page('documentElement')) {
    return isFaded === place.isFaded ? place : { ...place, isFaded }
  }
  return {
    clip: intersection(place.clip, box),
    isClipped: place.isClipped || isSliver(box),
    isFaded,
    isScrolled: place.isScrolled || scrolls(overflow),
  }
}

export const scrolls = (overflow: string): boolean => overflow !== 'visible' && /auto|scroll/.test(overflow)

/** Whether the control itself is not visible, for example because its label is drawn instead. */
export function isUnseen(element: Element): boolean {
  const style = getComputedStyle(element)
  if (style.display === 'none' || style.visibility !== 'visible' || style.opacity === '0') return true
  const box = raw.getBoundingClientRect(element)
  if (box.width * box.height <= 4 || isOffCanvas(box)) return true
  const around = raw.parentElement(element)
  if (!around) return false
  const outer = raw.getBoundingClientRect(around)
  return getComputedStyle(around).overflowX === 'hidden' && isSliver(outer)
}
