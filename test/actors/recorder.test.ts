import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RECORDS_BYTES_MAX, RECORDS_FLUSH_MS_MAX, RECORDS_WAITING_MAX } from '../../actors/limits.ts'
import { Recorder, seqOf } from '../../actors/recorder.ts'
import { quietLog, SceneClock, SceneStore, settled, THEN } from '../support/scene.ts'
import { aStep } from '../support/stores.ts'

const test = suite('recorder')

function aRecorder() {
  const store = new SceneStore()
  const clock = new SceneClock(THEN)
  const { lines, log } = quietLog()
  return { store, clock, lines, recorder: new Recorder({ store: store.connect().store, log, clock }) }
}
const appends = ({ log }: SceneStore) => log.filter((name) => name === 'steps.append').length

test('[T41] records of one moment are one write, with their screenshots', async () => {
  const { store, recorder } = aRecorder()
  recorder.record(aStep('t', 1))
  recorder.record(aStep('t', 2), { taskId: 't', step: 1, number: 0, image: Buffer.from('x') })
  assert.is(store.steps.size, 0)
  await recorder.flushed()
  assert.equal([appends(store), store.steps.size, store.screenshots.size], [1, 2, 1])
})

test('[T41] flushed waits for what was recorded before it, also while a write is under way', async () => {
  const { store, recorder, clock } = aRecorder()
  recorder.record(aStep('t', 1))
  const first = recorder.flushed()
  await new Promise<void>((resolve) => setImmediate(resolve))
  recorder.record(aStep('t', 2))
  await recorder.flushed()
  assert.is(store.steps.size, 2)
  await first
  await recorder.flushed()
  assert.is(clock.pending, 0)
})

test('[T41] who waits has what it recorded written at once, beside a write that is under way', async () => {
  const { store, recorder } = aRecorder()
  store.fault = () => 'hangs'
  recorder.record(aStep('t', 1))
  await settled()
  store.fault = () => null
  recorder.record(aStep('t', 2))
  await settled()
  assert.is(store.steps.size, 0)
  void recorder.flushed()
  await settled()
  assert.equal([appends(store), store.steps.size], [2, 1])
})

test('[T41] what waits is bounded in bytes, too; what is beyond is counted as lost, and there is room again after it', async () => {
  const { store, recorder } = aRecorder()
  store.fault = () => 'hangs'
  const image = new Uint8Array(RECORDS_BYTES_MAX / 4)
  for (let number = 0; number < 6; number++)
    recorder.record(aStep('t', number), { taskId: 't', step: 1, number, image })
  assert.is(recorder.dropped, 3)
  recorder.record(aStep('t', 7))
  assert.is(recorder.dropped, 3)
  const other = aRecorder()
  for (let number = 0; number < 6; number++) {
    other.recorder.record(aStep('t', number), { taskId: 't', step: 1, number, image })
    await other.recorder.flushed()
  }
  assert.equal([other.recorder.dropped, other.store.screenshots.size], [0, 6])
})

test('[T41] a write that fails is counted, said, and forgotten; the next one is made', async () => {
  const { store, recorder, lines } = aRecorder()
  store.fault = () => 'rejects'
  recorder.record(aStep('t', 1))
  await recorder.flushed()
  store.fault = () => null
  recorder.record(aStep('t', 2))
  await recorder.flushed()
  assert.equal([recorder.dropped, store.steps.size], [1, 1])
  assert.is(lines.filter(({ level }) => level === 'warn').length, 1)
})

test('[T41] a write that hangs is waited for two seconds, no longer', async () => {
  const { store, recorder, clock } = aRecorder()
  store.fault = () => 'hangs'
  recorder.record(aStep('t', 1))
  let done = false
  void recorder.flushed().then(() => {
    done = true
  })
  await clock.advance(RECORDS_FLUSH_MS_MAX - 1)
  assert.not(done)
  await clock.advance(1)
  assert.ok(done)
})

test('[T41] what waits or is being written is bounded: what comes beyond is dropped and counted', async () => {
  const { store, recorder } = aRecorder()
  store.fault = () => 'hangs'
  recorder.record(aStep('t', 0))
  await settled()
  for (let i = 1; i < RECORDS_WAITING_MAX; i++) recorder.record(aStep('t', i))
  assert.is(recorder.dropped, 0)
  void recorder.flushed()
  await settled()
  for (let i = 0; i < 3; i++) recorder.record(aStep('t', RECORDS_WAITING_MAX + i))
  assert.is(recorder.dropped, 3)
})

test('[T40 T51] the place of a record: thinking, then each call’s four in their order, and the ending last', () => {
  const order = [
    seqOf(1, 'thinking'),
    ...[0, 1, 70].flatMap((call) =>
      (['tool_use', 'tool_output', 'screenshot', 'tool_result'] as const).map((status) => seqOf(1, status, call)),
    ),
    seqOf(1, 'complete'),
    seqOf(2, 'thinking'),
  ]
  assert.equal(
    order,
    [...new Set(order)].sort((a, b) => a - b),
  )
})

test.run()
