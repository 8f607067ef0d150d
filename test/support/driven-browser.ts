import { suite, type Test } from 'uvu'
import * as assert from 'uvu/assert'
import { ToolError } from '../../src/browser/act/cdp.ts'
import type { Patience } from '../../src/browser/act/page.ts'
import { textOfResult } from '../../src/browser/act/result.ts'
import { type CallLoad, withLoad } from '../../src/browser/call-load.ts'
import { NoBrowser, type StartedBrowser, startBrowser } from '../../src/browser/chromium.ts'
import { type Executed, Tabs } from '../../src/browser/task-tabs.ts'
import { installedBrowser } from './browsers.ts'
import { type Pages, servePages } from './pages.ts'
import { shared } from './shared.ts'

/** For tests of pages that never answer: they are given up within a test's time. */
export const IMPATIENCE: Patience = { loadMs: 3_000, actionLoadMs: 1_500, answerMs: 5_000 }

/** A real browser, our fixture pages, and a task that works in a tab of its own. */
export interface Driven {
  readonly browser: StartedBrowser
  readonly pages: Pages
  readonly tabs: Tabs
  /** Runs a tool for the test's own task. */
  run(tool: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<Executed>
  /** Its words and those of the page, as one text. */
  text(tool: string, input: Record<string, unknown>): Promise<string>
  /** What it fails with, the words of the page included. */
  failure(tool: string, input: Record<string, unknown>): Promise<string>
  open(path: string): Promise<string>
  /** Opens a page of this HTML. */
  show(html: string): Promise<string>
  /** The reference of the first line of the page that matches. */
  ref(line: RegExp): Promise<string>
  /** The value of an expression in the page. */
  value(expression: string): Promise<unknown>
}

const gone = new WeakSet<StartedBrowser>()
const browserAt = (executablePath: string | undefined) =>
  shared(
    async () => {
      const browser = await startBrowser({ headed: false, executablePath })
      void browser.closed.then(() => gone.add(browser))
      return browser
    },
    (browser) => browser.close(),
    (browser) => gone.has(browser),
  )
const browserOfAll = browserAt(process.env.CHROME_PATH || undefined)
const installed = await installedBrowser()
const installedOfAll = browserAt(installed ?? undefined)
/** Whether the suites run in the bundled browser, so that the installed one is another. */
const isBundled = installed === null || Boolean(process.env.IS_BARE)

/**
 * A suite of tests in a real browser, which starts once for all files of a process; each test has a tab of its own. Where no
 * browser can be started the tests are announced as skipped, with their number and the reason. `both` adds a test of
 * something in which the bundled headless browser and an installed one differ: it runs in each of them.
 */
export function browserSuite(name: string) {
  const tests: Test = suite(name)
  type Body = (driven: Driven) => Promise<void>
  const bodies: [title: string, body: Body, patience: Patience | undefined, isInstalled: boolean][] = []
  const add = (title: string, body: Body, patience?: Patience): void => {
    bodies.push([title, body, patience, false])
  }
  const both = (title: string, body: Body): void => {
    bodies.push([title, body, undefined, false])
    if (isBundled) bodies.push([`${title}, in an installed browser`, body, undefined, true])
  }
  const run = async (): Promise<void> => {
    let browser: StartedBrowser
    try {
      browser = await browserOfAll.get()
    } catch (error) {
      if (!(error instanceof NoBrowser)) throw error
      console.log(`SKIPPED ${bodies.length} ${error.message}`)
      tests.run()
      return
    }
    const pages = await servePages()
    const missing = bodies.filter(([, , , isInstalled]) => isInstalled && installed === null)
    if (missing.length > 0) console.log(`SKIPPED ${missing.length} no browser is installed beside the bundled one`)
    for (const [title, body, patience, isInstalled] of bodies.filter((each) => !missing.includes(each))) {
      tests(title, async () => {
        const used = isInstalled ? await installedOfAll.get() : browser
        const tabs = new Tabs(used, patience ? { patience } : {})
        try {
          await body(drivenBy(used, pages, tabs))
        } finally {
          await tabs.endAll()
        }
      })
    }
    tests.after(async () => {
      await browserOfAll.release()
      await installedOfAll.release()
      await pages.close()
    })
    tests.run()
  }
  return Object.assign(add, { both, run })
}

/** [G35] A browser's process serves all of its tasks: no call may take it for itself. */
const CALL_CPU_MS_MAX = 1_000

function checkLoad({ tool, cpuMs }: CallLoad): void {
  assert.ok((cpuMs ?? 0) <= CALL_CPU_MS_MAX, `${tool} took ${cpuMs} ms of CPU`)
}

function drivenBy(browser: StartedBrowser, pages: Pages, tabs: Tabs): Driven {
  const never = new AbortController().signal
  const run: Driven['run'] = (tool, input, signal = never) =>
    withLoad(tool, () => tabs.execute('task', tool, input, signal), checkLoad)
  const text: Driven['text'] = async (tool, input) => textOfResult(await run(tool, input))
  return {
    browser,
    pages,
    tabs,
    run,
    text,
    open: (path) => text('navigate', { url: pages.origin + path }),
    show: (html) => text('navigate', { url: pages.origin + pages.make(html) }),
    async failure(tool, input) {
      try {
        await run(tool, input)
      } catch (error) {
        assert.instance(error, ToolError)
        const { message, content } = error as ToolError
        return textOfResult({ said: message, content })
      }
      throw new Error(`${tool} did not fail`)
    },
    async ref(line) {
      const page = await text('read_page', {})
      const found = page.split('\n').find((candidate) => line.test(candidate))
      const ref = found && /\[((?:f\d+)?e\d+)\]/.exec(found)?.[1]
      if (!ref) throw new Error(`No line with a reference matches ${line}:\n${page}`)
      return ref
    },
    async value(expression) {
      return JSON.parse(
        await text('javascript_tool', {
          action: 'javascript_exec',
          text: `JSON.stringify(${expression})`,
          look: 'none',
        }),
      )
    },
  }
}
