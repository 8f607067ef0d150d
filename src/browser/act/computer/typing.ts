import type { ComputerInput } from '../../../wire/tools.ts'
import { HELD_CHARS_MAX } from '../../limits.ts'
import { DOTS } from '../../read/password-dots.ts'
import { ToolError } from '../cdp.ts'
import { elementOf, nameOf } from '../element.ts'
import { type FocusedField, focusedField } from '../focus.ts'
import { controlOf } from '../form/control.ts'
import { fillSecrets, hasSecrets } from '../form/secret.ts'
import { clearField, holdChord, press, typeText } from '../input/keyboard.ts'
import { parseChord } from '../input/keys.ts'
import { type Call, onElement } from '../page.ts'
import { parseRef } from '../refs.ts'
import { joinLines, type Result } from '../result.ts'
import { FOCUS, FOCUS_NEAREST } from '../scripts/element.ts'
import { missing } from './missing.ts'

const TYPED_CHARS_SHOWN = 200

/** Types where the focus is, or into the field of a ref; answers what the field holds then. */
export async function typed(call: Call, input: ComputerInput): Promise<Result> {
  if (input.text === undefined || (input.text === '' && !input.clear)) throw missing('type', 'text')
  if (hasSecrets(call, input.text)) {
    const element = input.ref === undefined ? null : await controlOf(call, await elementOf(call, input.ref))
    return fillSecrets(call, { text: input.text, element, replaces: input.clear === true, byCharacter: true })
  }
  let name = ''
  if (input.ref !== undefined) {
    const element = await elementOf(call, input.ref)
    if (!(await onElement<boolean>(call, element, FOCUS))) {
      const sentence = `Element ${element.ref} cannot take the focus. Click the field to type in first.`
      throw new ToolError(sentence, nameOf(element))
    }
    name = nameOf(element)
  }
  const before = await focusedField(call)
  if (before.disabled) throw new ToolError('The field is read-only or disabled, so nothing was typed.', name)
  const text = input.text.replace(/\r\n?/g, '\n')
  if (input.clear) await clearField(call)
  await typeText(call, before.kind === 'line' ? text.replace(/\n+/g, ' ') : text, before.kind)
  const where = input.ref === undefined ? '' : ` into ${input.ref}`
  const shown = before.isPassword ? DOTS : JSON.stringify(shortened(text))
  call.done = { said: `Typed ${shown}${where}.`, content: name }
  const after = await focusedField(call)
  return {
    said: joinLines(
      call.done.said,
      before.kind === 'line' && text.includes('\n') && 'The field has one line: line breaks became spaces.',
      before.kind === 'none' && 'No field had the focus: if nothing changed, click the field first or give its ref.',
    ),
    content: joinLines(name, holds(after)),
    ...(input.ref !== undefined && holds(after) !== '' && { told: parseRef(input.ref)?.ref ?? input.ref }),
  }
}

const holds = ({ kind, value }: FocusedField): string =>
  kind === 'none' || value === null ? '' : `The field now holds ${JSON.stringify(shortened(value, HELD_CHARS_MAX))}.`

const shortened = (text: string, max = TYPED_CHARS_SHOWN): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`

/** Presses keys and shortcuts, or holds them down for a while. */
export async function pressed(call: Call, input: ComputerInput): Promise<Result> {
  if (input.text === undefined || input.text.trim() === '') throw missing('key', 'text')
  const text = input.text.trim()
  const chords = text.split(/\s+/).map(parseChord)
  const where = input.ref === undefined ? HERE : await focused(call, input.ref)
  if (input.hold !== undefined) {
    call.done = { said: joinLines(`Held ${text} for ${input.hold} s.`, where.said), content: where.content }
    for (const chord of chords) await holdChord(call, chord, input.hold)
    return call.done
  }
  const times = input.repeat === undefined || input.repeat === 1 ? '' : ` ${input.repeat} times`
  call.done = { said: joinLines(`Pressed ${text}${times}.`, where.said), content: where.content }
  for (let time = 0; time < (input.repeat ?? 1); time += 1) {
    for (const chord of chords) await press(call, chord)
  }
  return call.done
}

const HERE: Result = { said: '', content: '' }

/** Gives the focus to an element, or to what is nearest to it and can have it, and says so. Throws a ToolError when nothing can. */
async function focused(call: Call, ref: string): Promise<Result> {
  const element = await elementOf(call, ref)
  const nearest = await onElement<string | null>(call, element, FOCUS_NEAREST)
  if (nearest === '') return HERE
  if (nearest !== null)
    return {
      said: `${element.ref} cannot take the focus: what is nearest to it has it.`,
      content: `Focused: ${nearest}`,
    }
  const sentence = `${element.ref} cannot take the focus, and nothing around it can, so no key was pressed.`
  throw new ToolError(sentence, nameOf(element))
}
