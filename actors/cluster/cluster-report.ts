import { SHARDS } from '../../machines/placement.ts'
import type { ClusterNode } from './node.ts'

/** [M8] What a node knows of the others, for health, metrics and people. */
export interface ClusterReport {
  readonly node: string
  /** Shards that this node owns, and all there are. */
  readonly owns: number
  readonly shards: number
  /** [M11] Shards that no node can own. */
  readonly unowned: number
  readonly nodes: readonly { readonly id: string; readonly address: string; readonly owns: number }[]
  readonly connected: boolean
}

export function reportOf(node: ClusterNode, connected: boolean): ClusterReport {
  const { nodes, owners } = node.view
  const owns = (id: string) => owners.filter((owner) => owner.node === id).length
  return {
    node: node.id,
    owns: [...node.services()].filter(({ isOpen }) => isOpen).length,
    shards: SHARDS,
    unowned: node.unownedShards,
    nodes: nodes.map(({ id, address }) => ({ id, address, owns: owns(id) })),
    connected,
  }
}
