import type { OutgoingFrame } from '../runtime/ports.ts'
import type { PictureIn, ToolResultIn } from '../task-service.ts'
import type { BoundSocket } from './shard-service.ts'

/** What the nodes tell each other of browsers. */
export type Note =
  | {
      readonly about: 'frame'
      readonly to: BoundSocket
      readonly sessionId: string
      readonly epoch: number
      readonly frame: OutgoingFrame
    }
  | { readonly about: 'result'; readonly shard: number; readonly sessionId: string; readonly result: ToolResultIn }
  | { readonly about: 'picture'; readonly shard: number; readonly sessionId: string; readonly picture: PictureIn }
  | {
      readonly about: 'heard'
      readonly shard: number
      readonly sessionId: string
      readonly at: number
      /** Where it was heard. A node of an earlier version does not say. */
      readonly on?: BoundSocket
    }
  | { readonly about: 'gone'; readonly shard: number; readonly sessionId: string; readonly socketId: string }
/** To all nodes: the node that has the socket closes it. */
export type CloseNote = {
  readonly sessionId: string
  readonly socketId: string | null
  readonly code: number
  readonly reason: string
}
