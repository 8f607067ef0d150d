import { readFileSync } from 'node:fs'

interface Node {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}
interface Profile {
  readonly nodes: readonly Node[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Not work. */
const IDLE = ['(idle)', '(program)', '(root)', 'dispatch']

/**
 * Of the work in a CPU profile, the share of some files: the time in their own functions and, for those that are
 * `whole`, in all that these call, `but` for others and what those call. A share hardly depends on how busy the machine is.
 */
export function shareOf(
  file: string,
  own: readonly RegExp[],
  whole: readonly RegExp[],
  but: readonly RegExp[] = [],
): number {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile
  const took = new Map<number, number>()
  for (const [n, id] of samples.entries()) took.set(id, (took.get(id) ?? 0) + Math.max(0, timeDeltas[n] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const isIn = (places: readonly RegExp[], { callFrame: { url } }: Node) => places.some((place) => place.test(url))
  let all = 0
  let theirs = 0
  const walk = (node: Node, within: boolean): void => {
    const us = took.get(node.id) ?? 0
    const inside = (within || isIn(whole, node)) && !isIn(but, node)
    if (!(node.callFrame.url === '' && IDLE.includes(node.callFrame.functionName))) all += us
    if (inside || isIn(own, node)) theirs += us
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child) walk(child, inside)
    }
  }
  const [root] = nodes
  if (root) walk(root, false)
  return theirs / (all || 1)
}
