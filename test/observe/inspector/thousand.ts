import { WebSocket } from 'ws'
import type { Model } from '../../../actors/runtime/ports.ts'
import { insertPairedBrowsers, type PairedBrowser } from '../../../bench/paired-browsers.ts'
import { readConfig } from '../../../src/config/config.ts'
import { ownerKey } from '../../../src/identity/key-sign-in.ts'
import { startService } from '../../../src/main.ts'
import { memoryLog } from '../../support/http-wire.ts'
import { tempFolder } from '../../support/stores.ts'

const SESSIONS_EACH = 5
/** A browser takes so long for a call: each task makes a step every few seconds. */
const CALL_MS_MIN = 2_000
const CALL_MS_MAX = 8_000

/** Asks for one call after the other, never the same, without end. */
const restless: Model = {
  id: 'restless',
  provider: 'test',
  async ask({ messages }) {
    const calls = [{ tool: 'find', input: { query: `article ${messages.length}` } }]
    return { kind: 'reply', text: 'Next.', calls, inputTokens: 1, outputTokens: 1, model: 'restless' }
  },
}

/**
 * A service with so many tasks that all run and move, of many workspaces, and the key of its owner. `pace`: how many times
 * longer a browser takes for a call.
 */
export async function manyTasks(count: number, pace = 1) {
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder() })
  const service = await startService({ config, log: memoryLog(), model: restless })
  const seats = await insertPairedBrowsers(service.store, count / SESSIONS_EACH, SESSIONS_EACH)
  const sockets: WebSocket[] = []
  const timers = new Set<NodeJS.Timeout>()
  const sit = async (seat: PairedBrowser, n: number) => {
    const after = pace * (CALL_MS_MIN + ((n * 997) % (CALL_MS_MAX - CALL_MS_MIN)))
    sockets.push(await seated(service.relayPort, seat, after, timers))
    const request = {
      task: 'Read all prices',
      url: null,
      context: null,
      webhookUrl: null,
      browserSessionId: seat.sessionId,
    }
    const { workspaceId } = seat
    const start = { door: 'http', workspaceId, apiKeyId: workspaceId, requestId: null, request } as const
    const answer = await service.taskService.startTask(start)
    if (!answer.ok) throw new Error(`A task was refused: ${answer.refusal.message}`)
  }
  const waiting = seats.entries()
  const worker = async () => {
    for (const [n, seat] of waiting) await sit(seat, n)
  }
  await Promise.all(Array.from({ length: 20 }, worker))
  return {
    service,
    url: service.url,
    key: await ownerKey(service.store),
    running: () => service.taskService.counts().activeTasks,
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await service.stop()
      for (const socket of sockets) socket.terminate()
    },
  }
}

/** A browser that answers each call after a while. */
function seated(port: number, { token, sessionId }: PairedBrowser, afterMs: number, timers: Set<NodeJS.Timeout>) {
  return new Promise<WebSocket>((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
    const send = (frame: object) => socket.send(JSON.stringify(frame))
    socket.on('open', () =>
      send({ type: 'register', role: 'extension', session_token: token, protocol: 2, instance: sessionId }),
    )
    socket.on('error', reject)
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data))
      if (frame.type === 'registered') resolve(socket)
      else if (frame.type === 'ping') send({ type: 'pong' })
      else if (frame.type === 'mcp_execute_tool') {
        const timer = setTimeout(() => {
          timers.delete(timer)
          if (socket.readyState === socket.OPEN)
            send({ type: 'tool_result', requestId: frame.requestId, output: 'Article 1' })
        }, afterMs)
        timers.add(timer)
      }
    })
  })
}
