import { randomUUID } from 'node:crypto'
import { eventually } from '../support/eventually.ts'
import type { Answer, GatedBrowser } from '../support/holds/suite.ts'
import { type RelayService, relayService, SESSION, type ServiceSocket } from '../support/relay-service.ts'
import { openBrowser } from './browser.ts'

/** What a page of the extension evaluates so that its browser is paired with a relay that a test speaks for. */
export const pairWith = ({ port }: RelayService): string => {
  const origin = `http://127.0.0.1:${port}`
  const pairing = { origin, sessionId: SESSION, sessionToken: 'svc_sess_test', relayPort: port }
  return `chrome.storage.local.set({ pairing: ${JSON.stringify(pairing)} }).then(() => chrome.runtime.sendMessage({ type: 'connect' }))`
}

/** Calls a tool as a service does that has only the relay. `socket` gives the connection as it is now. */
export async function callOver(socket: () => ServiceSocket, taskId: string, call: object): Promise<Answer> {
  const requestId = randomUUID()
  const connection = socket()
  const ids = { targetSessionId: SESSION, browserSessionId: SESSION, requestId, taskId }
  connection.send({ type: 'mcp_execute_tool', ...ids, ...call })
  const result = () =>
    socket()
      .results()
      .find((each) => each.requestId === requestId)
  await eventually(() => result() !== undefined, `an answer to ${JSON.stringify(call)}`, 60_000)
  const {
    said = '',
    content = '',
    held = null,
    error = null,
  } = (result() ?? {}) as unknown as Record<string, string> & { held: Answer['held'] }
  return { text: `${said}\n${content}`, held, error: error === null ? null : `${error} ${content}` }
}

export const endOver = (socket: ServiceSocket, taskId: string): void =>
  socket.send({ type: 'task_complete', targetSessionId: SESSION, taskId, answer: null, status: 'complete' })

/** A Chromium with the extension, paired with a relay that a test speaks for. */
export async function openGatedExtension(): Promise<{ gated: GatedBrowser; close(): Promise<unknown> }> {
  const [service, browser] = await Promise.all([relayService(), openBrowser()])
  const panel = await browser.open('panel.html')
  await panel.evaluate(pairWith(service))
  const socket = await service.connection(0)
  let task = randomUUID()
  const gated: GatedBrowser = {
    stops: true,
    call: (tool, input, { approvals = 'irreversible', ...more } = {}) =>
      callOver(() => socket, task, { tool, input, approvals, ...more }),
    async end() {
      endOver(socket, task)
      task = randomUUID()
      // Its tabs are closed by and by.
      await eventually(
        () => browser.context.pages().filter((page) => page.url().startsWith('http')).length === 0,
        'the tabs to be closed',
        10_000,
      ).catch(() => {})
    },
  }
  return { gated, close: () => Promise.all([browser.close(), service.close()]) }
}
