import type { LiveInput } from '../wire/live.ts'
import type { Cdp } from './act/cdp.ts'
import { typeKeys } from './act/input/keyboard.ts'
import { bitsOf, MODIFIERS, parseChord } from './act/input/keys.ts'

/** [R59] Clicks and keys of a person who looks at the tab of a task, in their order. Never rejects. */
export class LiveInputs {
  readonly #tabOf: (taskId: string) => Cdp | null | Promise<Cdp | null>
  readonly #last = new Map<string, Promise<void>>()

  constructor(tabOf: (taskId: string) => Cdp | null | Promise<Cdp | null>) {
    this.#tabOf = tabOf
  }

  /** What cannot be done is left out: the person sees that nothing has changed. */
  play(taskId: string, events: readonly LiveInput[]): void {
    const before = this.#last.get(taskId) ?? Promise.resolve()
    const played = before
      .then(async () => {
        const cdp = await this.#tabOf(taskId)
        if (cdp) for (const event of events) await play(cdp, event)
      })
      .catch(() => {})
    this.#last.set(taskId, played)
  }

  ended(taskId: string): void {
    this.#last.delete(taskId)
  }
}

async function play(cdp: Cdp, event: LiveInput): Promise<void> {
  if (event.type === 'text') return typeKeys(cdp, event.text)
  if (event.type === 'key') return typeKeys(cdp, parseChord(event.key))
  const at = await pointOf(cdp, event)
  const modifiers = bitsOf((event.modifiers ?? []).filter((name) => name in MODIFIERS))
  if (event.type === 'wheel')
    await cdp.send('Input.dispatchMouseEvent', {
      ...{ type: 'mouseWheel', ...at, modifiers, deltaX: event.dx, deltaY: event.dy },
    })
  else {
    const button = event.button ?? 'left'
    const pressed = { button, buttons: BUTTONS[button], clickCount: event.clicks ?? 1 }
    await cdp.send('Input.dispatchMouseEvent', {
      ...{ type: MOUSE[event.action], ...at, modifiers },
      ...(event.action === 'move' ? {} : event.action === 'up' ? { ...pressed, buttons: 0 } : pressed),
    })
  }
}

const MOUSE = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const
const BUTTONS = { left: 1, right: 2, middle: 4 } as const

/** The pictures of a tab have other sizes than the tab: points are parts of its width and height. */
async function pointOf(cdp: Cdp, { x, y }: { readonly x: number; readonly y: number }) {
  const { cssVisualViewport: viewport } = (await cdp.send('Page.getLayoutMetrics')) as {
    cssVisualViewport: { clientWidth: number; clientHeight: number }
  }
  return { x: x * viewport.clientWidth, y: y * viewport.clientHeight }
}
