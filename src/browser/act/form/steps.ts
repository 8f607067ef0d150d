import { towards } from '../input/focused.ts'
import { pressIn } from '../input/keyboard.ts'
import { parseChord } from '../input/keys.ts'
import { type Call, onElement } from '../page.ts'
import { STEPS_STATE } from '../scripts/choice.ts'
import { FOCUS } from '../scripts/element.ts'
import { pause } from '../waiting.ts'
import { type Control, type Held, inputLeaves, refused } from './control.ts'

interface Steps {
  readonly now: number | null
  readonly min: number | null
  readonly max: number | null
}

const PRESSES_MAX = 500
const ANSWER_MS = 20
/** What steps such as 0.1 add up to is not quite what is written. */
const ROUNDING = 1e-9
const isSame = (one: number, other: number): boolean => Math.abs(one - other) <= ROUNDING * Math.max(1, Math.abs(other))
/** Up and down by the keys of spin buttons, then of sliders. */
const KEYS = [
  ['ArrowUp', 'ArrowDown'],
  ['ArrowRight', 'ArrowLeft'],
] as const

/** Sets a slider or spin button by its keys, a step at a time. */
export async function setSteps(call: Call, control: Control, wanted: unknown): Promise<Held> {
  const target = Number(wanted)
  if (String(wanted).trim() === '' || Number.isNaN(target)) throw refused(control, 'takes a number.')
  const state = () => onElement<Steps>(call, control, STEPS_STATE)
  const { now: first, min, max } = await state()
  if (first === null) throw refused(control, 'does not tell its value: drag it, or use its keys.')
  if ((min !== null && target < min) || (max !== null && target > max))
    throw refused(control, `goes from ${min ?? 'any number'} to ${max ?? 'any number'}.`)
  if (!(await onElement<boolean>(call, control, FOCUS))) throw refused(control, 'cannot take the focus: drag it.')
  const keyboard = towards(call, control.frame)
  let now = first
  const go = async (key: string, times: number): Promise<number> => {
    for (let time = 0; time < times; time += 1) await pressIn(keyboard, parseChord(key))
    await pause(ANSWER_MS, call.signal)
    const moved = ((await state()).now ?? now) - now
    now += moved
    return moved
  }
  let pressed = 0
  inputLeaves(call, control)
  for (const [more, less] of KEYS) {
    while (!isSame(now, target) && pressed < PRESSES_MAX) {
      const key = target > now ? more : less
      const step = Math.abs(await go(key, 1))
      pressed += 1
      if (step === 0) break
      const left = Math.min(Math.floor(Math.abs(target - now) / step + ROUNDING), PRESSES_MAX - pressed)
      if (left === 0 && !isSame(now, target)) throw refused(control, `goes in steps of ${step}: it is at ${now} now.`)
      if (left > 0) await go(target > now ? more : less, left)
      pressed += left
    }
  }
  if (!isSame(now, target))
    throw refused(control, `does not go on by its keys: it is at ${now} now. Drag it with computer.`)
  return { holds: String(now) }
}
