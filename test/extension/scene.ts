import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import type { Model } from '../../actors/runtime/ports.ts'
import { readConfig } from '../../src/config/config.ts'
import { DEMO_SCRIPT } from '../../src/demo/script.ts'
import { openShop, type Shop } from '../../src/demo/shop.ts'
import { hashToken } from '../../src/identity/tokens.ts'
import { type RunningService, startService } from '../../src/main.ts'
import { openLog } from '../../src/observe/log.ts'
import { eventually } from '../support/eventually.ts'
import { Api, type TaskJson } from '../support/service/api.ts'
import { tempFolder } from '../support/stores.ts'
import { type ExtendedBrowser, openBrowser } from './browser.ts'

const TASK_MS_MAX = 45_000

/** A service and a shop in this process. */
export interface Services {
  readonly service: RunningService
  readonly shop: Shop
  readonly api: Api
  close(): Promise<void>
}

/** Service, shop and a Chromium with the extension. */
export interface Scene extends Services {
  readonly browser: ExtendedBrowser
}

/** Everything in this process but the browser; the model plays the demo's script unless another one is given. */
export async function openScene(
  model?: Model,
  options?: Parameters<typeof openBrowser>[0],
  settings: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  const [services, browser] = await Promise.all([openServices(model, settings), openBrowser(options)])
  return {
    ...services,
    browser,
    async close() {
      await browser.close()
      await services.close()
    },
  }
}

/** As `openScene`, without a browser. */
export async function openServices(model?: Model, settings: Readonly<Record<string, string>> = {}): Promise<Services> {
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    RELAY_PORT: '0',
    DATA_DIR: tempFolder(),
    LLM_SCRIPT: DEMO_SCRIPT,
    LOG_LEVEL: 'silent',
    ...settings,
  })
  const log = openLog({ level: 'silent' })
  const [service, shop] = await Promise.all([startService({ config, log, ...(model ? { model } : {}) }), openShop()])
  return {
    service,
    shop,
    api: new Api(service.url, service.firstKey ?? ''),
    async close() {
      await Promise.all([service.stop(), shop.close()])
    },
  }
}

/** The address of a fresh pairing page. */
export async function pairingUrl(api: Api, label = 'test'): Promise<string> {
  const { json } = await api.post('/v1/browser-sessions/pair', { label })
  return json.pairing_url
}

/** The address of a pairing page whose time is over. */
export async function expiredUrl({ api, service }: Pick<Scene, 'api' | 'service'>): Promise<string> {
  const url = await pairingUrl(api)
  const { pairings } = service.store
  const record = await pairings.consume(hashToken(url.split('/').at(-1) ?? ''))
  if (!record) throw new Error('There is no such pairing')
  await pairings.insert({ ...record, expiresAt: Date.now() - 1 })
  return url
}

/** Presses a button by which its window closes: the window may be gone before Playwright knows of the click. */
export async function pressAndClose(window: Page, name: string): Promise<void> {
  const closed = window.waitForEvent('close')
  const pressed = window.getByRole('button', { name, exact: true }).click()
  await Promise.all([closed, pressed.catch(() => {})])
}

/** Pairs by the two clicks of a person; resolves to the session when it is connected. */
export async function pair({ browser, api }: Pick<Scene, 'browser' | 'api'>): Promise<string> {
  const page = await browser.context.newPage()
  await page.goto(await pairingUrl(api))
  await page.getByRole('button', { name: 'Pair this browser' }).click()
  const consent = await browser.page('consent.html')
  await consent.getByText('default', { exact: true }).waitFor()
  await pressAndClose(consent, 'Pair')
  await page.locator('[data-browser-tasks=done]').waitFor({ state: 'attached' })
  await page.close()
  return connected(api)
}

/** The id of the connected session, once there is one. */
export async function connected(api: Api): Promise<string> {
  let id = ''
  await eventually(
    async () => {
      const { json } = await api.get('/v1/browser-sessions')
      id = json.sessions.find(({ status }: { status: string }) => status === 'connected')?.id ?? ''
      return id !== ''
    },
    'a connected session',
    20_000,
  )
  return id
}

/** Starts a task; resolves to its id. */
export async function start(api: Api, sessionId: string, task: string, more: object = {}): Promise<string> {
  const { status, json } = await api.start(sessionId, task, more)
  assert.is(status, 201, JSON.stringify(json))
  return json.id
}

/** The task when it has ended. */
export async function ended(api: Api, id: string, ms = TASK_MS_MAX): Promise<TaskJson> {
  await eventually(async () => (await api.task(id)).status !== 'running', 'the end of the task', ms)
  return api.task(id)
}

/** Whether it comes true soon. */
export const comesTrue = (check: () => Promise<boolean>): Promise<boolean> =>
  eventually(check, 'what may not come', 2_000).then(
    () => true,
    () => false,
  )
