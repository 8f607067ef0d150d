import { objectOf } from '../element.ts'
import { click, move, spotIn } from '../input/pointer.ts'
import { type Call, onElement } from '../page.ts'
import { pointNow } from '../ready.ts'
import { CLICK, PLAN_TOGGLE, TOGGLE, TOGGLE_STATE } from '../scripts/form.ts'
import { pause } from '../waiting.ts'
import { type Control, type Held, inputLeaves, refused } from './control.ts'

const ANSWER_MS = 30

/** Clicks a checkbox, switch or radio button when it is not as wanted; of a group the one that is called so. */
export async function setToggle(call: Call, control: Control, wanted: unknown): Promise<Held> {
  const plan = await onElement<{ clicks: boolean; error?: string }>(call, control, PLAN_TOGGLE, wanted)
  if (plan.error !== undefined) throw refused(control, plan.error)
  const objectId = (await objectOf(call, control, TOGGLE)) ?? control.objectId
  const toggle = { ...control, objectId }
  const state = () => onElement<{ isOn: boolean; holds: string }>(call, toggle, TOGGLE_STATE)
  const before = await state()
  if (plan.clicks) {
    inputLeaves(call, control)
    const at = await pointNow(call, toggle)
    if (at) {
      const spot = await spotIn(call, toggle.frame, at)
      await move(call, spot)
      await click(call, spot, { button: 'left', count: 1, modifiers: 0 })
    } else await onElement(call, toggle, CLICK)
    await pause(ANSWER_MS, call.signal)
  }
  const after = await state()
  if (plan.clicks && after.isOn === before.isOn) throw refused(control, `was clicked, and is still ${after.holds}.`)
  return { holds: after.holds }
}
