/** The number of shards that workspaces are divided into. It is stored with the data and never changes. */
export const SHARDS = 256

/** FNV-1a, with the last mix of MurmurHash3: names that differ little differ in every bit. */
function hash(text: string): number {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b)
  sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35)
  return (sum ^ (sum >>> 16)) >>> 0
}

/** The shard of a workspace, counted from 0. */
export const shardOf = (workspaceId: string): number => hash(workspaceId) % SHARDS

/**
 * The node that should own each shard. Of each shard every node has a rank of its own, and the highest one counts
 * (rendezvous hashing), but for nodes that have enough already: none has much more than the mean. A node that goes leaves its
 * shards to all others, and one that comes takes its share and little else moves. `null` without nodes.
 */
export function placesOf(nodes: readonly string[]): readonly (string | null)[] {
  const owned = new Map(nodes.map((node) => [node, 0]))
  const most = Math.ceil((SHARDS / nodes.length) * SHARE_MAX)
  return Array.from({ length: SHARDS }, (_, shard) => {
    let best: string | null = null
    let rank = -1
    for (const node of nodes) {
      if ((owned.get(node) ?? 0) >= most) continue
      const own = hash(`${node} ${shard}`)
      if (own < rank || (own === rank && best !== null && node > best)) continue
      best = node
      rank = own
    }
    if (best !== null) owned.set(best, (owned.get(best) ?? 0) + 1)
    return best
  })
}

/** `placesOf`, computed once for the same nodes: a node asks each second. */
export function cachedPlaces(): (nodes: readonly string[]) => readonly (string | null)[] {
  const cached = new Map<string, readonly (string | null)[]>()
  return (nodes) => {
    const sorted = [...nodes].sort()
    const key = sorted.join()
    const all = cached.get(key) ?? placesOf(sorted)
    if (cached.size >= NODE_SETS_CACHED_MAX) cached.clear()
    cached.set(key, all)
    return all
  }
}

/** What a node may have, of the mean. */
const SHARE_MAX = 1.15
const NODE_SETS_CACHED_MAX = 10
