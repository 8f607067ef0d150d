import { type Quad, ToolError } from './cdp.ts'
import type { PageFrame } from './frames.ts'
import { areaQuad, localPoint, scrollTarget, toViewport } from './geometry.ts'
import { type Call, type FrameObject, onElement } from './page.ts'
import { parseRef, refName, stale, unknown } from './refs.ts'
import { DESCRIBE, TAKES_CLICK_ON } from './scripts/element.ts'
import { ask } from './tree/reader.ts'
import { pause } from './waiting.ts'

/** An element that a reference meant, found on the page. */
export interface Element extends FrameObject {
  readonly ref: string
  /** As it was last read: `button "Buy"`. */
  readonly label: string
}
/** In CSS pixels of the tab's viewport. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** How often and for how long it is looked whether an element has come to rest after it was scrolled into view. */
const REST_LOOKS_MAX = 20
const REST_LOOK_MS = 16

/**
 * The element that the reference means; one that the page has drawn anew is found again. Throws a ToolError when it is
 * not on the page any more.
 */
export async function elementOf(call: Call, given: string): Promise<Element> {
  const { frames, counter } = call.page
  const parsed = parseRef(given)
  if (!parsed) throw unknown(given)
  const { ref, element: number } = parsed
  const frame = await frames.numbered(call, parsed.frame)
  if (!frame) throw (parsed.frame ?? 0) < counter.nextFrame ? stale(ref) : unknown(ref)
  const { result } = await frames.inWorld(call, frame, ({ contextId }) =>
    call.sendTo(frame.session, 'Runtime.evaluate', { expression: `reader.elementOf(${number})`, contextId }),
  )
  if (!result.objectId) {
    const isKnown = (await ask(call, frame, 'stateOf', number)) === 'gone'
    throw isKnown || (frame.number === null && number < counter.next) ? stale(ref) : unknown(ref)
  }
  return { ref, label: await ask(call, frame, 'labelFor', number), frame, objectId: result.objectId }
}

/** The element in the page's words: `e12: button "Buy"`. */
export const nameOf = ({ ref, label }: Element): string => `${ref}: ${label}`

/** Brings the element into view, and the point where it takes a click; throws when it cannot be seen or is covered. */
export async function clickablePoint(call: Call, element: Element): Promise<Point> {
  const visible = await intoView(call, element)
  let covering: FrameObject | null = null
  for (const point of pointsOf(visible)) {
    const hit = await hitAt(call, point)
    if (hit === null || (await takesClickOn(call, element, hit))) return point
    covering ??= hit
  }
  const label = covering === null ? 'another element' : await describe(call, covering)
  const ref = covering === null ? 'another element' : await refFor(call, covering, label)
  throw new ToolError(
    `Element ${element.ref} is covered by ${ref}. Close or move what covers it, then try again.`,
    `${nameOf(element)}\n${ref}: ${label}`,
  )
}

/** Scrolls the element into view and answers the part of it that is visible, as [left, top, right, bottom]. */
export async function intoView(call: Call, element: Element): Promise<readonly [number, number, number, number]> {
  const hidden = new ToolError(`Element ${element.ref} is not visible on the page.`, nameOf(element))
  const before = await quadsOf(call, element)
  if (!before) throw hidden
  await call.sendTo(element.frame.session, 'DOM.scrollIntoViewIfNeeded', {
    objectId: await scrollTarget(call, element),
  })
  let quads = await quadsOf(call, element)
  for (let last = before, look = 0; quads && !same(last, quads) && look < REST_LOOKS_MAX; look += 1) {
    await pause(REST_LOOK_MS, call.signal)
    last = quads
    quads = await quadsOf(call, element)
  }
  const { cssLayoutViewport: view } = await call.send('Page.getLayoutMetrics')
  for (const quad of quads ?? []) {
    const xs = quad.filter((_, index) => index % 2 === 0)
    const ys = quad.filter((_, index) => index % 2 === 1)
    const left = Math.max(0, Math.min(...xs))
    const top = Math.max(0, Math.min(...ys))
    const right = Math.min(view.clientWidth, Math.max(...xs))
    const bottom = Math.min(view.clientHeight, Math.max(...ys))
    if (right - left >= 1 && bottom - top >= 1) return [left, top, right, bottom]
  }
  throw hidden
}

/** What lies at a point of the viewport, in whichever frame, or `null` when nothing says so. */
export async function hitAt(call: Call, point: Point): Promise<FrameObject | null> {
  let frame = await call.page.frames.main(call)
  try {
    for (;;) {
      const { session } = frame
      const at = await localPoint(call, frame, point)
      const { cssLayoutViewport: view } = await call.sendTo(session, 'Page.getLayoutMetrics')
      // This one method counts from the document's corner, not from the viewport's.
      const where = { x: Math.floor(at.x + view.pageX), y: Math.floor(at.y + view.pageY) }
      const hit = await call.sendTo(session, 'DOM.getNodeForLocation', where)
      const { node } = await call.sendTo(session, 'DOM.describeNode', { backendNodeId: hit.backendNodeId })
      const inner = node.frameId === undefined ? undefined : call.page.frames.withId(node.frameId)
      if (inner && inner.session !== session) frame = inner
      else return await objectIn(call, call.page.frames.withId(hit.frameId) ?? frame, hit.backendNodeId)
    }
  } catch (error) {
    if (call.signal.aborted) throw error
    return null
  }
}

async function objectIn(call: Call, frame: PageFrame, backendNodeId: number): Promise<FrameObject | null> {
  const { object } = await call.page.frames.inWorld(call, frame, ({ contextId }) =>
    call.sendTo(frame.session, 'DOM.resolveNode', { backendNodeId, executionContextId: contextId }),
  )
  return object.objectId === undefined ? null : { frame, objectId: object.objectId }
}

/** How an element without a reference is called: `<button> "Buy"`. */
export const describe = (call: Call, object: FrameObject): Promise<string> => onElement<string>(call, object, DESCRIBE)

/** A reference for an element that a tool came upon. */
export async function refFor(call: Call, object: FrameObject, label: string): Promise<string> {
  const { counter } = call.page
  const { number } = object.frame
  const script =
    'function (label, next) { return reader.refFor(this.nodeType === 1 ? this : this.parentElement, label, next) }'
  const next = number === null ? counter.next : 1
  const made = await onElement<{ number: number; nextRef: number }>(call, object, script, label, next)
  if (number === null) counter.next = made.nextRef
  return refName(number, made.number)
}

/** Whether a click on what was hit is a click on the element. */
export async function takesClickOn(call: Call, element: Element, hit: FrameObject): Promise<boolean> {
  let object: FrameObject | null = hit
  // What is in a frame stands for the frame's element outside of it.
  while (object && object.frame.id !== element.frame.id) {
    const { frame } = object as FrameObject
    if (!frame.parent) return false
    const owner = await call.sendTo(frame.parent.session, 'DOM.getFrameOwner', { frameId: frame.id })
    object = await objectIn(call, frame.parent, owner.backendNodeId)
  }
  return object !== null && onElement<boolean>(call, element, TAKES_CLICK_ON, object)
}

/** Where the element is drawn, in CSS pixels of the tab's viewport; `null` when it is not. */
export async function quadsOf(call: Call, { frame, objectId }: FrameObject): Promise<readonly Quad[] | null> {
  try {
    const area = await areaQuad(call, { frame, objectId })
    if (area) return await toViewport(call, frame, [area])
    const { quads } = await call.sendTo(frame.session, 'DOM.getContentQuads', { objectId })
    return quads.length > 0 ? await toViewport(call, frame, quads) : null
  } catch (error) {
    if (call.signal.aborted) throw error
    return null
  }
}

const same = (a: readonly Quad[], b: readonly Quad[]): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The middle first, then points off it: something small may cover just the middle. */
function pointsOf([left, top, right, bottom]: readonly [number, number, number, number]): Point[] {
  const at = (fx: number, fy: number): Point => ({ x: left + (right - left) * fx, y: top + (bottom - top) * fy })
  return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75)]
}
