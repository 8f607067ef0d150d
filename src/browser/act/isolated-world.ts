import { readerSource } from '../reader-source.ts'
import type { PageFrame } from './frames.ts'
import type { Call } from './page.ts'

/** Where our scripts run in a document. */
export interface World {
  readonly contextId: number
  /** The protocol's number of the document. */
  readonly documentId: number
  /** What each node listens for, as the reader was told, by the protocol's number of the node. */
  readonly listeners: Map<number, string>
  /** The frames whose elements were named to the reader. */
  readonly named: Set<number>
  /** How many custom elements there were that may tell assistive technology what nobody else sees. */
  readonly customs: { count: number }
}

/** [G18] A world of our own in a frame, with the reader in it: nothing that the page's scripts have changed is changed there. */
export async function makeWorld(call: Call, { id, session }: PageFrame): Promise<World> {
  // A frame in a process of its own must be told by itself to behave as if it had the focus, and what goes on in it
  // is told by itself, too.
  if (session !== call.page.cdp) {
    await call.sendTo(session, 'Page.enable')
    await Promise.all([
      call.sendTo(session, 'Emulation.setFocusEmulationEnabled', { enabled: true }),
      call.page.activity.watch(session),
    ])
  }
  const { executionContextId } = await call.sendTo(session, 'Page.createIsolatedWorld', {
    frameId: id,
    // Of a world that frames share, an element belongs to the frame where it was seen first.
    worldName: `browser-task ${id}`,
    grantUniveralAccess: false,
  })
  const expression = `globalThis.reader ??= (${await readerSource()})(); document`
  const { result } = await call.sendTo(session, 'Runtime.evaluate', { expression, contextId: executionContextId })
  const { node } = await call.sendTo(session, 'DOM.describeNode', { objectId: result.objectId ?? '' })
  return {
    contextId: executionContextId,
    documentId: node.backendNodeId,
    listeners: new Map(),
    named: new Set(),
    customs: { count: 0 },
  }
}
