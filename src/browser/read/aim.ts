import { parentOf, rootOf } from './dom.ts'
import * as raw from './raw.ts'
import { elementOf, labelFor } from './redrawn-refs.ts'
import type { AimPoint, Reach } from './types.ts'

/** The middle first, then points off it, in shares of the part that is in view. */
const SHARES = [
  [0.5, 0.5],
  [0.25, 0.5],
  [0.75, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
] as const

/**
 * A point of the viewport where a click is one on the element that a number means, found in one step: what is drawn
 * anew all the time is another element in the next. With a point, that one or none. `null` when there is none.
 */
export function aim(number: number, at: AimPoint | null): AimPoint | null {
  const element = enabledElement(number)
  if (!element) return null
  if (at) return takes(element, at) ? at : null
  if (!isInView(element)) element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  return pointOn(element)
}

/**
 * The same for an element that is in view as it is, with what it is called: so most are, and one question is enough then.
 * `null`: it has to be waited for, scrolled to, or looked at closer.
 */
export function reach(number: number): Reach | null {
  const element = enabledElement(number)
  const at = element && isInView(element) ? pointOn(element) : null
  return at && { at, label: labelFor(number) }
}

function enabledElement(number: number): Element | null {
  const element = elementOf(number)
  return !element || raw.matches(element, ':disabled') || raw.closest(element, '[aria-disabled=true], [inert]')
    ? null
    : element
}

function isInView(element: Element): boolean {
  const { top, left, bottom, right } = raw.getBoundingClientRect(element)
  return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
}

function pointOn(element: Element): AimPoint | null {
  const now = raw.getBoundingClientRect(element)
  const [left, right] = [Math.max(0, now.left), Math.min(innerWidth, now.right)]
  const [top, bottom] = [Math.max(0, now.top), Math.min(innerHeight, now.bottom)]
  if (right - left < 1 || bottom - top < 1) return null
  const points = SHARES.map(([x, y]) => ({ x: left + (right - left) * x, y: top + (bottom - top) * y }))
  return points.find((point) => takes(element, point)) ?? null
}

/** Whether what is at a point is the element, or in it. */
function takes(element: Element, { x, y }: AimPoint): boolean {
  let hit = raw.page('elementFromPoint')(x, y)
  for (let inner = hit && rootOf(hit)?.elementFromPoint(x, y); inner && inner !== hit; ) {
    hit = inner
    inner = rootOf(hit)?.elementFromPoint(x, y)
  }
  for (let node: Element | null = hit; node; node = parentOf(node)) if (node === element) return true
  return false
}
