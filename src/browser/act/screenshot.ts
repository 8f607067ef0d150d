import { type Capture, captureTab } from '../captures.ts'
import { SCREENSHOT_SIDE_PX_MAX } from '../limits.ts'
import { ToolError } from './cdp.ts'
import type { Point } from './element.ts'
import { type Call, evaluate } from './page.ts'

const JPEG_QUALITY = 75
/** How many times a zoomed region is enlarged at most; more would show nothing new. */
const ZOOM_MAX = 4

interface View {
  readonly pageX: number
  readonly pageY: number
  readonly width: number
  readonly height: number
}
export interface Shot {
  readonly data: string
  readonly width: number
  readonly height: number
}

/** The visible part of the page as a JPEG in base64, its longest side at most SCREENSHOT_SIDE_PX_MAX. */
export async function screenshot(call: Call): Promise<Shot> {
  // Scroll bars are on the picture, and not in the width of the page.
  const { result } = await evaluate(call, 'innerWidth')
  const shot = await capture(call)
  call.page.scale = shot.width / (Number(result.value) || (await viewOf(call)).width)
  return shot
}

/** A region of the last screenshot, as large as it can be shown. */
export async function zoom(call: Call, region: readonly number[]): Promise<Shot> {
  const view = await viewOf(call)
  const scale = call.page.scale ?? fitting(view)
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = region.map((pixels) => pixels / scale)
  const left = Math.max(0, Math.min(x1, x2))
  const top = Math.max(0, Math.min(y1, y2))
  const width = Math.min(view.width, Math.max(x1, x2)) - left
  const height = Math.min(view.height, Math.max(y1, y2)) - top
  if (width < 1 || height < 1)
    throw new ToolError('The region is empty or outside the screenshot: give [left, top, right, bottom].')
  const enlarged = Math.min(ZOOM_MAX, SCREENSHOT_SIDE_PX_MAX / Math.max(width, height))
  if (await call.page.cdp.isHidden?.()) {
    const part = { x: left / view.width, y: top / view.height, width: width / view.width, height: height / view.height }
    const jpeg = await captured(call)
    const data = await call.page.cdp.shrink({ jpeg, width: Math.round(width * enlarged), quality: JPEG_QUALITY, part })
    return { data, ...sizeOf(data) }
  }
  const clip = { x: view.pageX + left, y: view.pageY + top, width, height, scale: enlarged }
  return capture(call, clip)
}

/** The point of the viewport that a pixel of the last screenshot shows. Throws if it is outside, unless that is allowed. */
export async function pointOf(call: Call, [x = 0, y = 0]: readonly number[], mayLeave = false): Promise<Point> {
  const view = await viewOf(call)
  const scale = call.page.scale ?? fitting(view)
  const point = { x: x / scale, y: y / scale }
  if (mayLeave) return point
  if (point.x < 0 || point.y < 0 || point.x >= view.width || point.y >= view.height) {
    const size = `${Math.round(view.width * scale)} × ${Math.round(view.height * scale)}`
    throw new ToolError(`The coordinate [${x}, ${y}] is outside the screenshot of ${size} pixels.`)
  }
  return point
}

const fitting = ({ width, height }: View): number => Math.min(1, SCREENSHOT_SIDE_PX_MAX / Math.max(width, height))

async function viewOf(call: Call): Promise<View> {
  const { cssVisualViewport: view } = await call.send('Page.getLayoutMetrics')
  return { pageX: view.pageX, pageY: view.pageY, width: view.clientWidth, height: view.clientHeight }
}

/** With a clip, a part of the page; else all that is visible, which is drawn no differently for it. */
async function capture(call: Call, clip?: Capture['clip']): Promise<Shot> {
  const { cdp } = call.page
  const data = await captured(call, clip)
  const size = sizeOf(data)
  const longest = Math.max(size.width, size.height)
  if (longest <= SCREENSHOT_SIDE_PX_MAX) return { data, ...size }
  const width = Math.floor((size.width * SCREENSHOT_SIDE_PX_MAX) / longest)
  const shrunk = await cdp.shrink({ jpeg: data, width, quality: JPEG_QUALITY })
  return { data: shrunk, ...sizeOf(shrunk) }
}

const captured = (call: Call, clip?: Capture['clip']): Promise<string> =>
  captureTab(
    call.page.cdp,
    { quality: JPEG_QUALITY, clip },
    { forModel: true, send: (method, params) => call.send(method as 'Page.captureScreenshot', params) },
  )

/** Width and height from the frame header of a JPEG. Throws a ToolError when there is none. */
export function sizeOf(base64: string): { width: number; height: number } {
  // Headers come first; the picture itself need not be decoded.
  const head = atob(base64.slice(0, 8_192))
  const byte = (at: number) => head.charCodeAt(at)
  const word = (at: number) => byte(at) * 256 + byte(at + 1)
  for (let at = 2; at + 9 < head.length && byte(at) === 0xff; at += 2 + word(at + 2)) {
    const marker = byte(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { height: word(at + 5), width: word(at + 7) }
  }
  throw new ToolError('The browser did not return a screenshot.')
}
