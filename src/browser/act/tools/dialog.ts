import type { DialogInput } from '../../../wire/tools.ts'
import type { Call } from '../page.ts'
import type { Result } from '../result.ts'

/** Answers the open dialog. */
export async function dialog({ page }: Call, { accept, text }: DialogInput): Promise<Result> {
  const { type } = await page.dialogs.answer(accept, text)
  const answer = type === 'beforeunload' ? (accept ? 'leave' : 'stay') : accept ? 'OK' : 'Cancel'
  return { said: `Answered the dialog with ${answer}.`, content: '' }
}
