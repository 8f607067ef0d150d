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
 * The node that should own a shard: of each shard every node has a rank of its own, and the highest one counts (rendezvous
 * hashing). A node that goes leaves its shards to all others, and one that comes takes its share and nothing else moves.
 * `null` without nodes.
 */
export function placeOf(shard: number, nodes: readonly string[]): string | null {
  let best: string | null = null
  let rank = -1
  for (const node of nodes) {
    const own = hash(`${node} ${shard}`)
    if (own < rank || (own === rank && best !== null && node > best)) continue
    best = node
    rank = own
  }
  return best
}

/** Gives for nodes the place of each shard: reckoned once for the same nodes, because a node asks twice a second. */
export function places(): (nodes: readonly string[]) => readonly (string | null)[] {
  const known = new Map<string, readonly (string | null)[]>()
  return (nodes) => {
    const key = nodes.join()
    const all = known.get(key) ?? Array.from({ length: SHARDS }, (_, shard) => placeOf(shard, nodes))
    if (known.size >= NODE_SETS_KNOWN_MAX) known.clear()
    known.set(key, all)
    return all
  }
}

const NODE_SETS_KNOWN_MAX = 10
