import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskEvent } from '../../machines/task-types.ts'
import { aCall, answered, aTask, called, kept, outcome } from '../support/task-events.ts'

const test = suite('task limits')

/** So many steps of one refused call each; every one another, lest it counts as no progress. */
const steps = (count: number) =>
  Array.from({ length: count }, (_, i) => called(aCall({ refusal: 'no', input: { query: String(i) } })))

test('[L2] after fifty steps it ends with the last words, and the calls of the fiftieth are made', () => {
  const it = aTask(...steps(49))
  assert.is(it.state(), 'thinking')
  it.send(called(aCall({ requestId: 'last' })))
  assert.is(it.state(), 'persistingIntent')
  it.send(kept(), kept(), outcome('last'))
  const { endedBy, status, failure, answer } = it.output() ?? {}
  assert.equal([endedBy, status, failure, answer, it.output()?.steps], ['step_limit', 'error', null, 'I look.', 50])
})

test('[L2] without any words it says that the limit was reached; an answer at step fifty completes', () => {
  const silent = (event: TaskEvent) => ({ ...event, text: '' }) as TaskEvent
  assert.is(aTask(...steps(50).map(silent)).output()?.answer, 'Task did not complete within the step limit.')
  assert.is(aTask(...steps(49), answered('Just in time.')).output()?.endedBy, 'completed')
})

/** The same call so many times, each with its result. */
const repeated = (results: readonly unknown[], input = { query: 'tea' }) => {
  const it = aTask()
  for (const result of results) {
    if (it.done()) break
    const call = aCall({ input })
    it.send(called(call))
    if (it.state() === 'persistingIntent') it.send(kept())
    if (it.state() === 'persistingIntent') it.send(kept())
    if (it.state() === 'acting') it.send(outcome(call.requestId, result))
  }
  return it
}
const notes = (it: ReturnType<typeof aTask>) =>
  it.did('recordResult').map((params) => (params as { note: string | null }).note !== null)

test('[L9] the third same call with the same result tells the model once', () => {
  assert.equal(notes(repeated(['a', 'a', 'a', 'a', 'a'])), [false, false, true, false, false])
})

test('[L9] another result or another call begins the count anew', () => {
  assert.equal(notes(repeated(['a', 'a', 'b', 'b', 'b'])), [false, false, false, false, true])
  const it = repeated(['a', 'a'])
  const other = aCall({ input: { query: 'coffee' } })
  it.send(called(other), kept(), outcome(other.requestId, 'a'))
  assert.equal(
    it.did('recordResult').map((params) => (params as { note: string | null }).note),
    [null, null, null],
  )
})

test('[L10 T36] the sixth same call is not executed and ends it', () => {
  const it = repeated(['a', 'a', 'a', 'a', 'a', 'a'])
  assert.is(it.did('openCall').length, 5)
  const { endedBy, status, failure, answer } = it.output() ?? {}
  assert.equal([endedBy, status, failure], ['no_progress', 'error', null])
  assert.is(answer, 'The task was ended because the same action was repeated without progress.')
})

test.run()
