import type { Response } from '../net/transport.ts'

const HEADERS: Response['headers'] = [
  ['Content-Type', 'text/event-stream; charset=utf-8'],
  ['Cache-Control', 'no-store'],
  // A proxy that gathers would hold back what is to be seen now.
  ['X-Accel-Buffering', 'no'],
  ['X-Content-Type-Options', 'nosniff'],
]

/** Server-Sent Events; 503 when too many look already. */
export function eventStream(stream: Response['stream'] | null): Response {
  if (!stream) {
    const full = plain(503, 'Too many open connections. Try again in a moment.\n')
    return { ...full, headers: [...full.headers, ['Retry-After', '1']] }
  }
  return { status: 200, headers: HEADERS, body: null, stream }
}

export const plain = (status: number, text: string, type = 'text/plain; charset=utf-8'): Response => ({
  status,
  headers: [
    ['Content-Type', type],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
  ],
  body: text,
})
