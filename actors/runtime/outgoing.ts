/** Frames to a paired browser. Never throws: a frame to a closed socket is dropped (false), and the session hears of the close. */
export interface Outbox {
  send(sessionId: string, frame: OutgoingFrame): boolean
  /** Closes one socket of the session if it is still open; `null`: whichever is bound. */
  close(sessionId: string, socketId: string | null, code: number, reason: string): void
}
/** A frame to a browser; `targetSessionId` is added by the relay. */
export interface OutgoingFrame {
  readonly type: string
  readonly [field: string]: unknown
}

/** One POST, WEBHOOK_TIMEOUT_MS, no retry. Never rejects: a failure is logged. */
export interface Webhook {
  post(url: string, body: object): Promise<void>
}
