import { type Call, onElement } from '../page.ts'
import { pause } from '../waiting.ts'
import { type Control, type Held, inputLeaves, refused } from './control.ts'

const ANSWER_MS = 40

/**
 * Sets a form control of the page's own making (a form-associated custom element) by its value, in the page's own world:
 * its class is known there alone.
 */
export async function setCustom(call: Call, control: Control, text: string): Promise<Held> {
  const { session } = control.frame
  const { node } = await call.sendTo(session, 'DOM.describeNode', { objectId: control.objectId })
  const { object } = await call.sendTo(session, 'DOM.resolveNode', { backendNodeId: node.backendNodeId })
  if (object.objectId === undefined) throw refused(control, 'is gone.')
  inputLeaves(call, control)
  const held = await onElement<string | null>(call, { ...control, objectId: object.objectId }, SET_CUSTOM, text)
  if (held === null) {
    call.done = null
    throw refused(control, 'is no form control. Click it with computer, and choose or type then.')
  }
  await pause(ANSWER_MS, call.signal)
  if (held !== text)
    throw refused(control, `did not take the value: it holds ${JSON.stringify(held.slice(0, 500))} now.`)
  return { holds: held }
}

/** What it holds then; `null` where it is not a form control. */
const SET_CUSTOM = `function (text) {
  if (this.constructor.formAssociated !== true || !('value' in this)) return null
  this.value = text
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  this.dispatchEvent(new Event('change', { bubbles: true }))
  return String(this.value)
}`
