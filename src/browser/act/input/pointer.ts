import type { Params } from '../cdp.ts'
import type { Point } from '../element.ts'
import type { PageFrame } from '../frames.ts'
import { localPoint } from '../geometry.ts'
import type { Call } from '../page.ts'
import { pause } from '../waiting.ts'

const WHEEL_TICK_PX = 100
type MouseEventParams = Params<'Input.dispatchMouseEvent'>

export type Button = 'left' | 'right'
const BUTTON_BITS = { left: 1, right: 2 } as const

/**
 * Where the mouse is: in a frame, as its session counts. In a tab in the background the browser does not pass the mouse
 * on to frames in processes of their own, so what is in one is told to its own session.
 */
export interface Spot {
  readonly frame: PageFrame
  readonly at: Point
}

/** @param at in the tab's viewport */
export const spotIn = async (call: Call, frame: PageFrame, at: Point): Promise<Spot> => ({
  frame,
  at: await localPoint(call, frame, at),
})

const send = (call: Call, { frame, at }: Spot, event: Omit<MouseEventParams, 'x' | 'y'>): Promise<unknown> =>
  call.sendTo(frame.session, 'Input.dispatchMouseEvent', { ...at, ...event })

/** Moves the mouse, with the left button down when it is. */
export function move(
  call: Call,
  spot: Spot,
  modifiers = 0,
  buttons = call.page.mouse.isDown ? 1 : 0,
): Promise<unknown> {
  call.page.mouse.spot = spot
  const button = buttons === 0 ? 'none' : 'left'
  return send(call, spot, { type: 'mouseMoved', modifiers, buttons, button })
}

export interface Click {
  readonly button: Button
  readonly count: number
  readonly modifiers: number
  /** How long the button stays down. */
  readonly holdMs?: number
}

/** Clicks where the mouse is, once or several times in a row for a double or triple click. */
export async function click(call: Call, spot: Spot, { button, count, modifiers, holdMs = 0 }: Click): Promise<void> {
  const sent: Promise<unknown>[] = []
  const { session } = spot.frame
  for (let clickCount = 1; clickCount <= count; clickCount += 1) {
    const common = { button, clickCount, modifiers }
    sent.push(send(call, spot, { ...common, type: 'mousePressed', buttons: BUTTON_BITS[button] }))
    if (holdMs > 0) await pause(holdMs, call.signal)
    // Not a call of this task's any more, perhaps: a button that stays down would spoil whatever comes after.
    const release = { ...common, ...spot.at, type: 'mouseReleased', buttons: 0 }
    sent.push(session.send('Input.dispatchMouseEvent', release))
  }
  await Promise.all(sent)
}

/** Presses the left button where the mouse is, and leaves it down. */
export async function mouseDown(call: Call, modifiers: number): Promise<void> {
  const { mouse } = call.page
  await press(call, await present(call), modifiers)
  mouse.isDown = true
}

/** Lets the left button go where the mouse is. */
export async function mouseUp(call: Call, modifiers: number): Promise<void> {
  call.page.mouse.isDown = false
  await release(call, await present(call), modifiers)
}

const present = async (call: Call): Promise<Spot> =>
  call.page.mouse.spot ?? { frame: await call.page.frames.main(call), at: { x: 0, y: 0 } }

const LEFT = { button: 'left', clickCount: 1 } as const

/** The left button alone, for what goes on between its two ends. */
export const press = (call: Call, spot: Spot, modifiers: number): Promise<unknown> =>
  send(call, spot, { ...LEFT, modifiers, type: 'mousePressed', buttons: 1 })
export const release = (call: Call, spot: Spot, modifiers: number): Promise<unknown> =>
  send(call, spot, { ...LEFT, modifiers, type: 'mouseReleased', buttons: 0 })

/** Turns the wheel. */
export async function wheel(call: Call, spot: Spot, right: number, down: number, modifiers: number): Promise<void> {
  const deltas = { deltaX: right * WHEEL_TICK_PX, deltaY: down * WHEEL_TICK_PX }
  await send(call, spot, { type: 'mouseWheel', modifiers, ...deltas })
}
