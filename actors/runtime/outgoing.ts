import type { Ms } from '../../machines/records.ts'
import type { EndpointRecord } from '../../machines/webhook-records.ts'

/**
 * Frames to a paired browser. Never throws: a frame to a closed socket is dropped (false), and the session is notified
 * of the close.
 */
export interface Outbox {
  /** `isWanted`: asked again before a frame leaves that had to wait. */
  send(sessionId: string, frame: OutgoingFrame, isWanted?: () => boolean): boolean
  /** Closes one socket of the session if it is still open; `null`: whichever is bound. */
  close(sessionId: string, socketId: string | null, code: number, reason: string): void
}
/** A frame to a browser; `targetSessionId` is added by the relay. */
export interface OutgoingFrame {
  readonly type: string
  readonly [field: string]: unknown
}

/** The result of an attempt at a delivery. */
export interface WebhookAnswer {
  /** `null`: no answer came. */
  readonly status: number | null
  /** Why none came, in a word. */
  readonly reason: string | null
  /** The first of the answer's text. */
  readonly answer: string
  /** What `Retry-After` asks for. */
  readonly retryAfterMs: Ms | null
  /** From when its turn came. */
  readonly durationMs: Ms
}

export interface Webhook {
  /** One POST, WEBHOOK_TIMEOUT_MS, no retry. Never rejects: a failure is logged. */
  post(url: string, body: object): Promise<void>
  /** One signed attempt by Standard Webhooks 1.0, WEBHOOK_TIMEOUT_MS. Never rejects. */
  deliver(
    endpoint: Pick<EndpointRecord, 'id' | 'workspaceId' | 'url' | 'secrets'>,
    message: { readonly id: string; readonly body: string; readonly taskId?: string | null },
  ): Promise<WebhookAnswer>
}
