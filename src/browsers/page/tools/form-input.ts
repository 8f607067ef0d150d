import type { FormInputInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import { elementOf, nameOf } from '../element.ts'
import { type Call, onElement } from '../page.ts'
import type { Result } from '../result.ts'
import { SET_VALUE } from '../scripts/form.ts'
import { truncate } from '../text.ts'

const HELD_CHARS_MAX = 2_000

interface Held {
  readonly control?: string
  readonly holds?: string
  readonly error?: string
}

/** Sets a form control and answers what it holds afterwards. */
export async function formInput(call: Call, { ref, value }: FormInputInput): Promise<Result> {
  const element = await elementOf(call, ref)
  const held = await onElement<Held>(call, element, SET_VALUE, value)
  if (held.error !== undefined)
    throw new ToolError(`${element.ref} could not be set.`, `${nameOf(element)} ${held.error}`)
  const holds = held.holds ?? ''
  const differs =
    isText(held.control) && holds !== String(value) ? `, not ${JSON.stringify(truncate(String(value), 200))}` : ''
  return {
    said: differs ? `${element.ref} was set, but holds something else now.` : `${element.ref} was set.`,
    content: `${nameOf(element)} now holds ${JSON.stringify(truncate(holds, HELD_CHARS_MAX))}${differs}.`,
  }
}

const isText = (control: string | undefined): boolean => control === 'text' || control === 'password'
