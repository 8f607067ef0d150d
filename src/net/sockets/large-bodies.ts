import { BODY_BYTES_MAX } from '../../../machines/limits.ts'
import { LARGE_BODIES_BYTES_MAX } from '../limits.ts'
import type { BodyLimit, Handler, Request } from '../transport.ts'

/** The bodies over BODY_BYTES_MAX that one listener has in memory: no more than LARGE_BODIES_BYTES_MAX together. */
export class LargeBodies {
  #bytes = 0

  /** A body that is to be read, of at most so many bytes. */
  begin(bytesMax: number): LargeBody {
    let held = 0
    return {
      grow: (bytes) => {
        if (held > 0 || bytes <= BODY_BYTES_MAX) return true
        if (this.#bytes + bytesMax > LARGE_BODIES_BYTES_MAX) return false
        held = bytesMax
        this.#bytes += held
        return true
      },
      release: () => {
        this.#bytes -= held
        held = 0
      },
    }
  }
}

export interface LargeBody {
  /** Whether there is room for a body that has grown to so many bytes. */
  grow(bytes: number): boolean
  /** The body is not needed any more. */
  release(): void
}

/** What was read of a body: `null` when it was over its limit, `busy` when there was no room for it. */
export type GatheredBody = Uint8Array | null | 'busy'

const NO_BODY = new Uint8Array(0)

/** The fields of a request that say what was read of its body. */
export const bodyFields = (body: GatheredBody): Pick<Request, 'body' | 'bodyTooLarge' | 'busy'> => ({
  body: body === null || body === 'busy' ? NO_BODY : body,
  bodyTooLarge: body === null,
  ...(body === 'busy' ? { busy: true } : {}),
})

/** Has a request answered, and then lets go of its body. */
export function answerAndRelease(handle: Handler, request: Request, body: LargeBody): ReturnType<Handler> {
  const answer = handle(request)
  if (answer instanceof Promise) answer.finally(body.release).catch(() => {})
  else body.release()
  return answer
}

export const limitFor = (limit: BodyLimit, request: Pick<Request, 'method' | 'path'>): number =>
  typeof limit === 'number' ? limit : limit(request)
