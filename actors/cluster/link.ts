import { shardOf } from '../../machines/placement.ts'
import type { SessionRecord } from '../../machines/records.ts'
import type { ConnectedSocket } from '../task-service.ts'

/** A browser that is connected here. */
export interface Link {
  readonly sessionId: string
  readonly workspaceId: string
  readonly socketId: string
  readonly shard: number
  /** The epoch of the owner that knows of it; `null` while it is being told. */
  epoch: number | null
  /** The calls that an owner elsewhere waits for. */
  readonly pending: Set<string>
  /** What came before its owner knew of it. */
  early: (() => void)[]
  /** This node has closed it: its browser is back in a moment. */
  isClosed: boolean
}

export const newLink = ({ id, workspaceId }: SessionRecord, { socketId }: ConnectedSocket): Link => ({
  ...{ sessionId: id, workspaceId, socketId, shard: shardOf(workspaceId) },
  ...{ epoch: null, pending: new Set(), early: [], isClosed: false },
})
