import type { Response, ResponseStream } from '../transport.ts'

/** As much of the library's response as is needed. */
interface NativeResponse {
  tryEnd(body: string | Uint8Array, totalSize: number): [ok: boolean, done: boolean]
  write(text: string): boolean
  end(): unknown
  close(): unknown
  cork(write: () => void): unknown
  onWritable(handler: (offset: number) => boolean): unknown
  onAborted(handler: () => void): unknown
}

export const lengthOf = (body: Response['body']): number => (body === null ? 0 : Buffer.byteLength(body))

/**
 * [E17] Hands over only what the connection takes, and the rest when it takes more: `end` would keep all of it. While an
 * answer is unfinished the library closes the connection of a client that sends its next request.
 */
export function sendBody(res: NativeResponse, body: string | Uint8Array): void {
  const total = lengthOf(body)
  const [, isDone] = res.tryEnd(body, total)
  if (isDone) return
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  res.onAborted(() => {})
  res.onWritable((offset) => res.tryEnd(bytes.subarray(offset), total)[0])
}

/** Nothing to the reader of an event stream. */
const COMMENT = ':\n\n'

/** Begins an open-ended answer; it is among `open` until it is over. */
export function startStream(
  res: NativeResponse,
  begin: NonNullable<Response['stream']>,
  open: Set<ResponseStream>,
): void {
  let over = false
  let written = false
  const drains: (() => void)[] = []
  const closes: (() => void)[] = []
  const finish = () => {
    if (over) return
    over = true
    open.delete(stream)
    for (const listener of closes) listener()
  }
  const stream: ResponseStream = {
    write(text) {
      if (over) return false
      written = true
      let roomy = true
      res.cork(() => {
        roomy = res.write(text)
      })
      return roomy
    },
    onDrain: (listener) => void drains.push(listener),
    onClose: (listener) => void closes.push(listener),
    end() {
      if (over) return
      finish()
      res.cork(() => res.end())
    },
    destroy() {
      if (over) return
      finish()
      res.close()
    },
  }
  res.onAborted(finish)
  // The library keeps what the connection does not take, and sends more of it with the next write alone.
  res.onWritable(() => {
    if (stream.write(COMMENT)) for (const listener of drains) listener()
    return true
  })
  open.add(stream)
  begin(stream)
  // It sends the head with the first write.
  if (!written && !over) stream.write(COMMENT)
}
