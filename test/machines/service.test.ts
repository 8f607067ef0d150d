import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DRAIN_MS_MAX, RESTART_WINDOW_MS } from '../../machines/limits.ts'
import type { ServiceEvent } from '../../machines/service.ts'
import { serviceMachine } from '../../machines/service.ts'
import { alone } from '../support/machine.ts'
import { walk } from '../support/walk.ts'

const test = suite('service')

const recovered: ServiceEvent = { type: 'service.recovered', at: 0 }
const stop: ServiceEvent = { type: 'service.stop', at: 0 }
const crashed: ServiceEvent = { type: 'effect.crashed', message: 'a bug', at: 0 }
const failed = (at: number): ServiceEvent => ({
  type: 'child.failed',
  address: 'workspace:w1',
  message: 'a bug',
  context: null,
  at,
})
const aService = (...events: ServiceEvent[]) => {
  const it = alone(serviceMachine, undefined)
  it.send(...events)
  return it
}

test('[D7 D10] starts are admitted only while it runs: after all is back, and until it is stopped', () => {
  const it = aService()
  assert.is(it.did('recover').length, 1)
  assert.not(it.snapshot().hasTag('admitting'))
  it.send(recovered)
  assert.ok(it.snapshot().hasTag('admitting'))
  it.send(stop)
  assert.not(it.snapshot().hasTag('admitting'))
  assert.is(it.did('drain').length, 1)
  it.send({ type: 'service.drained', at: 0 })
  assert.equal(it.output(), { failure: null })
})

test('[D10] it drains for eight seconds at most', () => {
  const it = aService(recovered, stop)
  it.clock.increment(DRAIN_MS_MAX - 1)
  assert.is(it.state(), 'draining')
  it.clock.increment(1)
  assert.ok(it.done())
})

test('[D10] a drain that breaks stops it all the same', () => assert.ok(aService(recovered, stop, crashed).done()))

test('what was kept and cannot be read stops the start, and says why', () => {
  assert.equal(aService(crashed).output(), { failure: 'a bug' })
})

test('[D10] stopped while it starts, it is gone at once', () => assert.ok(aService(stop).done()))

for (const [state, way] of [
  ['starting', []],
  ['running', [recovered]],
  ['draining', [recovered, stop]],
] as const)
  test(`[D14] a workspace that breaks while it is ${state} goes on, three times in a minute; then it gives up`, () => {
    const restarts = (it: ReturnType<typeof aService>) =>
      it.did('restart').map((params) => (params as { gaveUp: boolean }).gaveUp)
    const slow = aService(...way, failed(0), failed(1), failed(2), failed(RESTART_WINDOW_MS))
    assert.equal([restarts(slow), slow.context().gaveUp], [[false, false, false, false], []])
    const it = aService(...way, failed(0), failed(1), failed(2), failed(RESTART_WINDOW_MS - 1))
    assert.equal([restarts(it), it.context().gaveUp], [[false, false, false, true], ['workspace:w1']])
    // Broken again, it is left: nothing turns in circles, and it never begins anew.
    it.send(failed(RESTART_WINDOW_MS), failed(10 * RESTART_WINDOW_MS))
    assert.equal([restarts(it).length, it.context().gaveUp], [4, ['workspace:w1']])
    assert.is(it.state(), state)
  })

test('every path ends stopped', () => {
  const events: ServiceEvent[] = [recovered, stop, crashed, { type: 'service.drained', at: 0 }, failed(0)]
  const walked = walk(serviceMachine, { input: undefined, events })
  assert.equal(walked.unreached, [])
  for (const { key, handles } of walked.visits)
    if (key !== 'stopped') assert.ok(handles['service.stop'] || key === 'draining', key)
})

test.run()
