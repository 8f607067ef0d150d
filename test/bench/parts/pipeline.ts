import { connect, type Socket } from 'node:net'

export interface Pipeline {
  readonly port: number
  readonly path: string
  readonly key: string | null
  readonly connections: number
  /** Requests that are under way on each connection. */
  readonly depth: number
  readonly seconds: number
}

export interface Pipelined {
  readonly requests: number
  readonly perS: number
  readonly bytesPerAnswer: number
}

const SILENCE_MS_MAX = 20_000

/**
 * GETs over raw sockets, as fast as they are answered. Answers are counted by their length, which is that of the first
 * one: an answer of another length is an error at the end.
 */
export async function pipelined(load: Pipeline): Promise<Pipelined> {
  const { port, path, key, connections, depth, seconds } = load
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${key === null ? '' : `authorization: Bearer ${key}\r\n`}\r\n`
  const bytesPerAnswer = await lengthOfAnswer(port, request)
  const from = performance.now()
  const until = from + seconds * 1_000
  const counts = await Promise.all(
    Array.from({ length: connections }, () => one(port, request, bytesPerAnswer, depth, until)),
  )
  const requests = counts.reduce((sum, count) => sum + count, 0)
  return { requests, perS: (requests / (performance.now() - from)) * 1_000, bytesPerAnswer }
}

function one(port: number, request: string, length: number, depth: number, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let bytes = 0
    let answered = 0
    let asked = depth
    socket.setNoDelay(true)
    socket.setTimeout(SILENCE_MS_MAX, () => reject(new Error('An answer did not come')))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The connection was closed')))
    socket.on('connect', () => socket.write(request.repeat(depth)))
    socket.on('data', (chunk) => {
      bytes += chunk.length
      const now = Math.floor(bytes / length)
      const came = now - answered
      answered = now
      if (performance.now() < until) {
        asked += came
        if (came > 0) socket.write(request.repeat(came))
      } else if (answered === asked) {
        socket.removeAllListeners('close')
        socket.destroy()
        if (bytes % length === 0) resolve(answered)
        else reject(new Error('Answers were not of one length'))
      }
    })
  })
}

/** One request alone, and the bytes of its whole answer, which must be 200. */
function lengthOfAnswer(port: number, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('error', reject)
    socket.on('connect', () => socket.write(request))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      if (head < 0) return
      if (!text.startsWith('HTTP/1.1 200') || length === undefined) {
        socket.destroy()
        reject(new Error(`It was answered: ${text.slice(0, 200)}`))
      } else if (text.length === head + 4 + Number(length)) {
        socket.destroy()
        resolve(text.length)
      }
    })
  })
}
