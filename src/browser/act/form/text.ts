import { DOTS } from '../../read/password-dots.ts'
import { towards } from '../input/focused.ts'
import { insertText, pressIn } from '../input/keyboard.ts'
import { parseChord } from '../input/keys.ts'
import { type Call, onElement } from '../page.ts'
import { CHANGED, HELD, PASTE, SELECT_ALL, SET_TEXT } from '../scripts/form.ts'
import { pause } from '../waiting.ts'
import { type Control, type Held, inputLeaves, refused } from './control.ts'
import { samenessOf, spaced } from './same-value.ts'

/** Frameworks answer an edit with a value of their own a moment later. */
const ANSWER_MS = 40
/** A code editor draws what it holds when the browser draws next, which takes time on a busy machine. */
const CODE_DRAWN_MS_MAX = 2_000

/**
 * Replaces what a text control holds by an edit that is a user's for the page: all is selected, and the text inserted
 * over it. A field that takes no edit is set by its property; an editor is not, because it would not hold it.
 */
export async function setText(call: Call, control: Control, text: string): Promise<Held> {
  const held = () => onElement<string>(call, control, HELD)
  const before = await held()
  const keyboard = towards(call, control.frame)
  const hasFocus = await onElement<boolean>(call, control, SELECT_ALL)
  const isField = control.text === 'line' || control.text === 'lines'
  if (!hasFocus && !isField) throw refused(control, 'cannot take the focus, so nothing was typed.')
  // An editor that draws by itself selects by itself, too.
  if (control.text === 'code') await pressIn(keyboard, parseChord('ctrl+a'))
  if (before !== text) {
    inputLeaves(call, control)
    // Elsewhere it would go into another field.
    if (!hasFocus) await onElement(call, control, SET_TEXT, text)
    else if (text === '') await pressIn(keyboard, parseChord('Delete'))
    // Typed line by line, a code editor would indent it and close its brackets; what is pasted stays as it is.
    else if (control.text !== 'code' || !(await onElement<boolean>(call, control, PASTE, text)))
      await insertText(keyboard, text)
    await pause(ANSWER_MS, call.signal)
    const until = performance.now() + (control.text === 'code' ? CODE_DRAWN_MS_MAX : 0)
    while (performance.now() < until && !isDrawn(await held(), text, before)) await pause(ANSWER_MS, call.signal)
    if (isField && (await held()) === before) await onElement(call, control, SET_TEXT, text)
    if (isField) await onElement(call, control, CHANGED)
  }
  return kept(control, text, await held(), before)
}

/** Whether an editor shows the text, or the beginning for which it has room. */
const isDrawn = (held: string, text: string, before: string): boolean =>
  spaced(held) === spaced(text) || (held !== '' && held !== before && spaced(text).startsWith(spaced(held)))

/** What of the text is held: all of it, or something of it that the field made. Throws when it is something else. */
function kept(control: Control, text: string, held: string, before: string): Held {
  const holds = control.isPassword && held !== '' ? DOTS : held
  const isCode = control.text === 'code'
  const sameness = samenessOf(text, held, control.text !== 'line')
  if (isCode ? spaced(text) === spaced(held) || isDrawn(held, text, before) : sameness !== 'other')
    return { holds, differs: !isCode && sameness === 'made of it' }
  throw refused(control, `did not take the value: it holds ${JSON.stringify(holds.slice(0, 500))} now.`)
}
