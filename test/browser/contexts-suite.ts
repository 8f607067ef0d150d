import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'
import type { StartedBrowser } from '../../src/browser/started-browser.ts'
import type { ContextNeeds } from '../../src/browser/task-contexts.ts'
import { Tabs } from '../../src/browser/task-tabs.ts'
import { FOUND_BY_ITSELF, openTraces, type TracesSite } from '../support/contexts/traces.ts'

/** What is looked for is no speed: many tasks at the same time load a small machine. */
const PATIENT = { loadMs: 60_000, actionLoadMs: 60_000, answerMs: 60_000 }
const SAYS_MS_MAX = 120_000
const FRESH: ContextNeeds = { domains: null, options: {}, isFresh: true }

/** A task in a context of its own. */
export async function aTask(browser: StartedBrowser, needs: Partial<ContextNeeds> = {}, tabs = new Tabs(browser)) {
  const task = randomUUID()
  await browser.separate(task, { ...FRESH, ...needs })
  const run = (tool: string, input: Record<string, unknown>) =>
    tabs
      .execute(task, tool, input, new AbortController().signal, needs.domains ?? null)
      .then(({ said, content }) => `${said}\n${content}`)
  return {
    run,
    async end() {
      await tabs.end(task)
      await browser.ended(task)
    },
  }
}

/** Presses the button of the page and reads what it says then. */
async function visit({ run }: Awaited<ReturnType<typeof aTask>>, url: string): Promise<string> {
  await run('navigate', { url })
  const ref = /\[(e\d+)\]/.exec(await run('find', { query: 'Go on' }))?.[1]
  await run('computer', { action: 'left_click', ref })
  for (const until = Date.now() + SAYS_MS_MAX; Date.now() < until; ) {
    const said = /(?:Found: .*|Left by .*)/.exec(await run('get_page_text', {}))?.[0]
    if (said) return said
  }
  throw new Error('The page says nothing')
}

/** The names of the downloads that a task sees, once there is one. */
async function downloaded(files: () => Promise<string>): Promise<string[]> {
  for (const until = Date.now() + SAYS_MS_MAX; Date.now() < until; ) {
    const names = (await files()).match(/left-\d+\.txt/g)
    if (names) return [...new Set(names)]
  }
  return []
}

/** So many tasks, some at the same time, look for what any other has left, and leave something in every way. */
export async function contexts(tasks: number, atOnce: number): Promise<void> {
  const test = suite('tasks of a pool, each in a context of its own')
  const found = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined }).catch(
    (error: unknown) => {
      if (error instanceof NoBrowser) return error
      throw error
    },
  )
  if (found instanceof NoBrowser) {
    console.log(`SKIPPED 1 ${found.message}`)
    return
  }
  const tabs = new Tabs(found, { patience: PATIENT })
  let site: TracesSite

  test.before(async () => {
    site = await openTraces()
  })
  test.after(async () => {
    await found.close()
    await site.close()
  })

  test(`[Z6] of ${tasks} tasks none finds what another one left, at the same time or before it, and each finds its own`, async () => {
    const one = async (n: number) => {
      const task = await aTask(found, {}, tabs)
      const files = () => task.run('files', { action: 'list' })
      try {
        assert.is(await visit(task, `${site.origin}/find?by=${n}`), 'Found: nothing', `task ${n} finds others`)
        assert.match(await files(), 'no files', `task ${n} sees downloads of others`)
        assert.is(await visit(task, `${site.origin}/leave?by=${n}`), `Left by ${n}`)
        assert.equal(await downloaded(files), [`left-${n}.txt`])
        const own = await visit(task, `${site.origin}/find?by=${n}`)
        for (const way of FOUND_BY_ITSELF) assert.match(own, new RegExp(`${way}=\\S*${n}`), `task ${n}, ${way}: ${own}`)
      } finally {
        await task.end()
      }
    }
    for (let first = 0; first < tasks; first += atOnce)
      await Promise.all(Array.from({ length: atOnce }, (_, n) => one(first + n)))
  })

  test.run()
}
