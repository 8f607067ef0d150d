import type { AxNode, FrameTree } from '../cdp.ts'
import { type Call, readable } from '../page.ts'
import { build, type RawTree, type TreeExtras } from './build.ts'
import type { Item } from './item.ts'

/** Reads the page with its same-process frames and shadow trees, as soon as it is parsed. */
export async function readItems(call: Call): Promise<Item[]> {
  await readable(call)
  const { frameTree } = await call.send('Page.getFrameTree')
  const [tree, known] = await Promise.all([rawTree(call, frameTree), elementsOf(call)])
  return build(tree, known)
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

/** What the accessibility tree does not tell: which elements listen for clicks, and the hints in empty fields. */
async function elementsOf(call: Call): Promise<TreeExtras> {
  const { documents, strings } = await call.send('DOMSnapshot.captureSnapshot', { computedStyles: [] })
  const placeholder = strings.indexOf('placeholder')
  const clickable = new Set<number>()
  const placeholders = new Map<number, string>()
  for (const { nodes } of documents) {
    for (const index of nodes.isClickable?.index ?? []) {
      const id = nodes.backendNodeId[index]
      if (id !== undefined) clickable.add(id)
    }
    if (placeholder < 0) continue
    nodes.attributes?.forEach((pairs, index) => {
      const at = pairs.findIndex((name, place) => place % 2 === 0 && name === placeholder)
      const [id, text] = [nodes.backendNodeId[index], strings[pairs[at + 1] ?? -1]]
      if (at >= 0 && id !== undefined && text) placeholders.set(id, text)
    })
  }
  return { clickable, placeholders }
}
