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

export const move = (call: Call, at: Point, modifiers = 0, buttons = 0): Promise<unknown> =>
  call.send('Input.dispatchMouseEvent', {
    type: 'mouseMoved',
    ...at,
    modifiers,
    buttons,
    button: buttons === 0 ? 'none' : 'left',
  })

/** Moves there and clicks so many times in a row, as a double or triple click is made. */
export async function click(call: Call, at: Point, button: Button, count: number, modifiers: number): Promise<void> {
  const sent = [move(call, at, modifiers)]
  for (let clickCount = 1; clickCount <= count; clickCount += 1) {
    const common = { ...at, button, clickCount, modifiers }
    sent.push(
      call.send('Input.dispatchMouseEvent', { ...common, type: 'mousePressed', buttons: BUTTON_BITS[button] }),
      call.send('Input.dispatchMouseEvent', { ...common, type: 'mouseReleased', buttons: 0 }),
    )
  }
  await Promise.all(sent)
}

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
