import { BODY_BYTES_MAX } from '../../../machines/limits.ts'
import { BODY_DISCARDED_BYTES_MAX, LARGE_BODIES_BYTES_MAX } from '../limits.ts'
import type { BodyLimit, Handler, Request } from '../transport.ts'

const NO_BODY = new Uint8Array(0)

/**
 * The bodies over BODY_BYTES_MAX that one listener has in memory: no more than LARGE_BODIES_BYTES_MAX together. They are
 * read before anybody has signed in, so one that arrives slowly must not keep out others: when there is no room, the
 * slowest gives way.
 */
export class LargeBodies {
  #bytes = 0
  readonly #arriving = new Set<IncomingBody>()
  readonly now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  /** A body that is to be read, of at most so many bytes. */
  begin(bytesMax: number): IncomingBody {
    return new IncomingBody(this, bytesMax)
  }

  /** Whether this body may take so many bytes more. Others may have lost theirs for it. */
  reserve(body: IncomingBody, bytes: number): boolean {
    this.#arriving.add(body)
    while (this.#bytes + bytes > LARGE_BODIES_BYTES_MAX && this.#arriving.has(body)) this.#slowest(body).giveWay()
    if (!this.#arriving.has(body)) return false
    this.#bytes += bytes
    return true
  }

  /** It has arrived: it gives way no more. */
  arrived(body: IncomingBody): void {
    this.#arriving.delete(body)
  }

  free(body: IncomingBody, bytes: number): void {
    this.#arriving.delete(body)
    this.#bytes -= bytes
  }

  #slowest(body: IncomingBody): IncomingBody {
    const now = this.now()
    let slowest = body
    for (const other of this.#arriving) if (other.speed(now) < slowest.speed(now)) slowest = other
    return slowest
  }
}

/** What was read of a body: `null` when it was over its limit, `busy` when there was no room for it. */
export type GatheredBody = Uint8Array | null | 'busy'

/** A body while it is read and answered. It is one piece of memory, because small pieces take a hundred times their bytes. */
export class IncomingBody {
  #bytes = 0
  #memory = NO_BODY
  #reservedBytes = 0
  #isBusy = false
  readonly #bodies: LargeBodies
  readonly #bytesMax: number
  readonly #begunAt: number

  constructor(bodies: LargeBodies, bytesMax: number) {
    this.#bodies = bodies
    this.#bytesMax = bytesMax
    this.#begunAt = bodies.now()
  }

  /** Copies what has arrived. False when the rest need not be read. */
  add(piece: Uint8Array): boolean {
    const at = this.#bytes
    this.#bytes += piece.length
    if (this.#bytes > this.#bytesMax) this.release()
    else if (!this.#isBusy && this.#hasRoom(at)) this.#memory.set(piece, at)
    return this.#bytes <= Math.max(this.#bytesMax, BODY_DISCARDED_BYTES_MAX)
  }

  /** All of it, when no more comes. */
  end(): GatheredBody {
    this.#bodies.arrived(this)
    if (this.#bytes > this.#bytesMax) return null
    return this.#isBusy ? 'busy' : this.#memory.subarray(0, this.#bytes)
  }

  /** The body is not needed any more. */
  release(): void {
    this.#bodies.free(this, this.#reservedBytes)
    this.#reservedBytes = 0
    this.#memory = NO_BODY
  }

  /** What it had is dropped, and what still comes. */
  giveWay(): void {
    this.#isBusy = true
    this.release()
  }

  /** Bytes a millisecond since it began. */
  speed(now: number): number {
    return this.#bytes / (now - this.#begunAt)
  }

  #hasRoom(usedBytes: number): boolean {
    if (this.#bytes <= this.#memory.length) return true
    const isLarge = this.#bytes > BODY_BYTES_MAX
    const bytesMax = isLarge ? this.#bytesMax : Math.min(BODY_BYTES_MAX, this.#bytesMax)
    const size = Math.min(bytesMax, Math.max(this.#bytes, 2 * this.#memory.length))
    if (isLarge) {
      if (!this.#bodies.reserve(this, size - this.#reservedBytes)) return false
      this.#reservedBytes = size
    }
    const memory = Buffer.allocUnsafe(size)
    memory.set(this.#memory.subarray(0, usedBytes))
    this.#memory = memory
    return true
  }
}

/** The fields of a request that say what was read of its body. */
export const bodyFields = (body: GatheredBody): Pick<Request, 'body' | 'bodyTooLarge' | 'busy'> => ({
  body: body === null || body === 'busy' ? NO_BODY : body,
  bodyTooLarge: body === null,
  ...(body === 'busy' ? { busy: true } : {}),
})

/** Has a request answered, and then lets go of its body. */
export function answerAndRelease(handle: Handler, request: Request, body: IncomingBody): ReturnType<Handler> {
  const answer = handle(request)
  if (answer instanceof Promise) answer.finally(() => body.release()).catch(() => {})
  else body.release()
  return answer
}

export const limitFor = (limit: BodyLimit, request: Pick<Request, 'method' | 'path'>): number =>
  typeof limit === 'number' ? limit : limit(request)
