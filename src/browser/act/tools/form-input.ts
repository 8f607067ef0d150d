import type { FormInputInput } from '../../../wire/tools.ts'
import { HELD_CHARS_MAX } from '../../limits.ts'
import { elementOf, nameOf } from '../element.ts'
import { choose, chooseSuggestion } from '../form/choice.ts'
import { type Control, controlOf, type Held, inputLeaves, refused } from '../form/control.ts'
import { setCustom } from '../form/custom.ts'
import { fillSecrets, hasSecrets } from '../form/secret.ts'
import { setSteps } from '../form/steps.ts'
import { setText } from '../form/text.ts'
import { setToggle } from '../form/toggle.ts'
import { type Call, onElement } from '../page.ts'
import type { Result } from '../result.ts'
import { HELD_NATIVE, SET_NATIVE } from '../scripts/form.ts'
import { SET_MEDIA } from '../scripts/media.ts'
import { truncate } from '../text.ts'
import { pause } from '../waiting.ts'

type Value = FormInputInput['value']

/** Frameworks answer a value with one of their own a moment later. */
const ANSWER_MS = 40

/** Sets a form control and returns the value that it has afterwards. Throws a ToolError if that is not the given one. */
export async function formInput(call: Call, { ref, value }: FormInputInput): Promise<Result> {
  const element = await elementOf(call, ref)
  const control = await controlOf(call, element)
  if (hasSecrets(call, value)) {
    if (control.kind !== 'text' || control.text === 'code') throw refused(control, 'takes no secret.')
    return fillSecrets(call, { text: String(value), element: control, replaces: true, byCharacter: false })
  }
  const { holds, differs } = await set(call, control, value)
  const instead = differs ? `, not ${JSON.stringify(truncate(String(value), 200))}` : ''
  return {
    said: differs ? `${element.ref} was set, but holds something else now.` : `${element.ref} was set.`,
    content: `${nameOf(element)} now holds ${JSON.stringify(truncate(holds, HELD_CHARS_MAX))}${instead}.`,
    told: element.ref,
  }
}

function set(call: Call, control: Control, value: Value): Promise<Held> {
  switch (control.kind) {
    case 'text':
      return control.hasOptions ? setCombobox(call, control, String(value)) : setText(call, control, String(value))
    case 'choice':
      return choose(call, control, String(value))
    case 'steps':
      return setSteps(call, control, value)
    case 'toggle':
      return setToggle(call, control, value)
    case 'native':
      return setNative(call, control, value)
    case 'custom':
      return setCustom(call, control, String(value))
    case 'media':
      return setProperty(call, control, SET_MEDIA, value)
  }
}

/** A text that belongs to a list: the option of that name is chosen where there is one. */
async function setCombobox(call: Call, control: Control, text: string): Promise<Held> {
  const since = performance.now()
  const held = await setText(call, control, text)
  const chosen = text === '' ? null : await chooseSuggestion(call, control, text, since)
  return chosen ?? held
}

/** A page may well answer by another value: a list of actions goes back to its first line. */
async function setNative(call: Call, control: Control, value: Value): Promise<Held> {
  const { holds } = await setProperty(call, control, SET_NATIVE, value)
  await pause(ANSWER_MS, call.signal)
  const kept = await onElement<string>(call, control, HELD_NATIVE).catch((error: unknown) => {
    if (call.signal.aborted) throw error
    // The page has gone: by what was set, as a rule.
    return holds
  })
  return { holds: kept, differs: kept !== holds }
}

async function setProperty(call: Call, control: Control, script: string, value: Value): Promise<Held> {
  inputLeaves(call, control)
  const held = await onElement<{ holds?: string; error?: string }>(call, control, script, value)
  if (held.error !== undefined) throw refused(control, held.error)
  return { holds: held.holds ?? '' }
}
