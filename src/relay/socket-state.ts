import type { Socket } from '../net/transport.ts'

/** What the relay knows of one socket. */
export interface SocketState {
  readonly socketId: string
  /** `null` until it has registered. */
  session: { readonly id: string; readonly workspaceId: string; readonly keyId: string | null } | null
  protocol: 1 | 2
  /** [I9] Its user can answer there what tasks ask. */
  answersInputs: boolean
  /** [R52] It can show its tabs live. */
  showsLive: boolean
  /** A register is being looked up: nothing else may come before its answer. */
  registering: boolean
  readonly openedAt: number
  lastHeardAt: number
  lastPingAt: number
  /** Frames in the second that began at `secondAt`. */
  frames: number
  secondAt: number
  /** What was sent beyond what the budget has refilled since, as of `spentAt`. */
  spentChars: number
  spentAt: number
  /** Frames in a row that were not JSON. */
  unparseable: number
  /** The model requests under way, aborted when the socket closes. */
  modelRequests: Set<AbortController> | null
  /** Frames that wait for the next one, oldest first. */
  held: string[] | null
  closed: boolean
}

export type RelaySocket = Socket<SocketState>

export const createSocketState = (socketId: string, at: number): SocketState => ({
  socketId,
  session: null,
  protocol: 1,
  answersInputs: false,
  showsLive: false,
  registering: false,
  openedAt: at,
  lastHeardAt: at,
  lastPingAt: at,
  frames: 0,
  secondAt: at,
  spentChars: 0,
  spentAt: at,
  unparseable: 0,
  modelRequests: null,
  held: null,
  closed: false,
})
