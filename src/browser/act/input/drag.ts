import type { DragData } from '../cdp.ts'
import { hitAt, type Point } from '../element.ts'
import type { PageFrame } from '../frames.ts'
import { localPoint } from '../geometry.ts'
import { type Call, evaluate, onElement } from '../page.ts'
import { pause } from '../waiting.ts'
import { move, press, release } from './pointer.ts'

/** So many moves, one after the other, are a path for pages that watch it: lists that are sorted move aside on the way. */
const DRAG_MOVES = 18
const MOVE_MS = 8
/** The start is left by these before the end is looked for, so that the page knows of the drag. */
const LEAVE_PX = [3, 6]
/** A page that starts a drag of its own (drag and drop of HTML) says so within this time … */
const DRAG_STARTS_MS = 60
/** … or, of what is made to be dragged, on a machine that is busy, within this. */
const DRAGGABLE_STARTS_MS_MAX = 1_000
/** What moves aside has come to rest before the button is released. */
const REST_MS = 100
const LOOK_MS = 20

export interface Drag {
  /** That start and end are in. */
  readonly frame: PageFrame
  /** Both in the tab's viewport; the end is asked for while the button is down. */
  readonly from: Point
  readonly to: () => Promise<Point>
  /** Where the end is as long as nothing has moved: pages judge by its first pixels what a drag is, a swipe or scrolling. */
  readonly towards: Point
  readonly modifiers: number
}

/** What became of a drag: of one of HTML, whether it began, and whether what is under its end took the drop. */
export type Dragged = 'by mouse' | 'dropped' | 'not begun' | 'not taken'

/** Presses at one point, goes to the other and releases: for sliders and canvases as well as for drag and drop of HTML. */
export async function drag(call: Call, { frame, from, to, towards, modifiers }: Drag): Promise<Dragged> {
  const { session } = frame
  let data: DragData | null = null
  const stop = session.on('Input.dragIntercepted', (event: { data: DragData }) => {
    data = event.data
  })
  const isDraggable = await startsDrag(call, from)
  // Otherwise the browser would hand the drag to the desktop, which nothing here can steer.
  await call.sendTo(session, 'Input.setInterceptDrags', { enabled: true })
  const began = async (ms: number) => {
    for (let waited = 0; data === null && waited < ms && !call.signal.aborted; waited += LOOK_MS)
      await pause(LOOK_MS, call.signal)
  }
  try {
    const start = { frame, at: await localPoint(call, frame, from) }
    await move(call, start, modifiers)
    await press(call, start, modifiers)
    const heading = await localPoint(call, frame, towards)
    let left = start.at
    for (const px of LEAVE_PX) {
      left = onTheWay(start.at, heading, px)
      await move(call, { frame, at: left }, modifiers, 1)
    }
    await began(isDraggable ? DRAGGABLE_STARTS_MS_MAX : DRAG_STARTS_MS)
    const end = { frame, at: await localPoint(call, frame, await to()) }
    for (let step = 1; step <= DRAG_MOVES && data === null; step += 1) {
      const part = step / DRAG_MOVES
      const at = { x: left.x + (end.at.x - left.x) * part, y: left.y + (end.at.y - left.y) * part }
      await move(call, { frame, at }, modifiers, 1)
      await pause(MOVE_MS, call.signal)
    }
    await pause(REST_MS, call.signal)
    if (data === null) {
      await release(call, end, modifiers)
      return isDraggable ? 'not begun' : 'by mouse'
    }
    // The end may be in another frame than the start.
    const frames = call.page.frames.inSession(session)
    const inEach = (expression: string) => Promise.all(frames.map((each) => evaluate(call, expression, each)))
    await inEach(NOTE_DROP)
    for (const type of ['dragEnter', 'dragOver', 'dragOver', 'drop'] as const)
      await call.sendTo(session, 'Input.dispatchDragEvent', { type, ...end.at, data, modifiers })
    const drops = await inEach('globalThis.browserTaskDrop')
    await release(call, end, modifiers)
    return drops.every(({ result }) => result.value === false) ? 'not taken' : 'dropped'
  } finally {
    stop()
    session.send('Input.setInterceptDrags', { enabled: false }).catch(() => {})
  }
}

/** So many pixels from one point to another, and not beyond it. */
function onTheWay(from: Point, to: Point, px: number): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const part = Math.min(1, px / (Math.hypot(dx, dy) || 1))
  return { x: from.x + dx * part, y: from.y + dy * part }
}

/** Whether what is at the point is made to be dragged by HTML. */
async function startsDrag(call: Call, at: Point): Promise<boolean> {
  const hit = await hitAt(call, at)
  return hit !== null && onElement<boolean>(call, hit, IS_DRAGGABLE).catch(() => false)
}
const IS_DRAGGABLE = `function () {
  const element = this.nodeType === 1 ? this : this.parentElement
  return !!element && !!element.closest('[draggable=true]')
}`

/** The browser tells a page of a drop only where it has accepted what is dragged over it. */
const NOTE_DROP = `(() => {
  globalThis.browserTaskDrop = false
  addEventListener('drop', () => { globalThis.browserTaskDrop = true }, { capture: true, once: true })
})()`
