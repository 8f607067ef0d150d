import type { Internals } from '../../read/types.ts'
import type { Answer } from '../cdp.ts'
import type { PageFrame } from '../frames.ts'
import type { World } from '../isolated-world.ts'
import type { Call } from '../page.ts'

/** States that are told as `aria-` attributes would. */
const STATES =
  /^(checked|selected|expanded|disabled|pressed|required|readonly|invalid|valuemin|valuemax|multiselectable)$/

/**
 * Asks for what custom elements tell assistive technology alone, and tells the reader: roles, names, states. Answers
 * whether there are any. The browser's accessibility tree costs much on a large page: it is on for this moment only.
 */
export async function askInternals(call: Call, frame: PageFrame, world: World): Promise<boolean> {
  const { session } = frame
  const { contextId } = world
  const { result } = await call.sendTo(session, 'Runtime.evaluate', { expression: 'reader.takeCustoms()', contextId })
  if (!result.objectId) return false
  const asked = { objectId: result.objectId, ownProperties: true }
  const { result: entries } = await call.sendTo(session, 'Runtime.getProperties', asked)
  const hosts = entries.filter(({ name }) => /^\d+$/.test(name)).flatMap(({ value }) => value?.objectId ?? [])
  world.customs.count = hosts.length
  if (hosts.length === 0) return false
  await call.sendTo(session, 'Accessibility.enable')
  try {
    const all = await Promise.all(
      hosts.map(async (objectId) => {
        const { nodes } = await call.sendTo(session, 'Accessibility.getPartialAXTree', {
          objectId,
          fetchRelatives: false,
        })
        return internalsFrom(nodes[0])
      }),
    )
    await call.sendTo(session, 'Runtime.callFunctionOn', {
      functionDeclaration: '(all, ...elements) => reader.tellInternals(all, elements)',
      executionContextId: contextId,
      arguments: [{ value: all }, ...hosts.map((objectId) => ({ objectId }))],
    })
  } finally {
    session.send('Accessibility.disable').catch(() => {})
  }
  return true
}

type AxNode = Answer<'Accessibility.getPartialAXTree'>['nodes'][number]

function internalsFrom(node: AxNode | undefined): Internals {
  if (!node || node.ignored) return { role: '', name: '', aria: {} }
  const states = (node.properties ?? []).filter(({ name }) => STATES.test(name))
  const aria = Object.fromEntries(states.map(({ name, value }) => [name, String(value.value)]))
  const now = node.value?.value
  return {
    role: String(node.role?.value ?? ''),
    name: String(node.name?.value ?? ''),
    aria: now === undefined ? aria : { ...aria, valuenow: String(now) },
  }
}
