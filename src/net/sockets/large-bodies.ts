import { BODY_BYTES_MAX } from '../../../machines/limits.ts'
import { BODY_DISCARDED_BYTES_MAX, LARGE_BODIES_BYTES_MAX } from '../limits.ts'
import type { BodyLimit, Handler, Request } from '../transport.ts'

const NO_BODY = new Uint8Array(0)

/** The bodies over BODY_BYTES_MAX that one listener has in memory: no more than LARGE_BODIES_BYTES_MAX together. */
export class LargeBodies {
  #bytes = 0

  /** A body that is to be read, of at most so many bytes. */
  begin(bytesMax: number): IncomingBody {
    return new IncomingBody(this, bytesMax)
  }

  /** Whether there was room for so many bytes. */
  reserve(bytes: number): boolean {
    if (this.#bytes + bytes > LARGE_BODIES_BYTES_MAX) return false
    this.#bytes += bytes
    return true
  }

  free(bytes: number): void {
    this.#bytes -= bytes
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

  constructor(bodies: LargeBodies, bytesMax: number) {
    this.#bodies = bodies
    this.#bytesMax = bytesMax
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
    if (this.#bytes > this.#bytesMax) return null
    return this.#isBusy ? 'busy' : this.#memory.subarray(0, this.#bytes)
  }

  /** The body is not needed any more. */
  release(): void {
    this.#bodies.free(this.#reservedBytes)
    this.#reservedBytes = 0
    this.#memory = NO_BODY
  }

  #hasRoom(usedBytes: number): boolean {
    if (this.#bytes <= this.#memory.length) return true
    const isLarge = this.#bytes > BODY_BYTES_MAX
    if (isLarge && this.#reservedBytes === 0) {
      if (this.#bodies.reserve(this.#bytesMax)) this.#reservedBytes = this.#bytesMax
      else this.#isBusy = true
    }
    if (this.#isBusy) {
      this.release()
      return false
    }
    const bytesMax = isLarge ? this.#bytesMax : Math.min(BODY_BYTES_MAX, this.#bytesMax)
    const memory = Buffer.allocUnsafe(Math.min(bytesMax, Math.max(this.#bytes, 2 * this.#memory.length)))
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
