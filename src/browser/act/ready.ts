import { TARGET_READY_MS_MAX } from '../limits.ts'
import { ToolError } from './cdp.ts'
import {
  type Box,
  describe,
  type Element,
  elementOf,
  hitAt,
  inViewport,
  nameOf,
  objectOf,
  type Point,
  quadsOf,
  refFor,
  takesClickOn,
  viewport,
  visiblePart,
} from './element.ts'
import { type Call, type FrameObject, onElement } from './page.ts'
import { parseRef, StaleRef, stale } from './refs.ts'
import { AREA_CENTRE, AREA_IMAGE, STATE, TO_THE_MIDDLE } from './scripts/element.ts'
import { ask } from './tree/reader.ts'
import { pause } from './waiting.ts'

const READY_LOOK_MS = 60

/** Until when a target that is asked for now is waited for. */
export const readyUntil = ({ page }: Call): number =>
  performance.now() + Math.min(TARGET_READY_MS_MAX, page.patience.answerMs / 4)

/**
 * Waits until the element is ready to take an action (there, visible, at rest, enabled, not covered), at most
 * TARGET_READY_MS_MAX, and answers the point where it takes a click. Throws what is in the way. It is scrolled into
 * view, and clear of bars that cover it.
 */
export async function clickablePoint(call: Call, element: Element): Promise<Point> {
  const until = readyUntil(call)
  for (;;) {
    const found = await lookForPoint(call, element).catch((error) => {
      // The protocol knows nothing of an element that was drawn anew meanwhile.
      throw call.signal.aborted || error instanceof ToolError ? error : stale(element.ref)
    })
    if (!(found instanceof ToolError)) return found
    if (performance.now() >= until) throw found
    await pause(READY_LOOK_MS, call.signal)
  }
}

/** The point where a click is one on the element as it is now; `null` where none is. */
export async function pointNow(call: Call, element: Element): Promise<Point | null> {
  const found = await lookForPoint(call, element)
  return found instanceof ToolError ? null : found
}

/** The point to click, or an error that says why there is none yet. */
async function lookForPoint(call: Call, element: Element): Promise<Point | ToolError> {
  const state = await onElement<string>(call, element, STATE)
  if (state === 'gone') throw stale(element.ref)
  if (state !== '') return new ToolError(`Element ${element.ref} is ${state}, so nothing was done.`, nameOf(element))
  const area = await areaPoint(call, element)
  if (area) return area
  const visible = await visiblePart(call, element)
  if (!visible) return new ToolError(`Element ${element.ref} is not visible on the page.`, nameOf(element))
  const first = await freePoint(call, element, visible)
  if ('at' in first) return first.at
  // A bar that stays at the edge of the window covers it: away from the edge it is free.
  await onElement(call, element, TO_THE_MIDDLE)
  const moved = await visiblePart(call, element)
  const second = moved ? await freePoint(call, element, moved) : first
  return 'at' in second ? second.at : coveredBy(call, element, second.by)
}

/** Whether a click at the point is one on the element, or on what was drawn in its place, now. */
export async function takesClickAt(call: Call, element: Element, at: Point): Promise<boolean> {
  const hit = await hitAt(call, at)
  if (hit === null) return true
  const takes = await takesClickOn(call, element, hit).catch((error) => {
    if (call.signal.aborted) throw error
    return false
  })
  return takes || (await aimAt(call, element, at)) !== null
}

/**
 * The element that was drawn in the place of one, and where it takes a click. One that is drawn anew many times a second
 * is found and measured in one step, so that the next one is there when the mouse comes.
 */
export async function readyHeir(call: Call, ref: string, until: number): Promise<{ element: Element; at: Point }> {
  for (;;) {
    const element = await elementOf(call, ref)
    const at = element.frame.parent
      ? await clickablePoint(call, element).catch(unlessStale)
      : await aimAt(call, element, null)
    if (at) return { element, at }
    if (performance.now() >= until)
      throw new ToolError(`Element ${ref} is drawn anew all the time, and could not be reached.`, nameOf(element))
    await pause(READY_LOOK_MS, call.signal)
  }
}

function unlessStale(error: unknown): null {
  if (error instanceof StaleRef) return null
  throw error
}

/** In the main frame alone: what is in another one may be covered from outside. */
async function aimAt(call: Call, { frame, ref }: Element, at: Point | null): Promise<Point | null> {
  const parsed = parseRef(ref)
  return parsed === null || frame.parent ? null : ask(call, frame, 'aim', parsed.element, at)
}

/** How far past the middle of its target, in shares of it, a drag ends: lists that are sorted take the place then. */
const PAST_MIDDLE = 0.2

/**
 * Where something that is dragged from a point is let go over the element: past its middle, as seen from there. It is
 * scrolled into view when it is not. Throws a ToolError when it is not visible.
 */
export async function dropPoint(call: Call, element: Element, from: Point): Promise<Point> {
  const inView = inViewport(await quadsOf(call, element), await viewport(call))
  const visible = inView ?? (await visiblePart(call, element))
  if (!visible) throw new ToolError(`Element ${element.ref} is not in view.`, nameOf(element))
  const [left, top, right, bottom] = visible
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 }
  const [dx, dy] = [middle.x - from.x, middle.y - from.y]
  return Math.abs(dx) > Math.abs(dy)
    ? { ...middle, x: middle.x + Math.sign(dx) * PAST_MIDDLE * (right - left) }
    : { ...middle, y: middle.y + Math.sign(dy) * PAST_MIDDLE * (bottom - top) }
}

/** The middle of an element as it is drawn now, in view or not; `null` where it is not drawn. */
export async function middleOf(call: Call, element: Element): Promise<Point | null> {
  const [quad] = (await quadsOf(call, element)) ?? []
  if (!quad) return null
  const sum = (first: number) => quad.filter((_, at) => at % 2 === first).reduce((all, each) => all + each, 0)
  return { x: sum(0) / 4, y: sum(1) / 4 }
}

async function freePoint(call: Call, element: Element, visible: Box): Promise<{ at: Point } | { by: FrameObject }> {
  let by: FrameObject | null = null
  for (const at of pointsOf(visible)) {
    const hit = await hitAt(call, at)
    if (hit === null || (await takesClickOn(call, element, hit))) return { at }
    by ??= hit
  }
  return { by: by ?? element }
}

async function coveredBy(call: Call, element: Element, by: FrameObject): Promise<ToolError> {
  const label = await describe(call, by)
  const ref = await refFor(call, by, label)
  return new ToolError(
    `Element ${element.ref} is covered by ${ref}. Close or move what covers it, then try again.`,
    `${nameOf(element)}\n${ref}: ${label}`,
  )
}

/** The middle of an area of an image map, which has no box of its own. */
async function areaPoint(call: Call, element: Element): Promise<Point | null> {
  const inside = await onElement<Point | null>(call, element, AREA_CENTRE)
  if (!inside) return null
  const objectId = await objectOf(call, element, AREA_IMAGE)
  const box = objectId === null ? null : await visiblePart(call, { ...element, objectId })
  return box && { x: box[0] + inside.x, y: box[1] + inside.y }
}

/** The middle first, then points off it: something small may cover just the middle. */
function pointsOf([left, top, right, bottom]: Box): Point[] {
  const at = (fx: number, fy: number): Point => ({ x: left + (right - left) * fx, y: top + (bottom - top) * fy })
  const off = [0.25, 0.75, 0.08, 0.92]
  return [at(0.5, 0.5), ...off.map((share) => at(share, 0.5)), ...off.map((share) => at(0.5, share))]
}
