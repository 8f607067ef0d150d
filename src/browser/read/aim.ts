import { parentOf, rootOf } from './dom.ts'
import { elementOf } from './registry.ts'
import type { AimPoint } from './types.ts'

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
  const element = elementOf(number)
  if (!element || element.matches(':disabled') || element.closest('[aria-disabled=true], [inert]')) return null
  if (at) return takes(element, at) ? at : null
  const box = element.getBoundingClientRect()
  const isInView = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth
  if (!isInView) element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const now = element.getBoundingClientRect()
  const [left, right] = [Math.max(0, now.left), Math.min(innerWidth, now.right)]
  const [top, bottom] = [Math.max(0, now.top), Math.min(innerHeight, now.bottom)]
  if (right - left < 1 || bottom - top < 1) return null
  const points = SHARES.map(([x, y]) => ({ x: left + (right - left) * x, y: top + (bottom - top) * y }))
  return points.find((point) => takes(element, point)) ?? null
}

/** Whether what is at a point is the element, or in it. */
function takes(element: Element, { x, y }: AimPoint): boolean {
  let hit = document.elementFromPoint(x, y)
  for (let inner = hit && rootOf(hit)?.elementFromPoint(x, y); inner && inner !== hit; ) {
    hit = inner
    inner = rootOf(hit)?.elementFromPoint(x, y)
  }
  for (let node: Element | null = hit; node; node = parentOf(node)) if (node === element) return true
  return false
}
