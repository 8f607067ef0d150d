import type { Quad } from './cdp.ts'
import type { PageFrame } from './frames.ts'
import { type Call, evaluate, type FrameObject, onElement } from './page.ts'
import { AREA_IN_IMAGE, IMAGE_OF_AREA } from './scripts/element.ts'

/** From the pixels of a frame to those of the tab's viewport, and back. */

interface XY {
  readonly x: number
  readonly y: number
}
/** Where what a session tells of a frame is drawn in a viewport around it: x = a·u + c·v + e, y = b·u + d·v + f. */
interface Transform {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
  readonly e: number
  readonly f: number
}
const SAME: Transform = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 }

/** Quads as a frame's session tells them, in CSS pixels of the tab's viewport. */
export async function toViewport(call: Call, frame: PageFrame, quads: readonly Quad[]): Promise<readonly Quad[]> {
  const transform = combined(await transformOf(call, frame), await enlarged(call, frame))
  if (transform === SAME) return quads
  return quads.map((quad) => {
    const mapped: number[] = []
    for (let at = 0; at + 1 < quad.length; at += 2) {
      const { x, y } = apply(transform, { x: quad[at] ?? 0, y: quad[at + 1] ?? 0 })
      mapped.push(x, y)
    }
    return mapped
  })
}

/** A point of the tab's viewport, as the frame's session counts. */
export async function localPoint(call: Call, frame: PageFrame, { x, y }: XY): Promise<XY> {
  const { a, b, c, d, e, f } = await transformOf(call, frame)
  const determinant = a * d - b * c || 1
  const [u, v] = [x - e, y - f]
  return { x: (d * u - c * v) / determinant, y: (a * v - b * u) / determinant }
}

const apply = ({ a, b, c, d, e, f }: Transform, { x, y }: XY): XY => ({ x: a * x + c * y + e, y: b * x + d * y + f })

/** Where an area of an image map is, as the frame's session tells; `null` for anything else. */
export async function areaQuad(call: Call, { frame, objectId }: FrameObject): Promise<Quad | null> {
  const box = await onElement<readonly number[] | null>(call, { frame, objectId }, AREA_IN_IMAGE)
  if (!box) return null
  const image = await scrollTarget(call, { frame, objectId })
  const { model } = await call.sendTo(frame.session, 'DOM.getBoxModel', { objectId: image })
  const [x = 0, y = 0] = model.content
  const [left = 0, top = 0, right = 0, bottom = 0] = box
  return [x + left, y + top, x + right, y + top, x + right, y + bottom, x + left, y + bottom]
}

/** What is scrolled into view for an element: itself, or the image that it is an area of. */
export async function scrollTarget(call: Call, { frame, objectId }: FrameObject): Promise<string> {
  const { result } = await call.sendTo(frame.session, 'Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: IMAGE_OF_AREA,
  })
  return result.objectId ?? objectId
}

/**
 * [G42] A session tells of the elements of a frame from the corner of its own outermost frame, but in pixels of the frame
 * itself, which CSS `zoom` around it makes larger or smaller.
 */
async function enlarged(call: Call, frame: PageFrame): Promise<Transform> {
  const root = rootOf(frame)
  if (root === frame) return SAME
  // What is around the frame, and it alone, makes these differ within one process.
  const ratios = await Promise.all([frame, root].map((each) => evaluate(call, 'devicePixelRatio', each)))
  const [own = 1, outer = 1] = ratios.map(({ result }) => Number(result.value))
  const scale = own / outer || 1
  return scale === 1 ? SAME : { ...SAME, a: scale, d: scale }
}

/** The outermost frame of the process, from whose corner its session counts. */
export function rootOf(frame: PageFrame): PageFrame {
  let root = frame
  while (root.parent?.session === root.session) root = root.parent
  return root
}

/** From the viewport of the session that a frame is reached through. */
async function transformOf(call: Call, frame: PageFrame): Promise<Transform> {
  const root = rootOf(frame)
  const { parent } = root
  if (!parent) return SAME
  const { backendNodeId } = await call.sendTo(parent.session, 'DOM.getFrameOwner', { frameId: root.id })
  const { model } = await call.sendTo(parent.session, 'DOM.getBoxModel', { backendNodeId })
  const { result } = await evaluate(call, '[innerWidth, innerHeight]', root)
  const [width = 1, height = 1] = result.value as number[]
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, , , x4 = 0, y4 = 0] = model.content
  const [w, h] = [width || 1, height || 1]
  const inner = { a: (x2 - x1) / w, b: (y2 - y1) / w, c: (x4 - x1) / h, d: (y4 - y1) / h, e: x1, f: y1 }
  return combined(combined(await transformOf(call, parent), await enlarged(call, parent)), inner)
}

function combined(outer: Transform, inner: Transform): Transform {
  if (outer === SAME || inner === SAME) return outer === SAME ? inner : outer
  const origin = apply(outer, { x: inner.e, y: inner.f })
  return {
    a: outer.a * inner.a + outer.c * inner.b,
    b: outer.b * inner.a + outer.d * inner.b,
    c: outer.a * inner.c + outer.c * inner.d,
    d: outer.b * inner.c + outer.d * inner.d,
    e: origin.x,
    f: origin.y,
  }
}
