import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { ToolError } from '../src/browser/act/cdp.ts'
import { textOfResult } from '../src/browser/act/result.ts'
import { startBrowser } from '../src/browser/chromium.ts'
import { Tabs } from '../src/browser/task-tabs.ts'

const HELP = `node --import tsx eval/page.ts <address> [--headed]
Opens a page and prints what the tools answer. Each line of the input is a call: a tool, and its input as JSON.
  read_page
  find {"query": "buy"}
  computer {"action": "left_click", "ref": "e3"}`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { headed: { type: 'boolean', default: false } },
})
const [url] = positionals
if (url === undefined) {
  console.log(HELP)
  process.exit(2)
}

const browser = await startBrowser({ headed: values.headed, executablePath: process.env.CHROME_PATH || undefined })
const tabs = new Tabs(browser)
const taskId = randomUUID()

async function say(tool: string, input: Record<string, unknown>): Promise<void> {
  const started = performance.now()
  const answer = await tabs.execute(taskId, tool, input, new AbortController().signal).then(textOfResult, (error) => {
    if (error instanceof ToolError) return `Error: ${error.message}\n${error.content}`
    throw error
  })
  console.log(`${answer}\n— ${Math.round(performance.now() - started)} ms, ${answer.length} characters\n`)
}

try {
  await say('navigate', { url })
  for await (const line of createInterface({ input: process.stdin })) {
    const [, tool, input = '{}'] = /^\s*(\w+)\s*(\{.*\})?\s*$/.exec(line) ?? []
    if (tool === undefined) console.log(HELP)
    else await say(tool, JSON.parse(input))
  }
} finally {
  await tabs.endAll()
  await browser.close()
}
