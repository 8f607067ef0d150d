import type { PageFrame } from '../frames.ts'
import type { World } from '../isolated-world.ts'
import type { Call } from '../page.ts'

/** What the protocol knows of a document and a script there cannot see, told to the reader. */

/** How many elements one reading reports of a document that listens on all of them. */
const NODES_MAX = 3_000
const LISTENERS = 'listeners'
const SUSPECTS_MAX = 300
const TYPES =
  /^(click|auxclick|dblclick|contextmenu|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend|mouseenter|mouseover|pointerenter|pointerover|dragstart|drop)$/

/** Tells who listens, and which frame is where. */
export async function tellExtras(call: Call, frame: PageFrame, world: World): Promise<void> {
  await Promise.all([tellListeners(call, frame, world), nameFrames(call, frame, world)])
}

async function tellListeners(call: Call, frame: PageFrame, world: World): Promise<void> {
  const { session } = frame
  // In the page's own world: Chromium crashes soon after it was asked for the page's listeners in another one.
  const { object } = await call.sendTo(session, 'DOM.resolveNode', {
    backendNodeId: world.documentId,
    objectGroup: LISTENERS,
  })
  if (object.objectId === undefined) return
  const { listeners } = await call.sendTo(session, 'DOMDebugger.getEventListeners', {
    objectId: object.objectId,
    depth: -1,
    pierce: true,
  })
  // Each listener came as an object that the page would keep.
  session.send('Runtime.releaseObjectGroup', { objectGroup: LISTENERS }).catch(() => {})
  const now = new Map<number, Set<string>>()
  for (const { type, backendNodeId } of listeners) {
    if (backendNodeId === undefined || !TYPES.test(type)) continue
    const types = now.get(backendNodeId)
    if (types) types.add(type)
    else if (now.size < NODES_MAX) now.set(backendNodeId, new Set([type]))
  }
  const known = world.listeners
  const changes: [id: number, types: string[]][] = []
  for (const [id, types] of now) if (known.get(id) !== [...types].join()) changes.push([id, [...types]])
  for (const id of known.keys()) if (!now.has(id)) changes.push([id, []])
  if (changes.length === 0) return
  const fresh = changes.filter(([id]) => !known.has(id))
  const nodes = await Promise.all(fresh.map(([id]) => objectOf(call, frame, world, id)))
  // What went away meanwhile is left out.
  const gone = new Set(fresh.filter((_, at) => nodes[at] === null).map(([id]) => id))
  const told = changes.filter(([id]) => !gone.has(id))
  await tell(call, frame, world, `(changes, ...nodes) => reader.listen(changes, nodes)`, told, nodes.filter(isObject))
  for (const [id, types] of told) known.set(id, types.join())
  for (const [id] of changes) if (!now.has(id)) known.delete(id)
}

async function nameFrames(call: Call, frame: PageFrame, world: World): Promise<void> {
  const inside = call.page.frames.inside(frame).filter(({ number }) => number !== null && !world.named.has(number))
  await Promise.all(
    inside.map(async ({ id, number }) => {
      try {
        const { backendNodeId } = await call.sendTo(frame.session, 'DOM.getFrameOwner', { frameId: id })
        const owner = await objectOf(call, frame, world, backendNodeId)
        if (owner === null || number === null) return
        await tell(call, frame, world, '(number, owner) => reader.nameFrame(owner, number)', number, [owner])
        world.named.add(number)
      } catch (error) {
        // It went away.
        if (call.signal.aborted) throw error
      }
    }),
  )
}

/** Looks into the elements that may have a closed shadow root, and tells which have. Answers whether any has. */
export async function tellClosedRoots(call: Call, frame: PageFrame, world: World): Promise<boolean> {
  const { session } = frame
  const { result } = await call.sendTo(session, 'Runtime.evaluate', {
    expression: `reader.takeSuspects().slice(0, ${SUSPECTS_MAX})`,
    contextId: world.contextId,
  })
  if (!result.objectId) return false
  const { result: entries } = await call.sendTo(session, 'Runtime.getProperties', {
    objectId: result.objectId,
    ownProperties: true,
  })
  const hosts = entries.filter(({ name }) => /^\d+$/.test(name)).flatMap(({ value }) => value?.objectId ?? [])
  const roots = await Promise.all(
    hosts.map(async (objectId) => {
      const { node } = await call.sendTo(session, 'DOM.describeNode', { objectId, depth: 0, pierce: true })
      const closed = node.shadowRoots?.find(({ shadowRootType }) => shadowRootType === 'closed')
      return closed ? objectOf(call, frame, world, closed.backendNodeId) : null
    }),
  )
  const pairs = hosts.map((host, at) => ({ host, root: roots[at] ?? null }))
  const without = pairs.filter(({ root }) => root === null).map(({ host }) => host)
  const withRoot = pairs.flatMap(({ host, root }) => (root === null ? [] : [host, root]))
  await tell(call, frame, world, '(_, ...hosts) => { for (const host of hosts) reader.setRootless(host) }', 0, without)
  await tell(
    call,
    frame,
    world,
    '(_, ...pairs) => { for (let at = 0; at < pairs.length; at += 2) reader.addRoot(pairs[at], pairs[at + 1]) }',
    0,
    withRoot,
  )
  return withRoot.length > 0
}

async function objectOf(call: Call, { session }: PageFrame, world: World, id: number): Promise<string | null> {
  try {
    const asked = { backendNodeId: id, executionContextId: world.contextId }
    return (await call.sendTo(session, 'DOM.resolveNode', asked)).object.objectId ?? null
  } catch (error) {
    if (call.signal.aborted) throw error
    return null
  }
}
const isObject = (id: string | null): id is string => id !== null

async function tell(
  call: Call,
  { session }: PageFrame,
  { contextId }: World,
  fn: string,
  value: unknown,
  objects: readonly string[],
): Promise<void> {
  await call.sendTo(session, 'Runtime.callFunctionOn', {
    functionDeclaration: fn,
    executionContextId: contextId,
    arguments: [{ value }, ...objects.map((objectId) => ({ objectId }))],
  })
}
