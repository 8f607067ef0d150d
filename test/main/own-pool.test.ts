import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openOwnPool } from '../../src/main/own-pool.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/scene/log.ts'

const test = suite('the browsers of the service')
// What the pool waits for keeps no process alive.
const alive = setInterval(() => {}, 1_000)
test.after(() => clearInterval(alive))

const CONNECTS = 'process.send("connected"); setInterval(() => {}, 1000)'
const FAILS = 'console.error("No browser was found."); process.exit(1)'

const spawned = (script: string): ChildProcess =>
  spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })

function aPool(browsers: number, scripts: readonly string[], begin = spawned) {
  const started: ChildProcess[] = []
  const tokens: string[] = []
  const { log } = quietLog()
  const pool = openOwnPool({
    browsers,
    url: 'http://127.0.0.1:1',
    log,
    pairings: {
      create: async ({ workspaceId, pool: of }) => {
        await new Promise(setImmediate)
        tokens.push(`${workspaceId} ${of?.pool} ${of?.places}`)
        return { token: 'svc_pair_x', expiresAt: 0 }
      },
    },
    start: () => {
      const script = scripts[Math.min(started.length, scripts.length - 1)] ?? ''
      const child = begin(script)
      started.push(child)
      return child
    },
  })
  return { pool, started, tokens }
}
const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

test('[Z4] they are started when a task needs one, once for all that need one at the same time, and for each workspace', async () => {
  const it = aPool(2, [CONNECTS])
  await Promise.all([it.pool.need('w1'), it.pool.need('w1')])
  await it.pool.need('w1')
  assert.equal(it.tokens, ['w1 default 4', 'w1 default 4'])
  await it.pool.need('w2')
  assert.is(it.started.length, 4)
  assert.ok(it.started.every(isRunning))
  await it.pool.close()
  assert.not(it.started.some(isRunning), 'they end with the service')
  await it.pool.need('w1')
  assert.is(it.started.length, 4)
})

test('[Z4] one that has ended is started again when a task needs it, and after a failure later', async () => {
  const it = aPool(1, [FAILS, CONNECTS])
  const begun = performance.now()
  await it.pool.need('w1')
  await eventually(() => !isRunning(it.started[0] as ChildProcess), 'its end')
  await it.pool.need('w1')
  assert.ok(performance.now() - begun >= 1_000)
  assert.is(it.started.length, 2)
  assert.ok(isRunning(it.started[1] as ChildProcess))
  await it.pool.close()
})

/** A browser that is connected at once, without a process. */
const instant = (): ChildProcess => {
  const child = Object.assign(new EventEmitter(), {
    exitCode: null,
    signalCode: null,
    kill: () => child.emit('exit', 0),
  })
  setImmediate(() => child.emit('message', 'connected'))
  return child as unknown as ChildProcess
}

test('[Z4] at most 20 run for all workspaces together, also when many need them at the same time', async () => {
  const it = aPool(3, [''], instant)
  await Promise.all(Array.from({ length: 10 }, (_, n) => it.pool.need(`w${n}`)))
  assert.is(it.started.length, 20)
  await it.pool.close()
})

test.run()
