import { LIVE_EVENTS_MAX, LIVE_TEXT_CHARS_MAX } from '../../../wire/limits.ts'
import { type Api, messageOf, type Task } from '../api.ts'
import { useEffect, useRef, useState } from '../view.ts'

type LiveInput = Parameters<Api['tasks']['input']>[1][number]

/** Moves of the pointer and turns of the wheel are sent so often. */
const SEND_EVERY_MS = 100
const BUTTONS = ['left', 'middle', 'right'] as const
const MODIFIERS = ['Alt', 'AltGraph', 'Control', 'Meta', 'Shift']

/** [R59] Whether the browser of a task waits for a person who clicks and types. */
export const isForHands = ({ status, state, input_request: request }: Task): boolean =>
  status === 'running' && (state === 'paused' || request?.kind === 'takeover')

/**
 * [R59] Sends what a person does in an empty field over `picture` to the browser that it shows, in order, while `isOn`. A
 * field, since phones have no keyboard and input methods no words for anything else. Escape and Shift+Tab leave it.
 * `refused`: why the last was not taken.
 */
export function useHands(api: Api, taskId: string, picture: { current: HTMLCanvasElement | null }, isOn: boolean) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [refused, setRefused] = useState<string | null>(null)
  useEffect(() => {
    setRefused(null)
    const target = field.current
    if (!isOn || !target) return
    const stop = new AbortController()
    const { signal } = stop
    const waiting: LiveInput[] = []
    let isSending = false
    const sendAll = async () => {
      isSending = true
      while (waiting.length > 0 && !signal.aborted) {
        const events = waiting.splice(0, LIVE_EVENTS_MAX)
        await api.tasks.input(taskId, events, { signal }).then(
          () => setRefused(null),
          (error) => signal.aborted || setRefused(messageOf(error)),
        )
        if (events.every(isFrequent)) await new Promise((resolve) => setTimeout(resolve, SEND_EVERY_MS))
      }
      isSending = false
    }
    const put = (event: LiveInput) => {
      const last = waiting.at(-1)
      // Only where the pointer is now counts.
      if (isMove(event) && last && isMove(last)) waiting.pop()
      waiting.push(event)
      if (!isSending) void sendAll()
    }
    const type = (text: string) => {
      if (text !== '') put({ type: 'text', text: text.slice(0, LIVE_TEXT_CHARS_MAX) })
    }
    const listen = <Name extends keyof HTMLElementEventMap>(
      name: Name,
      act: (event: HTMLElementEventMap[Name]) => void,
    ) => target.addEventListener(name, act, { signal, passive: false })
    const mouse = (action: 'move' | 'down' | 'up') => (event: MouseEvent) => {
      const point = picture.current && pointOf(picture.current, event)
      if (action === 'down') target.focus()
      if (action !== 'move') event.preventDefault()
      if (point === null) return
      const about = { action, button: BUTTONS[event.button] ?? 'left', clicks: clicksOf(event) }
      put({ type: 'mouse', ...point, ...about, modifiers: modifiersOf(event) })
    }
    listen('mousemove', mouse('move'))
    listen('mousedown', mouse('down'))
    listen('mouseup', mouse('up'))
    listen('contextmenu', (event) => event.preventDefault())
    listen('wheel', (event) => {
      const point = picture.current && pointOf(picture.current, event)
      if (point === null) return
      event.preventDefault()
      put({ type: 'wheel', ...point, dx: event.deltaX, dy: event.deltaY })
    })
    listen('input', (event) => {
      if ((event as InputEvent).isComposing) return
      type(target.value)
      target.value = ''
    })
    listen('compositionend', () => {
      type(target.value)
      target.value = ''
    })
    listen('keydown', (event) => {
      const { key } = event
      if (event.isComposing || MODIFIERS.includes(key) || (key === 'Tab' && event.shiftKey)) return
      if (key === 'Escape') return target.blur()
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph')
      // Characters come as input, and so does what is pasted.
      if (key.length === 1 && (!isShortcut || key.toLowerCase() === 'v')) return
      if (key.length > 1 && !KEYS.test(key)) return
      event.preventDefault()
      put({ type: 'key', key: [...modifiersOf(event), key === ' ' ? 'Space' : key].join('+') })
    })
    return () => stop.abort()
  }, [api, taskId, picture, isOn])
  return { field, refused }
}

/** Keys that type nothing and that browsers of tasks know. */
const KEYS = /^(Enter|Tab|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Arrow(Up|Down|Left|Right)|F\d{1,2})$/

const isMove = (event: LiveInput) => event.type === 'mouse' && event.action === 'move'
const isFrequent = (event: LiveInput) => isMove(event) || event.type === 'wheel'
const clicksOf = ({ detail }: MouseEvent): 1 | 2 | 3 => (detail >= 3 ? 3 : detail === 2 ? 2 : 1)

/**
 * Where it is, as parts of the picture, which is drawn as large as it fits, at the top of its box and in its middle; `null`:
 * beside it.
 */
function pointOf(picture: HTMLCanvasElement, { clientX, clientY }: MouseEvent): { x: number; y: number } | null {
  const { left, top, width, height } = picture.getBoundingClientRect()
  const scale = Math.min(width / picture.width, height / picture.height)
  const drawnWidth = picture.width * scale
  const x = (clientX - left - (width - drawnWidth) / 2) / drawnWidth
  const y = (clientY - top) / (picture.height * scale)
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null
}

const modifiersOf = (event: MouseEvent | KeyboardEvent) => [
  ...(event.altKey ? (['alt'] as const) : []),
  ...(event.ctrlKey ? (['ctrl'] as const) : []),
  ...(event.metaKey ? (['meta'] as const) : []),
  ...(event.shiftKey ? (['shift'] as const) : []),
]
