import { ToolError } from '../cdp.ts'
import { type Element, nameOf, objectOf } from '../element.ts'
import { type Call, onElement } from '../page.ts'
import { CONTROL_OF, type ControlKind, KIND_OF, type Kind } from '../scripts/form.ts'

/** A control that can be set, under the reference by which it was asked for. */
export type Control = Element & ControlKind

/** What a control holds after it was set. */
export interface Held {
  readonly holds: string
  /** It holds something else than was asked for, though of it. */
  readonly differs?: boolean
}

/** The control that an element is or holds. Throws a ToolError that says why there is none that takes a value. */
export async function controlOf(call: Call, element: Element): Promise<Control> {
  const objectId = await objectOf(call, element, CONTROL_OF)
  if (objectId === null) {
    const tag = await onElement<string>(call, element, 'function () { return this.localName }')
    throw refused(element, `is a <${tag}> and no form control. Click it with computer, and choose or type then.`)
  }
  const control = { ...element, objectId }
  const kind = await onElement<Kind>(call, control, KIND_OF)
  if ('error' in kind) throw refused(element, kind.error)
  return { ...control, ...kind }
}

/** From here on the control has input: what fails afterwards does not undo it. */
export function inputLeaves(call: Call, control: Element): void {
  call.done = { said: `Input was sent to ${control.ref}.`, content: nameOf(control) }
}

/** It was not set, in the page's words why. */
export const refused = (element: Element, why: string): ToolError =>
  new ToolError(`${element.ref} could not be set.`, `${nameOf(element)} ${why}`)
