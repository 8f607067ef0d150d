import { WebSocket } from 'ws'
import { type CallStorage, inProcess } from '../../src/browser/call-memory.ts'
import { type CallAnswer, RelayClient } from '../../src/browser/relay-client.ts'
import type { ExecuteTool } from '../../src/wire/relay.ts'
import { eventually } from './eventually.ts'
import { type RelayService, relayService } from './relay-service.ts'

/** A call that the client runs; the test decides how it ends. */
export interface Running {
  readonly call: ExecuteTool
  readonly signal: AbortSignal
  answer(said: string, more?: Partial<CallAnswer>): void
  fail(why: string | Error): void
}
export interface Setup {
  readonly service: RelayService
  readonly client: RelayClient
  readonly runs: Running[]
  readonly ended: string[]
  readonly lines: string[]
}

/** A client on a relay that does what the test tells it; the test decides when and how each call ends. */
export async function withClient(
  body: (setup: Setup) => Promise<void>,
  options: { storage?: CallStorage; before?: (service: RelayService) => void } = {},
): Promise<void> {
  const service = await relayService()
  options.before?.(service)
  const runs: Running[] = []
  const ended: string[] = []
  const lines: string[] = []
  const client = await RelayClient.start({
    url: service.url,
    sessionToken: 'svc_sess_test',
    WebSocket,
    storage: options.storage ?? inProcess(),
    tools: ['tabs'],
    execute: (call, signal) =>
      new Promise<CallAnswer>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        const tab = { tabId: 3, windowId: 4 }
        runs.push({
          call,
          signal,
          answer: (said, more) =>
            resolve({ said, content: '', screenshot: said === 'picture' ? '/9j/x' : null, tab, ...more }),
          fail: (why) => reject(typeof why === 'string' ? new Error(why) : why),
        })
      }),
    taskEnded: (taskId) => ended.push(taskId),
    log: (line) => lines.push(line),
    random: () => 0,
  })
  try {
    await body({ service, client, runs, ended, lines })
  } finally {
    client.close()
    await service.close()
  }
}

/** The n-th call, once it runs. */
export const run = async (runs: Running[], n: number): Promise<Running> => {
  await eventually(() => runs.length > n, `run ${n}`)
  const found = runs[n]
  if (!found) throw new Error(`There is no run ${n}`)
  return found
}
