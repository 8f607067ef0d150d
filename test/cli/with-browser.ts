import { suite, type Test } from 'uvu'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'

/** Starts one, and ends it. Rejects with `NoBrowser`. */
export async function tryBrowser(): Promise<void> {
  const browser = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined })
  await browser.close()
}

/**
 * A suite whose tests need a browser on this machine. Where none can be started they are announced as skipped, with
 * their number and the reason. The test runner tries it once for all files (`BROWSER_STARTS`).
 */
export function suiteWithBrowser(name: string) {
  const tests: Test = suite(name)
  const bodies: [title: string, body: () => Promise<void>][] = []
  const add = (title: string, body: () => Promise<void>): void => {
    bodies.push([title, body])
  }
  const hooks: { before?: () => Promise<void>; after?: () => Promise<void> } = {}
  const run = async (): Promise<void> => {
    try {
      if (process.env.BROWSER_STARTS !== 'yes') await tryBrowser()
      if (hooks.before) tests.before(hooks.before)
      if (hooks.after) tests.after(hooks.after)
      for (const [title, body] of bodies) tests(title, body)
    } catch (error) {
      if (!(error instanceof NoBrowser)) throw error
      console.log(`SKIPPED ${bodies.length} ${error.message}`)
    }
    tests.run()
  }
  return Object.assign(add, { run, hooks, after: tests.after })
}
