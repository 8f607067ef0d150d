import { focusedFrame } from './input/focused.ts'
import { type Call, evaluate } from './page.ts'
import { FOCUSED_FIELD } from './scripts/element.ts'

/** Where typing goes. */
export interface FocusedField {
  /** One line of text, several, an editable region, something else that has the focus, or nothing. */
  readonly kind: 'line' | 'lines' | 'region' | 'other' | 'none'
  /** What it holds; `null` for what holds no text. */
  readonly value: string | null
  readonly disabled: boolean
  /** [X12] What it holds is drawn as dots. */
  readonly isPassword?: boolean
}

/** The field that has the focus, in whichever frame and shadow tree. */
export async function focusedField(call: Call): Promise<FocusedField> {
  const { result } = await evaluate(call, FOCUSED_FIELD, await focusedFrame(call))
  return (result.value as FocusedField | undefined) ?? { kind: 'none', value: null, disabled: false }
}
