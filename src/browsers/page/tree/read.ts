import type { AxNode, FrameTree } from '../cdp.ts'
import { type Call, readable } from '../page.ts'
import { build, type RawTree } from './build.ts'
import type { Item } from './item.ts'

/** Reads the page with its same-process frames and shadow trees, as soon as it is parsed. */
export async function readItems(call: Call): Promise<Item[]> {
  await readable(call)
  const { frameTree } = await call.send('Page.getFrameTree')
  const [tree, clickable] = await Promise.all([rawTree(call, frameTree), clickableNodes(call)])
  return build(tree, clickable)
}

async function rawTree(call: Call, { frame, childFrames = [] }: FrameTree): Promise<RawTree> {
  const own: Promise<readonly AxNode[]> = call
    .send('Accessibility.getFullAXTree', { frameId: frame.id })
    .then(({ nodes }) => nodes)
  const frames = childFrames.map(async (child) => {
    try {
      const { backendNodeId } = await call.send('DOM.getFrameOwner', { frameId: child.frame.id })
      return [backendNodeId, await rawTree(call, child)] as const
    } catch (error) {
      // The frame went away while it was read, or lives in another process.
      if (call.signal.aborted) throw error
      return null
    }
  })
  const [nodes, children] = await Promise.all([own, Promise.all(frames)])
  return { nodes, frames: new Map(children.filter((child) => child !== null)) }
}

/** Elements that listen for clicks though their role does not say so. */
async function clickableNodes(call: Call): Promise<ReadonlySet<number>> {
  const { documents } = await call.send('DOMSnapshot.captureSnapshot', { computedStyles: [] })
  const clickable = new Set<number>()
  for (const { nodes } of documents) {
    for (const index of nodes.isClickable?.index ?? []) {
      const id = nodes.backendNodeId[index]
      if (id !== undefined) clickable.add(id)
    }
  }
  return clickable
}
