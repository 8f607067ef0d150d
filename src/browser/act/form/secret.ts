import { mayHave, secretsIn, withValues } from '../../../../machines/secrets.ts'
import { ToolError } from '../cdp.ts'
import { type Element, nameOf } from '../element.ts'
import type { PageFrame } from '../frames.ts'
import { focusedFrame } from '../input/focused.ts'
import { type Call, evaluate, type FrameObject } from '../page.ts'
import type { Result } from '../result.ts'
import { FILL, type Filled, ORIGINS } from '../scripts/secret.ts'

/** Whether a text has secrets to be filled in. */
export const hasSecrets = ({ secrets }: Call, text: unknown): boolean =>
  secrets.length > 0 && typeof text === 'string' && secretsIn(text).length > 0

export interface Filling {
  /** With placeholders. */
  readonly text: string
  /** `null`: where the focus is. */
  readonly element: Element | null
  /** The text replaces what the field holds. */
  readonly replaces: boolean
  /** Character by character, as keys are pressed. */
  readonly byCharacter: boolean
}

/**
 * [X4] Fills a field with a text that has secrets, if the page and every page around it may have them. Nothing that it
 * answers has a value. Throws a ToolError when nothing, or not all of it, was filled in.
 */
export async function fillSecrets(call: Call, filling: Filling): Promise<Result> {
  const { text, element, replaces, byCharacter } = filling
  const frame = element?.frame ?? (await focusedFrame(call))
  const origins = await originsOf(call, frame)
  for (const { name, domains } of call.secrets) {
    if (mayHave(domains, origins)) continue
    const sentence = `Nothing was typed: the secret ${name} is only for fields on pages of ${domains.join(', ')}.`
    throw new ToolError(sentence, `This field is on ${origins.join(' within ')}.`)
  }
  const filled = await fill(call, frame, element, [origins, withValues(text, call.secrets), replaces, byCharacter])
  if (filled !== 'all') throw new ToolError(FAILED[filled], element ? nameOf(element) : '')
  const where = element ? ` into ${element.ref}` : ''
  call.done = { said: `Typed ${JSON.stringify(text)}${where}.`, content: element ? nameOf(element) : '' }
  return call.done
}

const FAILED: Readonly<Record<Exclude<Filled, 'all'>, string>> = {
  part: 'The field did not take all of the secret. Look at the page before you try again.',
  moved: 'Nothing was typed: another page came meanwhile.',
  disabled: 'The field is read-only or disabled, so nothing was typed.',
  'no field': 'Nothing was typed: a secret goes into a text field only. Give the ref of the field, or click it first.',
}

async function originsOf(call: Call, frame: PageFrame): Promise<readonly string[]> {
  const { result } = await evaluate(call, ORIGINS, frame)
  return Array.isArray(result.value) ? result.value.map(String) : []
}

/** In the world of the field's document: where that is gone, nothing is typed. */
async function fill(
  call: Call,
  frame: PageFrame,
  field: FrameObject | null,
  args: readonly unknown[],
): Promise<Filled> {
  const { contextId } = await call.page.frames.world(call, frame)
  const { result, exceptionDetails } = await call.sendTo(frame.session, 'Runtime.callFunctionOn', {
    ...(field ? { objectId: field.objectId } : { executionContextId: contextId }),
    functionDeclaration: FILL,
    arguments: [field ? { objectId: field.objectId } : { value: null }, ...args.map((value) => ({ value }))],
    returnByValue: true,
    userGesture: true,
  })
  if (exceptionDetails) throw new ToolError('The page got in the way.')
  return result.value as Filled
}
