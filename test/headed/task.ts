import { randomUUID } from 'node:crypto'
import { callOver, endOver, pairWith } from '../extension/gated.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/holds/suite.ts'
import { relayService, type ServiceSocket } from '../support/relay-service.ts'
import { type HeadedBrowser, openHeaded } from './browser.ts'

/** A browser with a window and one task at a time, asked as its service asks it; there is neither model nor service. */
export interface HeadedTask {
  readonly browser: HeadedBrowser
  /** The relay's side of the connection as it is now. */
  readonly socket: ServiceSocket
  /** How often the browser has connected. */
  readonly sockets: number
  readonly taskId: string
  /** `more`: what else the frame has, such as `approvals`. */
  call(tool: string, input: Record<string, unknown>, more?: object): Promise<Answer>
  /** The ref of the first control of the task's page that matches. */
  ref(line: RegExp, more?: object): Promise<string>
  /** Ends the task; the next call begins another. */
  end(): void
  /** Pairs the browser: after a start with a new profile, or a lost one. */
  pair(): Promise<void>
  /** The connection that follows the first `n`, once there is one. */
  connected(n: number): Promise<ServiceSocket>
  close(): Promise<void>
}

const CONNECTS_MS = 700

export async function openHeadedTask(): Promise<HeadedTask> {
  const [service, browser] = await Promise.all([relayService(), openHeaded()])
  let taskId = randomUUID()
  const last = (): ServiceSocket => {
    const socket = service.sockets.at(-1)
    if (!socket) throw new Error('The browser is not connected')
    return socket
  }
  const task: HeadedTask = {
    browser,
    get socket() {
      return last()
    },
    get sockets() {
      return service.sockets.length
    },
    get taskId() {
      return taskId
    },
    call: (tool, input, more = {}) => callOver(last, taskId, { tool, input, ...more }),
    async ref(line, more) {
      const { text } = await task.call('read_page', {}, more)
      const found = text.split('\n').find((each) => line.test(each) && /\[(?:f\d+)?e\d+\]/.test(each))
      const ref = found && /\[((?:f\d+)?e\d+)\]/.exec(found)?.[1]
      if (!ref) throw new Error(`Nothing is called ${line} in ${text}`)
      return ref
    },
    end() {
      endOver(last(), taskId)
      taskId = randomUUID()
    },
    async pair() {
      const before = service.sockets.length
      const panel = await browser.openOwn('panel.html')
      await browser.watcher.value(panel, pairWith(service))
      await service.connection(before)
      await browser.watcher.close(panel)
    },
    async connected(n) {
      await eventually(() => service.sockets.length > n, `connection ${n}`, 40_000)
      // A worker that starts may connect twice; the last one counts.
      for (let known = 0; known < service.sockets.length; ) {
        known = service.sockets.length
        await new Promise((resolve) => setTimeout(resolve, CONNECTS_MS))
      }
      return last()
    },
    async close() {
      await browser.close()
      await service.close()
    },
  }
  await task.pair()
  return task
}
