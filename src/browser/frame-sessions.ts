import type { CdpSession } from './act/cdp.ts'

/** The sessions of those frames of a tab that are in processes of their own. */
export class FrameSessions<Frame> {
  readonly #frames: () => readonly Frame[]
  readonly #open: (frame: Frame, closed: () => void) => Promise<CdpSession>
  /** `null` for a frame that shares the session around it, until it goes to another document. */
  readonly #sessions = new Map<Frame, Promise<CdpSession | null>>()

  /** `open` rejects for a frame that has no session of its own, and calls `closed` when that of one has ended. */
  constructor(frames: () => readonly Frame[], open: (frame: Frame, closed: () => void) => Promise<CdpSession>) {
    this.#frames = frames
    this.#open = open
  }

  async list(): Promise<readonly CdpSession[]> {
    const sessions = await Promise.all(this.#frames().map((frame) => this.#of(frame)))
    return sessions.filter((session) => session !== null)
  }

  /** The frame has another document, or is gone. */
  forget(frame: Frame): void {
    this.#sessions.delete(frame)
  }

  #of(frame: Frame): Promise<CdpSession | null> {
    const known = this.#sessions.get(frame)
    if (known) return known
    const opened = this.#open(frame, () => this.forget(frame)).catch(() => null)
    this.#sessions.set(frame, opened)
    return opened
  }
}
