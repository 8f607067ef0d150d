import type { FormInputInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import { elementOf } from '../element.ts'
import { type Call, onElement, settled } from '../page.ts'
import { SET_VALUE } from '../scripts/form.ts'
import { clip } from '../tree/item.ts'

const HELD_CHARS_MAX = 2_000

interface Held {
  readonly control?: string
  readonly holds?: string
  readonly error?: string
}

/** Sets a form control and answers what it holds afterwards. */
export async function formInput(call: Call, { ref, value }: FormInputInput): Promise<string> {
  const element = await elementOf(call, ref)
  const moves = call.page.loading.moves
  const held = await onElement<Held>(call, element.objectId, SET_VALUE, value)
  const name = `${element.ref} (${element.label})`
  if (held.error !== undefined) throw new ToolError(`Element ${name} ${held.error}`)
  const holds = held.holds ?? ''
  const differs =
    isText(held.control) && holds !== String(value) ? `, not ${JSON.stringify(clip(String(value), 200))}` : ''
  const stays = call.page.loading.stage === 'loaded' && call.page.loading.moves === moves
  const moved = stays ? '' : await settled(call, moves)
  return [`${name} now holds ${JSON.stringify(clip(holds, HELD_CHARS_MAX))}${differs}.`, moved]
    .filter(Boolean)
    .join(' ')
}

const isText = (control: string | undefined): boolean => control === 'text' || control === 'password'
