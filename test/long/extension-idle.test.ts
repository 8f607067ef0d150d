import { type ChildProcess, spawn } from 'node:child_process'
import * as assert from 'uvu/assert'
import { MINUTE_MS } from '../../machines/limits.ts'
import { EXTENSION_WAKE_EVERY_MS } from '../../src/extension/limits.ts'
import { argsFor, CHROMIUM, extensionSuite } from '../extension/browser.ts'
import { call, modelOf } from '../extension/playing.ts'
import { connected, ended, openScene, pair, start } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'

const IDLE_MS = 4 * MINUTE_MS

let url = ''
const model = modelOf((turn) => (turn === 0 ? call('navigate', { url }) : { answer: 'Awake.' }))

/**
 * The browser runs by itself, as it does at home: somebody who watches the worker, as a test with a debugger does,
 * keeps it awake. Only the service is asked how it is.
 */
const test = extensionSuite(
  'an extension that is idle',
  () => openScene(model),
  (scene) => scene.close(),
)

test('a worker that was stopped while nothing happened is woken by its alarm, and connects again', async ({
  api,
  browser,
}) => {
  await pair({ api, browser })
  const protocol = await browser.context.newCDPSession(await browser.open('options.html'))
  await protocol.send('ServiceWorker.enable')
  await protocol.send('ServiceWorker.stopAllWorkers')
  // Nothing is touched from here on: a tab that comes or goes would wake it, too.
  await eventually(async () => (await statusOf(api)) === 'disconnected', 'the worker to be gone', 20_000)
  await eventually(async () => (await statusOf(api)) === 'connected', 'the alarm', 2 * EXTENSION_WAKE_EVERY_MS)
})

test('[R4] four minutes after it was last asked for anything it is still connected, and a task starts at once', async (scene) => {
  const { api, shop, browser } = scene
  url = shop.url
  const session = await connected(api)
  const { extension, profile } = browser.folder
  await browser.context.close()
  await eventually(async () => (await statusOf(scene.api)) === 'disconnected', 'the browser to be gone', 20_000)
  const alone = spawn(
    CHROMIUM ?? '',
    ['--headless=new', `--user-data-dir=${profile}`, ...argsFor(extension), 'about:blank'],
    { stdio: 'ignore' },
  )
  try {
    assert.is(await connected(api), session)
    const seen: string[] = []
    const end = Date.now() + IDLE_MS
    while (Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      seen.push(await statusOf(api))
    }
    assert.equal([...new Set(seen)], ['connected'])
    const id = await start(api, session, 'Are you awake?')
    const task = await ended(api, id)
    assert.is(task.answer, 'Awake.')
    // It was never waited for: a call that finds no browser waits or fails, and the answer comes a step later.
    assert.is(task.steps, 2)
  } finally {
    await endOf(alone)
  }
})

async function statusOf(api: Parameters<typeof connected>[0]): Promise<string> {
  const { json } = await api.get('/v1/browser-sessions')
  return json.sessions[0]?.status
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill()
  })
}

await test.run()
