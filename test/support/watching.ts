import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page that is another picture ten times a second. */
export async function serveClock(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end(`<title>Clock</title><h1 id="at">0</h1><button>Go</button><script>
let n = 0
setInterval(() => {
  at.textContent = ++n
  document.body.style.background = 'hsl(' + n * 40 % 360 + ' 80% 70%)'
}, 100)</script>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** What somebody sees who looks at a task live. */
export interface Watching {
  readonly status: number
  /** JPEGs in base64, with when they came. */
  readonly seen: { readonly at: number; readonly jpeg: string }[]
  bytes(): number
  readonly over: Promise<void>
  stop(): void
}

export async function watchTask(service: string, key: string, taskId: string): Promise<Watching> {
  const stop = new AbortController()
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const answer = await fetch(`${service}/v1/tasks/${taskId}/live`, { headers, signal: stop.signal })
  const seen: Watching['seen'] = []
  let bytes = 0
  const read = async () => {
    let rest = ''
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      bytes += chunk.length
      const parts = (rest + chunk).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const data = /^event: frame\ndata: (.*)$/m.exec(part)?.[1]
        if (data) seen.push({ at: Date.now(), jpeg: JSON.parse(data).jpeg })
      }
    }
  }
  return { status: answer.status, seen, bytes: () => bytes, over: read().catch(() => {}), stop: () => stop.abort() }
}

/** Whether base64 is that of a whole JPEG. */
export const isPicture = (jpeg: string): boolean => {
  const bytes = Buffer.from(jpeg, 'base64')
  return bytes.readUInt16BE(0) === 0xffd8 && bytes.readUInt16BE(bytes.length - 2) === 0xffd9
}
