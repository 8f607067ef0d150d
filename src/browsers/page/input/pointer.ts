import type { DragData } from '../cdp.ts'
import type { Point } from '../element.ts'
import type { Call } from '../page.ts'
import { pause } from '../waiting.ts'

const WHEEL_TICK_PX = 100
/** A drag is made in so many moves, so that pages which watch the way see one. */
const DRAG_MOVES = 8
/** A page that starts a drag of its own (drag and drop of HTML) says so within this time. */
const DRAG_STARTS_MS = 60

export type Button = 'left' | 'right'
const BUTTON_BITS = { left: 1, right: 2 } as const

/** Moves the mouse, with the left button down when it is. */
export function move(call: Call, at: Point, modifiers = 0, buttons = call.page.mouse.isDown ? 1 : 0): Promise<unknown> {
  call.page.mouse.at = at
  const button = buttons === 0 ? 'none' : 'left'
  return call.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at, modifiers, buttons, button })
}

export interface Click {
  readonly button: Button
  readonly count: number
  readonly modifiers: number
  /** How long the button stays down. */
  readonly holdMs?: number
}

/** Clicks so many times in a row where the mouse is, as a double or triple click is made. */
export async function click(call: Call, at: Point, { button, count, modifiers, holdMs = 0 }: Click): Promise<void> {
  const sent: Promise<unknown>[] = []
  for (let clickCount = 1; clickCount <= count; clickCount += 1) {
    const common = { ...at, button, clickCount, modifiers }
    sent.push(call.send('Input.dispatchMouseEvent', { ...common, type: 'mousePressed', buttons: BUTTON_BITS[button] }))
    if (holdMs > 0) await pause(holdMs, call.signal)
    // Not a call of this task's any more, perhaps: a button that stays down would spoil whatever comes after.
    sent.push(call.page.cdp.send('Input.dispatchMouseEvent', { ...common, type: 'mouseReleased', buttons: 0 }))
  }
  await Promise.all(sent)
}

/** Presses the left button where the mouse is, and leaves it down. */
export async function mouseDown(call: Call, modifiers: number): Promise<void> {
  const { mouse } = call.page
  await call.send('Input.dispatchMouseEvent', { ...LEFT, ...mouse.at, modifiers, type: 'mousePressed', buttons: 1 })
  mouse.isDown = true
}

/** Lets the left button go where the mouse is. */
export async function mouseUp(call: Call, modifiers: number): Promise<void> {
  const { mouse } = call.page
  mouse.isDown = false
  await call.send('Input.dispatchMouseEvent', { ...LEFT, ...mouse.at, modifiers, type: 'mouseReleased', buttons: 0 })
}

const LEFT = { button: 'left', clickCount: 1 } as const

/** Turns the wheel at a point. */
export async function wheel(call: Call, at: Point, right: number, down: number, modifiers: number): Promise<void> {
  await call.send('Input.dispatchMouseEvent', {
    type: 'mouseWheel',
    ...at,
    modifiers,
    deltaX: right * WHEEL_TICK_PX,
    deltaY: down * WHEEL_TICK_PX,
  })
}

/** Presses at one point, goes to the other and releases: for sliders and canvases as well as for drag and drop of HTML. */
export async function drag(call: Call, from: Point, to: Point, modifiers: number): Promise<void> {
  let data: DragData | null = null
  const stop = call.page.cdp.on('Input.dragIntercepted', (event: { data: DragData }) => {
    data = event.data
  })
  // Otherwise the browser would hand the drag to the desktop, which nothing here can steer.
  await call.send('Input.setInterceptDrags', { enabled: true })
  const common = { button: 'left' as const, clickCount: 1, modifiers }
  try {
    await move(call, from, modifiers)
    await call.send('Input.dispatchMouseEvent', { ...from, ...common, type: 'mousePressed', buttons: 1 })
    for (let step = 1; step <= DRAG_MOVES; step += 1) {
      const part = step / DRAG_MOVES
      const at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
      await move(call, at, modifiers, 1)
      if (step === 2) await pause(DRAG_STARTS_MS, call.signal)
      if (data !== null) break
    }
    if (data !== null) {
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await call.send('Input.dispatchDragEvent', { type, ...to, data, modifiers })
      }
    }
    await call.send('Input.dispatchMouseEvent', { ...to, ...common, type: 'mouseReleased', buttons: 0 })
  } finally {
    stop()
    call.page.cdp.send('Input.setInterceptDrags', { enabled: false }).catch(() => {})
  }
}
