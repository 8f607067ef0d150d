import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { runBrowser } from '../../src/browser/headless.ts'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/main.ts'
import { openLog } from '../../src/observe/log.ts'
import { call, modelOf } from '../extension/playing.ts'
import { endChromium, noChromium, pageOf, startChromium } from '../observe/inspector/world.ts'
import { eventually } from '../support/eventually.ts'
import { Api } from '../support/service/api.ts'
import { tempFolder } from '../support/stores.ts'
import { isPicture, serveClock, watchTask } from '../support/watching.ts'

const test = suite('the live view, in Chromium')

/** Frames of the relay that browsers in this process send. */
const sent: string[] = []
const send = WebSocket.prototype.send as (...given: unknown[]) => void
Object.assign(WebSocket.prototype, {
  send(this: WebSocket, ...given: unknown[]) {
    const type = /^\{"type":"(\w+)"/.exec(String(given[0]))?.[1]
    if (type) sent.push(type)
    send.apply(this, given)
  },
})
const liveFrames = () => sent.filter((type) => type === 'live_frame').length
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function look(): Promise<void> {
  const clock = await serveClock()
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    RELAY_PORT: '0',
    DATA_DIR: tempFolder(),
    LLM_SCRIPT: 'given',
  })
  const steps = [
    call('navigate', { url: clock.url }),
    call('find', { query: 'Go' }),
    call('computer', { action: 'left_click', coordinate: [20, 90] }),
    ...Array.from({ length: 3 }, () => call('computer', { action: 'wait', duration: 8 })),
  ]
  // It takes its time, as a model does: of calls that follow at once only the last gets a picture.
  const model = modelOf(async (turn) => {
    await pause(300)
    return steps[turn] ?? { answer: 'Seen.' }
  })
  const service = await startService({ config, log: openLog({ level: 'silent' }), model })
  const key = service.firstKey ?? ''
  const api = new Api(service.url, key)
  const pairing = await api.post('/v1/browser-sessions/pair', { label: 'Office' })
  const headless = await runBrowser({
    serviceUrl: service.url,
    pairingToken: pairing.json.pairing_token,
    log: () => {},
  })
  const browser = await startChromium()
  try {
    const session = async () => (await api.get('/v1/browser-sessions')).json.sessions[0]
    await eventually(async () => (await session()).status === 'connected', 'the browser', 20_000)
    const { json } = await api.start((await session()).id, 'Watch the clock')
    await eventually(async () => (await api.task(json.id)).steps >= 4, 'the waiting', 30_000)
    // Nobody looks: nothing is sent.
    await pause(1_000)
    assert.is(liveFrames(), 0)

    const cpu = process.cpuUsage()
    const watching = await watchTask(service.url, key, json.id)
    const begun = Date.now()
    await pause(5_000)
    const seconds = (Date.now() - begun) / 1_000
    const { user, system } = process.cpuUsage(cpu)
    const rate = watching.seen.length / seconds
    const load = (user + system) / 1_000 / seconds / 10
    const kb = watching.bytes() / 1_024 / seconds
    console.log(`live: ${rate.toFixed(1)} frames/s, ${kb.toFixed(0)} KB/s, ${load.toFixed(1)} % of a core`)
    assert.ok(rate > 0.8 && rate <= 4.5, `${rate} frames/s`)
    assert.ok(watching.seen.every(({ jpeg }) => isPicture(jpeg)))
    watching.stop()
    await pause(600)
    const stopped = liveFrames()
    await pause(1_000)
    assert.is(liveFrames(), stopped)

    // The same on the page of the task, without a reload from start to end.
    const { page } = await pageOf(browser, service.url, key)
    await page.goto(`${service.url}/dashboard/tasks/${json.id}`)
    await page.waitForSelector('canvas:not([hidden])')
    await page.waitForSelector('.badge >> text=Live')
    assert.ok(liveFrames() > stopped)
    await api.post(`/v1/tasks/${json.id}/cancel`)
    await page.waitForSelector('.badge >> text=Stopped')
    await page.waitForSelector('canvas', { state: 'hidden' })
    const events = (await api.get(`/v1/tasks/${json.id}/events?types=picture.taken`)).json.events
    assert.ok(events.length >= 2, `${events.length} pictures`)
    await page.waitForSelector(`button.picture img[src$="/${events.at(-1).picture}"]`)
    assert.is((await watchTask(service.url, key, json.id)).status, 204)
  } finally {
    await endChromium(browser)
    await headless.close()
    await service.stop()
    clock.close()
  }
}

const NAME =
  '[R52] [R53] [R54] a task is watched while somebody looks, its pictures are kept, and nobody looking costs nothing'
if (noChromium === null) test(NAME, look)
else console.log(`SKIPPED 1 ${noChromium}`)
test.run()
