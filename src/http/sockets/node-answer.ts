import type { ServerResponse } from 'node:http'
import type { Response, ResponseStream } from '../transport.ts'

/** Begins an open-ended answer. It is in `streams` until it ends. */
export function startStream(
  res: ServerResponse,
  begin: NonNullable<Response['stream']>,
  streams: Set<ResponseStream>,
): void {
  let over = false
  const closes: (() => void)[] = []
  const finish = () => {
    if (over) return
    over = true
    streams.delete(stream)
    for (const listener of closes) listener()
  }
  const stream: ResponseStream = {
    write: (text) => !over && res.write(text),
    onDrain: (listener) => void res.on('drain', listener),
    onClose: (listener) => void closes.push(listener),
    end() {
      finish()
      res.end()
    },
    destroy() {
      finish()
      res.destroy()
    },
  }
  res.on('close', finish)
  streams.add(stream)
  res.flushHeaders()
  begin(stream)
}
