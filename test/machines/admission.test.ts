import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { admissionMachine } from '../../machines/admission.ts'
import type { AdmissionEvent, Facts } from '../../machines/admission-types.ts'
import { ALLOWANCE_READS_MAX, ALLOWANCE_WAIT_MS } from '../../machines/limits.ts'
import type { Door } from '../../machines/records.ts'
import { alone } from '../support/machine.ts'
import { walk } from '../support/walk.ts'

const test = suite('admission')

const INPUT = { admissionId: 'a1', workspaceId: 'w1', taskId: 't1', sessionId: 's1', door: 'http' } as const
const facts: Facts = { allowance: { freeRemaining: null, creditBalance: 0 }, slotVersion: 0, session: 'missing' }
const found: AdmissionEvent = { type: 'facts.found', facts, at: 7 }
const refusal = { code: 'rate_limited', message: 'Slowly.', allowance: null, retryAfterSeconds: 4 } as const
const crashed: AdmissionEvent = { type: 'effect.crashed', message: 'the store is away', at: 9 }

const anAdmission = (...events: AdmissionEvent[]) => {
  const it = alone(admissionMachine, INPUT)
  it.send(...events)
  return it
}

for (const door of ['http', 'relay', 'internal'] as const satisfies readonly Door[])
  test(`[T14] what was looked up is decided by the workspace in one event, through the door ${door}`, () => {
    const it = alone(admissionMachine, { ...INPUT, door })
    it.send(found)
    const event = { type: `admission.${door}`, admission: 'admission:a1', taskId: 't1', facts, final: false, at: 7 }
    assert.equal(it.posts(), [{ to: 'workspace:w1', event }])
    assert.is(it.state(), 'deciding')
  })

test('[T22] it is granted only when its record is kept, and then its task begins', () => {
  const it = anAdmission(found, { type: 'admission.granted' })
  assert.is(it.state(), 'persisting')
  assert.not(it.done())
  it.send({ type: 'record.kept' })
  assert.equal(it.output(), { granted: true })
  assert.equal(it.posts().at(-1), { to: 'workspace:w1', event: { type: 'task.begin', taskId: 't1' } })
})

test('[E1] a refusal is its answer', () => {
  assert.equal(anAdmission(found, { type: 'admission.refused', refusal }).output(), { granted: false, refusal })
})

for (const [event, code] of [
  [crashed, 'internal'],
  [{ ...crashed, storeAway: true }, 'store_away'],
] as const) {
  test(`[D22 E6] facts that cannot be looked up: ${code}, and nothing is asked of the workspace`, () => {
    const it = anAdmission(event)
    assert.equal(it.output()?.granted === false && it.output()?.refusal.code, code)
    assert.equal(it.posts(), [])
  })

  test(`[D22 E6] a record that cannot be kept: ${code}, and the workspace takes its place back`, () => {
    const it = anAdmission(found, { type: 'admission.granted' }, event)
    assert.equal(it.output()?.granted === false && it.output()?.refusal.code, code)
    const given = { type: 'start.failed', taskId: 't1', sessionId: 's1', message: 'the store is away', at: 9 }
    assert.equal(it.posts().at(-1), { to: 'workspace:w1', event: given })
  })
}

test('[B3 B4] a stale allowance is looked up again after its pause, so many times, and the last look is final', () => {
  const it = anAdmission()
  for (let look = 1; look < ALLOWANCE_READS_MAX; look++) {
    it.send(found, { type: 'admission.stale' })
    it.clock.increment(ALLOWANCE_WAIT_MS - 1)
    assert.is(it.state(), 'waitingForCharge')
    it.clock.increment(1)
    assert.is(it.did('lookUp').length, look + 1)
  }
  it.send(found)
  const finals = it.posts().map((post) => (post as { event: { final: boolean } }).event.final)
  assert.is(finals.indexOf(true), ALLOWANCE_READS_MAX - 1)
  it.send({ type: 'admission.stale' })
  assert.is(it.state(), 'deciding')
})

test('every path ends granted or refused, and only a kept record is granted', () => {
  const walked = walk(admissionMachine, {
    input: INPUT,
    events: [
      found,
      crashed,
      { type: 'admission.stale' },
      { type: 'admission.granted' },
      { type: 'admission.refused', refusal },
      { type: 'record.kept' },
    ],
    key: ({ value, context }) => `${value} ${Math.min(context.reads, 2)} ${context.refusal?.code}`,
    check: ({ snapshot, path }) => {
      if (snapshot.status !== 'done') return
      assert.is(snapshot.output?.granted, path.at(-1) === 'record.kept', path.join(' → '))
    },
  })
  assert.equal(walked.unreached, [])
})

test.run()
