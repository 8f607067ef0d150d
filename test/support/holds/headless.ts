import { randomUUID } from 'node:crypto'
import { ToolError } from '../../../src/browser/act/cdp.ts'
import type { StartedBrowser } from '../../../src/browser/chromium.ts'
import { Tabs } from '../../../src/browser/task-tabs.ts'
import type { Answer, GatedBrowser } from './suite.ts'

/** The tabs of a headless browser, asked as the relay asks them. */
export function gatedHeadless(browser: StartedBrowser): GatedBrowser {
  const tabs = new Tabs(browser)
  let task = randomUUID()
  return {
    stops: false,
    async call(
      tool,
      input,
      { approvals = 'irreversible', allowedShapes = [], intent, secrets = [] } = {},
    ): Promise<Answer> {
      const gate = { approvals, allowedShapes, ...(intent ? { intent } : {}) }
      const never = new AbortController().signal
      try {
        const done = await tabs.execute(task, tool, input, never, null, secrets, null, gate)
        return { text: `${done.said}\n${done.content}`, held: done.held ?? null, error: null }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        return { text: `${error.message}\n${error.content}`, held: null, error: `${error.message} ${error.content}` }
      }
    },
    async end() {
      await tabs.end(task)
      task = randomUUID()
    },
  }
}
