import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ENTRY } from '../support/built.ts'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, openJobModel } from '../support/service/model.ts'
import { openService, type TestService } from '../support/service.ts'

/** It does not wait for the holder. How fast a process starts is a matter of the machine: 0.8 s on a quiet one, seconds on a busy one. */
const REFUSED_MS_MAX = 9_000
const ENDED_MS_MAX = 60_000
const portOf = (url: string) => new URL(url).port

/** One process owns a store, as the processes themselves show it. `named`: the store as the refused one names it. */
export async function ownerSuite(
  name: string,
  env: Readonly<Record<string, string>>,
  named: (service: TestService) => string,
  after: () => Promise<void> = async () => {},
): Promise<void> {
  const test = suite(`one service for one store: ${name}`)
  const model = await openJobModel()
  const service = await openService({ env: { ...model.env, ...env } })
  const { api } = service
  const browsers: TestBrowser[] = []

  /** Runs a command in the folder of the service, with settings of its own. */
  async function run(command: readonly string[], settings: Readonly<Record<string, string>>) {
    const { PATH = '', HOME = '' } = process.env
    const all = {
      PATH,
      HOME,
      HOST: '127.0.0.1',
      DATA_DIR: service.dataDir,
      LOG_LEVEL: 'warn',
      ...model.env,
      ...env,
      ...settings,
    }
    const at = performance.now()
    const child = spawn(process.execPath, [ENTRY, ...command], { env: all, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    // One that stays is ended: what it has printed says more than a test that never ends.
    const timer = setTimeout(() => child.kill('SIGKILL'), ENDED_MS_MAX)
    const [code] = await once(child, 'close')
    clearTimeout(timer)
    return { code, output, ms: performance.now() - at }
  }

  async function opened() {
    const session = await api.pair()
    const browser = await TestBrowser.open({
      relayPort: session.relayPort,
      token: session.token,
      answer: () => ({ ms: 50 }),
    })
    browsers.push(browser)
    return { session, browser }
  }

  test('[D16] a second service ends in a line that names the first, whose task goes on', async () => {
    const { session, browser } = await opened()
    const job = { name: 'owned', steps: 12, ms: 200 }
    const id = await started(api, session.id, job)
    await eventually(() => browser.calls.length > 0, 'the first call')
    const same = { PORT: portOf(service.url), RELAY_PORT: String(service.relayPort) }
    for (const ports of [same, { PORT: '0', RELAY_PORT: '0' }]) {
      const { code, output, ms } = await run(['serve'], ports)
      assert.is(code, 1)
      const line = `${named(service)} is in use by process ${service.pid}, which listens at ${service.url}\n`
      assert.is(output, line)
      assert.ok(ms < REFUSED_MS_MAX, `${ms} ms`)
    }
    const task = await finished(api, id)
    assert.equal([task.status, task.answer, task.steps], ['complete', answerOf(job), 13])
    assert.equal(
      [...browser.executed.values()],
      Array.from({ length: 12 }, () => 1),
    )
  })

  test('[D16] keys and inspect work beside the service', async () => {
    const made = await run(['keys', 'create', '--workspace', 'default', '--name', 'beside'], {})
    assert.is(made.code, 0, made.output)
    const listed = await run(['keys', 'list'], {})
    assert.match(listed.output, 'beside')
    const inspected = await run(['inspect', '--url', service.url], {})
    assert.is(inspected.code, 0, inspected.output)
  })

  test('[D16] kill -9, a start whose port is taken, a good start: the task goes on', async () => {
    const { session, browser } = await opened()
    const job = { name: 'taken', steps: 4, ms: 300 }
    const id = await started(api, session.id, job)
    await eventually(() => browser.calls.length > 0, 'the first call')
    await service.kill()
    for (const port of [Number(portOf(service.url)), service.relayPort]) {
      const other = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1')
      await once(other, 'listening')
      service.spawn()
      assert.equal(await service.ended(), { code: 1, signal: null })
      assert.match(service.output, `Port ${port} on 127.0.0.1 is in use\n`)
      other.close()
      await once(other, 'close')
    }
    service.spawn({ SCHEDULE_FILE: '/nowhere/schedule.json' })
    assert.equal(await service.ended(), { code: 1, signal: null })
    service.spawn({ SCHEDULE_FILE: '' })
    await service.answers()
    const task = await finished(api, id)
    assert.equal([task.status, task.answer, task.steps], ['complete', answerOf(job), 5])
    assert.ok([...browser.executed.values()].every((times) => times === 1))
  })

  test.after(async () => {
    // Also those of a test that failed: a browser that is left would keep this process alive.
    for (const browser of browsers) browser.disconnect()
    await service.stop()
    await model.endpoint.close()
    await after()
  })
  test.run()
}
