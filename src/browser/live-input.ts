import type { LiveInput } from '../wire/live.ts'
import type { Cdp } from './act/cdp.ts'
import { typeKeys } from './act/input/keyboard.ts'
import { bitsOf, MODIFIERS, parseChord } from './act/input/keys.ts'

/** What is under way in the tab of a task. */
interface Hands {
  last: Promise<void>
  /** The buttons that are down, as bits: a move with one of them drags. */
  buttons: number
}

/** [R59] Clicks and keys of a person who looks at the tab of a task, in their order. Never rejects. */
export class LiveInputs {
  readonly #tabOf: (taskId: string) => Cdp | null | Promise<Cdp | null>
  readonly #hands = new Map<string, Hands>()

  constructor(tabOf: (taskId: string) => Cdp | null | Promise<Cdp | null>) {
    this.#tabOf = tabOf
  }

  /** What cannot be done is left out: the person sees that nothing has changed. */
  play(taskId: string, events: readonly LiveInput[]): void {
    const hands = this.#hands.get(taskId) ?? { last: Promise.resolve(), buttons: 0 }
    this.#hands.set(taskId, hands)
    hands.last = hands.last
      .then(async () => {
        const cdp = await this.#tabOf(taskId)
        if (cdp) for (const event of events) await play(cdp, hands, event)
        else this.ended(taskId)
      })
      .catch(() => {})
  }

  ended(taskId: string): void {
    this.#hands.delete(taskId)
  }
}

async function play(cdp: Cdp, hands: Hands, event: LiveInput): Promise<void> {
  if (event.type === 'text') return typeKeys(cdp, event.text)
  if (event.type === 'key') return typeKeys(cdp, parseChord(event.key))
  const at = await pointOf(cdp, event)
  const modifiers = bitsOf((event.modifiers ?? []).filter((name) => name in MODIFIERS))
  if (event.type === 'wheel') {
    const wheel = { type: 'mouseWheel', ...at, modifiers, deltaX: event.dx, deltaY: event.dy }
    await cdp.send('Input.dispatchMouseEvent', wheel)
    return
  }
  const { action, button = 'left', clicks = 1 } = event
  if (action === 'down') hands.buttons |= BUTTONS[button]
  if (action === 'up') hands.buttons &= ~BUTTONS[button]
  const { buttons } = hands
  const pressed = action === 'move' ? { button: heldOf(buttons), buttons } : { button, buttons, clickCount: clicks }
  await cdp.send('Input.dispatchMouseEvent', { type: MOUSE[action], ...at, modifiers, ...pressed })
}

const heldOf = (buttons: number) => NAMES.find((name) => (BUTTONS[name] & buttons) !== 0) ?? 'none'

const MOUSE = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const
const BUTTONS = { left: 1, right: 2, middle: 4 } as const
const NAMES = ['left', 'right', 'middle'] as const

/** The pictures of a tab have other sizes than the tab: points are parts of its width and height. */
async function pointOf(cdp: Cdp, { x, y }: { readonly x: number; readonly y: number }) {
  const { cssVisualViewport: viewport } = (await cdp.send('Page.getLayoutMetrics')) as {
    cssVisualViewport: { clientWidth: number; clientHeight: number }
  }
  return { x: x * viewport.clientWidth, y: y * viewport.clientHeight }
}
