import { type Quad, ToolError } from './cdp.ts'
import { type Call, onElement } from './page.ts'
import { stale } from './refs.ts'
import { DESCRIBE, IS_CONNECTED, TAKES_CLICK_ON } from './scripts/element.ts'
import { pause } from './waiting.ts'

/** An element that a reference meant, found on the page. */
export interface Element {
  readonly ref: string
  /** As it was last read: `button "Buy"`. */
  readonly label: string
  readonly objectId: string
}
/** In CSS pixels of the viewport. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** How often and for how long it is looked whether an element has come to rest after it was scrolled into view. */
const REST_LOOKS_MAX = 20
const REST_LOOK_MS = 16

/** The element that the reference means. Throws a ToolError when it is not on the page any more. */
export async function elementOf(call: Call, given: string): Promise<Element> {
  const { ref, known } = call.page.refs.get(given)
  const objectId = await resolve(call, known.backendNodeId)
  if (objectId === null || !(await onElement<boolean>(call, objectId, IS_CONNECTED))) throw stale(ref)
  return { ref, label: known.label, objectId }
}

/** The element in the page's words: `e12: button "Buy"`. */
export const nameOf = ({ ref, label }: Element): string => `${ref}: ${label}`

/** Brings the element into view, and the point where it takes a click; throws when it cannot be seen or is covered. */
export async function clickablePoint(call: Call, element: Element): Promise<Point> {
  const visible = await intoView(call, element)
  let covering: number | null = null
  for (const point of pointsOf(visible)) {
    const hit = await hitAt(call, point)
    if (hit === null || (await takesClickOn(call, element, hit))) return point
    covering ??= hit
  }
  const label = covering === null ? 'another element' : await describe(call, covering)
  const ref = covering === null ? 'another element' : call.page.refs.of(covering, label)
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
  await call.send('DOM.scrollIntoViewIfNeeded', { objectId: element.objectId })
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

/** What lies at the point, or `null` when nothing says so. */
export async function hitAt(call: Call, { x, y }: Point): Promise<number | null> {
  const { cssLayoutViewport: view } = await call.send('Page.getLayoutMetrics')
  try {
    // This one method counts from the document's corner, not from the viewport's.
    const at = { x: Math.floor(x + view.pageX), y: Math.floor(y + view.pageY) }
    return (await call.send('DOM.getNodeForLocation', at)).backendNodeId
  } catch (error) {
    if (call.signal.aborted) throw error
    return null
  }
}

/** How an element without a reference is called: `<button> "Buy"`. */
export async function describe(call: Call, backendNodeId: number): Promise<string> {
  const objectId = await resolve(call, backendNodeId)
  return objectId === null ? 'an element' : onElement<string>(call, objectId, DESCRIBE)
}

async function takesClickOn(call: Call, element: Element, hit: number): Promise<boolean> {
  const objectId = await resolve(call, hit)
  if (objectId === null) return false
  const { result } = await call.send('Runtime.callFunctionOn', {
    objectId: element.objectId,
    functionDeclaration: TAKES_CLICK_ON,
    arguments: [{ objectId }],
    returnByValue: true,
  })
  return result.value === true
}

async function resolve(call: Call, backendNodeId: number): Promise<string | null> {
  try {
    return (await call.send('DOM.resolveNode', { backendNodeId })).object.objectId ?? null
  } catch (error) {
    if (call.signal.aborted) throw error
    return null
  }
}

async function quadsOf(call: Call, element: Element): Promise<readonly Quad[] | null> {
  try {
    const { quads } = await call.send('DOM.getContentQuads', { objectId: element.objectId })
    return quads.length > 0 ? quads : null
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
