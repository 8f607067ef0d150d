import type { HeldField } from '../../../machines/held.ts'
import { elementOf, hitAt } from '../act/element.ts'
import { focusedFrame } from '../act/input/focused.ts'
import { type Call, type FrameObject, onElement } from '../act/page.ts'
import { pointOf } from '../act/screenshot.ts'
import { accessKeyed, DESCRIBE_TARGET, FOCUSED } from './script.ts'

/** What an act is done to, as the browser has it at that moment. */
export interface ActTarget {
  readonly role: string
  readonly name: string
  /** All that it is called: its words, its title, the button that submits its form. */
  readonly names: readonly string[]
  readonly form: { readonly action: string; readonly method: string; readonly fields: readonly HeldField[] } | null
}

/** The targets of a call: of a drag there are two. Those that cannot be found are left out: the tool says why. */
export async function targetsOf(call: Call, tool: string, input: Record<string, unknown>): Promise<ActTarget[]> {
  const found: (FrameObject | null)[] = []
  const find = async (look: () => Promise<FrameObject | null>) => {
    found.push(
      await look().catch((error) => {
        if (call.signal.aborted) throw error
        return null
      }),
    )
  }
  for (const ref of [input.ref, input.to_ref]) if (typeof ref === 'string') await find(() => elementOf(call, ref))
  for (const point of [input.start_coordinate, input.coordinate])
    if (Array.isArray(point)) await find(async () => hitAt(call, await pointOf(call, point as number[], true)))
  if (tool === 'computer' && found.length === 0) await find(() => implied(call, input))
  if (input.action === 'key' && /alt/i.test(String(input.text)))
    await find(() => evaluated(call, accessKeyed(String(input.text).split('+').at(-1) ?? '')))
  const described = await Promise.all(found.flatMap((object) => (object ? [describe(call, object)] : [])))
  const chosen = tool === 'form_input' ? [String(input.value).slice(0, 200)] : []
  return described.flatMap((target) => (target ? [{ ...target, names: [...target.names, ...chosen] }] : []))
}

/** What has the focus, or is under the mouse. */
async function implied(call: Call, { action }: Record<string, unknown>): Promise<FrameObject | null> {
  if (action === 'type' || action === 'key') return evaluated(call, FOCUSED)
  const { spot } = call.page.mouse
  return spot && spot.frame.session === call.page.cdp ? hitAt(call, spot.at) : null
}

async function evaluated(call: Call, expression: string): Promise<FrameObject | null> {
  const frame = await focusedFrame(call)
  const { result } = await call.page.frames.inWorld(call, frame, ({ contextId }) =>
    call.sendTo(frame.session, 'Runtime.evaluate', { expression, contextId }),
  )
  return result.objectId === undefined ? null : { frame, objectId: result.objectId }
}

/** Role and name are those that the browser itself computes, where it does. */
async function describe(call: Call, object: FrameObject): Promise<ActTarget | null> {
  const described = await onElement<ActTarget | null>(call, object, DESCRIBE_TARGET).catch(() => null)
  if (described === null) return null
  const { nodes } = await call
    .sendTo(object.frame.session, 'Accessibility.getPartialAXTree', {
      objectId: object.objectId,
      fetchRelatives: false,
    })
    .catch(() => ({ nodes: [] }))
  const name = String(nodes[0]?.name?.value ?? '').slice(0, 200)
  return name === '' ? described : { ...described, names: [name, ...described.names], name: described.name || name }
}
