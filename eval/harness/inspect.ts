import { WebSocket } from 'ws'

const LOOK_MS_MAX = 5_000

interface Target {
  readonly type: string
  readonly url: string
  readonly webSocketDebuggerUrl?: string
}

/** Pages whose address contains `host`, newest first. */
async function pagesOf(port: number, host: string): Promise<Target[]> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(LOOK_MS_MAX) })
  const targets = (await response.json()) as Target[]
  return targets.filter(({ type, url }) => type === 'page' && url.includes(`//${host}`))
}

/**
 * The value of an expression in the page itself, beside whoever drives it: no tool takes part in saying whether a
 * task was done. Of several pages one in which it is true will do. `undefined` when no page of `host` answers.
 */
export async function valueIn(port: number, host: string, expression: string): Promise<unknown> {
  let first: unknown
  for (const { webSocketDebuggerUrl } of await pagesOf(port, host)) {
    if (webSocketDebuggerUrl === undefined) continue
    const value = await evaluate(webSocketDebuggerUrl, expression).catch(() => undefined)
    if (value === true) return value
    first ??= value
  }
  return first
}

export const pageCount = async (port: number, host: string): Promise<number> => (await pagesOf(port, host)).length

function evaluate(url: string, expression: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    const timer = setTimeout(() => socket.terminate(), LOOK_MS_MAX)
    socket.on('error', reject)
    socket.on('close', () => {
      clearTimeout(timer)
      reject(new Error('The page did not answer.'))
    })
    socket.on('open', () => {
      const params = { expression, returnByValue: true, awaitPromise: true }
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }))
    })
    socket.on('message', (data) => {
      const { id, result } = JSON.parse(String(data))
      if (id !== 1) return
      resolve(result?.exceptionDetails ? undefined : result?.result?.value)
      socket.close()
    })
  })
}
