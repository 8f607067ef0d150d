import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'
import { type Live, openLive, type Tenant } from '../../support/live.ts'
import { endChromium, newKey, pageOf, startChromium } from './world.ts'

/** How long a page may take on a busy machine. */
export const WAIT_MS = 15_000

/** A service with a workspace, a browser of its own, and a page of somebody who is signed in to it. */
export interface Scene {
  readonly live: Live
  readonly tenant: Tenant
  readonly browser: Browser
  readonly page: Page
  readonly asked: string[]
  readonly session: string
  /** Whether the workspace's browser answers what it is asked. */
  answers: boolean
  start(task: string): Promise<string>
  cancel(...ids: readonly string[]): Promise<void>
  ended(id: string): Promise<void>
  /** Ends everything. */
  close(): Promise<void>
}

export async function openScene(): Promise<Scene> {
  const live = await openLive({ transport: 'uws', store: 'lmdb' })
  const tenant = await live.workspace()
  // A file starts more than ten tasks a minute, on a slow machine several times the same.
  await live.store.limits.put(tenant.id, { startsPerMinute: 100 })
  const { id: session } = await tenant.browser(() => (scene.answers ? { output: 'tea' } : 'never'))
  const { key } = await newKey(live.store, tenant.id)
  const browser = await startChromium()
  const scene: Scene = {
    live,
    tenant,
    browser,
    session,
    ...(await pageOf(browser, live.service.url, key)),
    answers: true,
    async start(task) {
      const { json, status } = await tenant.api.start(session, task)
      if (status !== 201) throw new Error(JSON.stringify(json))
      return json.id
    },
    async cancel(...ids) {
      for (const id of ids) await tenant.api.post(`/v1/tasks/${id}/cancel`)
    },
    async ended(id) {
      await eventually(async () => (await tenant.api.task(id)).status !== 'running', 'the end of a task', WAIT_MS)
      await eventually(async () => (await live.store.traces.get(id, 'transitions')) !== null, 'its trace', WAIT_MS)
    },
    async close() {
      await endChromium(browser)
      await live.close()
    },
  }
  return scene
}

/** The innermost state that is lit. */
export const lit = (page: Page) => page.locator('.drawing .state.on:not(.composite)').getAttribute('data-state')

/** Opens a part of the page of an actor or a replay. */
export const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click({ timeout: WAIT_MS })

const AXE = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** What axe finds wrong with a page as it is. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
}
