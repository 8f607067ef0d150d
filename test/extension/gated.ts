import { randomUUID } from 'node:crypto'
import { eventually } from '../support/eventually.ts'
import type { Answer, GatedBrowser } from '../support/holds/suite.ts'
import { relayService, SESSION } from '../support/relay-service.ts'
import { openBrowser } from './browser.ts'

/** A Chromium with the extension, paired with a relay that a test speaks for. */
export async function openGatedExtension(): Promise<{ gated: GatedBrowser; close(): Promise<unknown> }> {
  const [service, browser] = await Promise.all([relayService(), openBrowser()])
  const pairing = {
    origin: `http://127.0.0.1:${service.port}`,
    sessionId: SESSION,
    sessionToken: 'svc_sess_test',
    relayPort: service.port,
  }
  const panel = await browser.open('panel.html')
  await panel.evaluate(async (kept) => {
    const { chrome } = globalThis as unknown as {
      chrome: {
        storage: { local: { set(value: object): Promise<void> } }
        runtime: { sendMessage(message: object): Promise<void> }
      }
    }
    await chrome.storage.local.set({ pairing: kept })
    await chrome.runtime.sendMessage({ type: 'connect' })
  }, pairing)
  const socket = await service.connection(0)
  let task = randomUUID()
  const gated: GatedBrowser = {
    stops: true,
    async call(tool, input, { approvals = 'irreversible', ...more } = {}): Promise<Answer> {
      const requestId = randomUUID()
      const frame = {
        type: 'mcp_execute_tool',
        targetSessionId: SESSION,
        browserSessionId: SESSION,
        requestId,
        taskId: task,
        tool,
        input,
      }
      socket.send({ ...frame, approvals, ...more })
      const result = () => socket.results().find((each) => each.requestId === requestId)
      await eventually(() => result() !== undefined, `an answer to ${tool}`, 60_000)
      const {
        said = '',
        content = '',
        held = null,
        error = null,
      } = (result() ?? {}) as unknown as Record<string, string> & { held: Answer['held'] }
      return { text: `${said}\n${content}`, held, error: error === null ? null : `${error} ${content}` }
    },
    async end() {
      socket.send({ type: 'task_complete', targetSessionId: SESSION, taskId: task, answer: null, status: 'complete' })
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
