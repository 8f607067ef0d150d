import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskEvent } from '../../machines/task-types.ts'
import { ANSWERS, TO_MODEL } from '../../machines/texts.ts'
import { aCall, answered, aTask, called, kept, outcome } from '../support/task-events.ts'

const test = suite('task limits')

/** So many steps of one call each; every one another, lest it counts as no progress. */
const steps = (count: number, text = 'I look.') =>
  Array.from({ length: count }, (_, i) => {
    const call = aCall({ input: { query: String(i) } })
    return [{ ...called(call), text } as TaskEvent, kept(), kept(), outcome(call.requestId)]
  }).flat()
const failing = (count: number) =>
  Array.from({ length: count }, (_, i) => called(aCall({ refusal: 'No such field.', input: { query: String(i) } })))

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
  assert.is(aTask(...steps(50, '')).output()?.answer, 'Task did not complete within the step limit.')
  assert.is(aTask(...steps(49), answered('Just in time.')).output()?.endedBy, 'completed')
})

/** The same call so many times, each with its result. */
const repeated = (results: readonly unknown[]) => {
  const it = aTask()
  for (const result of results) {
    if (it.done()) break
    const call = aCall({ tool: 'computer', input: { action: 'left_click', ref: 'e1' } })
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

test('[L40] the fifth failing call in a row is noted, with the twelfth the task ends', () => {
  const it = aTask(...failing(11))
  assert.equal(
    it.did('recordResult').map((params) => (params as { note: string | null }).note),
    Array.from({ length: 11 }, (_, i) => (i === 4 ? TO_MODEL.failing : null)),
  )
  assert.is(it.state(), 'thinking')
  it.send(...failing(1))
  const { endedBy, status, failure, answer } = it.output() ?? {}
  assert.equal([endedBy, status, failure, answer], ['no_progress', 'error', null, ANSWERS.onlyFails])
})

test('[L40] one that succeeds begins the count anew', () => {
  assert.is(aTask(...failing(11), ...steps(1), ...failing(11)).state(), 'thinking')
})

test('[L40] a page may be waited for again and again', () => {
  const it = aTask()
  for (let n = 0; n < 30; n++) {
    const call = aCall({ tool: 'computer', input: { action: 'wait', duration: 1 } })
    it.send(called(call), kept(), kept(), outcome(call.requestId, 'Waited 1 s.'))
  }
  assert.is(it.state(), 'thinking')
})

test.run()
