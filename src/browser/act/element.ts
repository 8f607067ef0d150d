import { type Quad, ToolError } from './cdp.ts'
import type { PageFrame } from './frames.ts'
import { areaQuad, localPoint, scrollTarget, toViewport } from './geometry.ts'
import { type Call, type FrameObject, onElement } from './page.ts'
import { parseRef, refName, stale, unknown } from './refs.ts'
import { DESCRIBE, SHOWN_FOR, TAKES_CLICK_ON } from './scripts/element.ts'
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
export const nameOf = ({ ref, label }: Pick<Element, 'ref' | 'label'>): string => `${ref}: ${label}`

/** In CSS pixels of the tab's viewport. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** Scrolls the element into view and answers the part of it that is visible. Throws a ToolError when none is. */
export async function intoView(call: Call, element: Element): Promise<Box> {
  const visible = await visiblePart(call, element)
  if (!visible) throw new ToolError(`Element ${element.ref} is not visible on the page.`, nameOf(element))
  return visible
}

/** The part that is visible once it is scrolled into view and at rest; of what a hidden field is labelled by, too. */
export async function visiblePart(call: Call, given: Element): Promise<Box | null> {
  const element = await shownFor(call, given)
  const before = await quadsOf(call, element)
  if (!before) return null
  await call.sendTo(element.frame.session, 'DOM.scrollIntoViewIfNeeded', {
    objectId: await scrollTarget(call, element),
  })
  let quads = await quadsOf(call, element)
  for (let last = before, look = 0; quads && look < REST_LOOKS_MAX; look += 1) {
    if (look > 0 && same(last, quads)) break
    await pause(REST_LOOK_MS, call.signal)
    last = quads
    quads = await quadsOf(call, element)
  }
  return inViewport(quads, await viewport(call))
}

/** What is drawn for the element: itself, or the label or widget of a field that is not visible. */
export async function shownFor(call: Call, element: Element): Promise<Element> {
  return { ...element, objectId: (await objectOf(call, element, SHOWN_FOR)) ?? element.objectId }
}

/** Calls one of the injected functions with an element, for another element or `null`. */
export async function objectOf(
  call: Call,
  { frame, objectId }: Element,
  functionDeclaration: string,
): Promise<string | null> {
  const asked = { objectId, functionDeclaration }
  return (await call.sendTo(frame.session, 'Runtime.callFunctionOn', asked)).result.objectId ?? null
}

export async function viewport(call: Call): Promise<{ clientWidth: number; clientHeight: number }> {
  return (await call.send('Page.getLayoutMetrics')).cssLayoutViewport
}

export function inViewport(
  quads: readonly Quad[] | null,
  view: { clientWidth: number; clientHeight: number },
): Box | null {
  for (const quad of quads ?? []) {
    const xs = quad.filter((_, index) => index % 2 === 0)
    const ys = quad.filter((_, index) => index % 2 === 1)
    const left = Math.max(0, Math.min(...xs))
    const top = Math.max(0, Math.min(...ys))
    const right = Math.min(view.clientWidth, Math.max(...xs))
    const bottom = Math.min(view.clientHeight, Math.max(...ys))
    if (right - left >= 1 && bottom - top >= 1) return [left, top, right, bottom]
  }
  return null
}

/** The element at a point of the viewport, in whichever frame it is; `null` if it cannot be determined. */
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

/** A node by the protocol's number, as an object in our world of its frame. */
export async function objectIn(call: Call, frame: PageFrame, backendNodeId: number): Promise<FrameObject | null> {
  const { object } = await call.page.frames.inWorld(call, frame, ({ contextId }) =>
    call.sendTo(frame.session, 'DOM.resolveNode', { backendNodeId, executionContextId: contextId }),
  )
  if (object.objectId === undefined) return null
  // What a style sheet draws before or after an element is a part of it, and no node of the document.
  if (object.className !== 'CSSPseudoElement') return { frame, objectId: object.objectId }
  const owner = { objectId: object.objectId, functionDeclaration: 'function () { return this.element }' }
  const { result } = await call.sendTo(frame.session, 'Runtime.callFunctionOn', owner)
  return result.objectId === undefined ? null : { frame, objectId: result.objectId }
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
  if (object === null) return false
  const takes = (on: Element) => onElement<boolean>(call, on, TAKES_CLICK_ON, object)
  return (await takes(element)) || takes(await shownFor(call, element))
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
