import { connect, type Socket } from 'node:net'

export interface Gets {
  readonly port: number
  readonly path: string
  readonly key: string | null
  readonly connections: number
  readonly seconds: number
}

const SILENCE_MS_MAX = 20_000

/**
 * GETs over raw sockets, one at a time on each, as fast as they are answered: an HTTP client would be slower than the
 * server. Answers are counted by their length, that of the first one: another length at the end is an error.
 */
export async function get(load: Gets): Promise<{ requests: number; perS: number }> {
  const { port, path, key, connections, seconds } = load
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${key === null ? '' : `authorization: Bearer ${key}\r\n`}\r\n`
  const length = await lengthOfAnswer(port, request)
  const from = performance.now()
  const until = from + seconds * 1_000
  const counts = await Promise.all(Array.from({ length: connections }, () => one(port, request, length, until)))
  const requests = counts.reduce((sum, count) => sum + count, 0)
  return { requests, perS: (requests / (performance.now() - from)) * 1_000 }
}

function open(port: number, reject: (error: Error) => void): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.setTimeout(SILENCE_MS_MAX, () => socket.destroy(new Error('An answer did not come')))
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('The connection was closed')))
  return socket
}

function one(port: number, request: string, length: number, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = open(port, reject)
    let bytes = 0
    let answered = 0
    socket.on('connect', () => socket.write(request))
    socket.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes < length) return
      if (bytes > length) return socket.destroy(new Error('Answers were not of one length'))
      answered++
      bytes = 0
      if (performance.now() < until) return socket.write(request)
      resolve(answered)
      socket.destroy()
    })
  })
}

/** One request alone, and the bytes of its whole answer, which must be 200. */
function lengthOfAnswer(port: number, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = open(port, reject)
    let text = ''
    socket.on('connect', () => socket.write(request))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      if (!text.startsWith('HTTP/1.1 200') || length === undefined) {
        socket.destroy(new Error(`The answer was: ${text.slice(0, 200)}`))
      } else if (text.length === head + 4 + Number(length)) {
        resolve(text.length)
        socket.destroy()
      }
    })
  })
}
