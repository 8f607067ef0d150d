import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskEvent } from '../../src/client/index.ts'
import { EMPTY, longWaitMs, piecesOf, timesOf, told } from '../../src/web/client/task/story.ts'

const test = suite('what a task page tells')

let seq = 0
const event = (type: string, at: number, more: object = {}) =>
  ({ task_id: 't', seq: ++seq, type, at, step: 1, ...more }) as unknown as TaskEvent
const storyOf = (...events: TaskEvent[]) => events.reduce(told, EMPTY)
const finish = { call_id: 'c1', tool: 'finish', input: { success: true, answer: 'It costs 12.' } }

test('[P10 L25] a checked answer is a note, and the finish that counts is done', () => {
  const { steps } = storyOf(
    event('step.started', 0),
    event('model.replied', 10, { text: '', model: 'm' }),
    event('answer.checked', 10, { answer: 'It costs 11.' }),
    event('step.started', 20, { step: 2 }),
    event('model.replied', 30, { step: 2, text: '', model: 'm' }),
    event('tool.called', 30, { ...finish, step: 2 }),
    event('tool.result', 30, { ...finish, step: 2, output: 'The task has ended.', duration_ms: 0 }),
    event('task.ended', 40, { status: 'complete' }),
  )
  assert.equal(
    steps.map(({ calls, notes }) => [calls.map(({ state }) => state), notes.map(({ words }) => words)]),
    [
      [[], ['Checks its answer before it counts']],
      [['done'], []],
    ],
  )
})

test('[P10] waiting for the user is no time of the tools, neither for a question nor for an approval', () => {
  const story = storyOf(
    event('step.started', 0),
    event('model.replied', 1_000, { text: '', model: 'm' }),
    event('tool.called', 1_000, { call_id: 'c', tool: 'computer', input: { action: 'left_click' } }),
    event('input.requested', 1_200, { kind: 'approval', message: 'Pay?' }),
    event('input.answered', 9_200, { action: 'accept' }),
    event('tool.result', 9_700, { call_id: 'c', tool: 'computer', output: 'Clicked', duration_ms: 8_700 }),
  )
  assert.equal(timesOf(piecesOf(story, 0, 10_000)), { model: 1_000, tools: 700, pause: 0, other: 8_300 })
  const asking = { ...story, waits: [{ from: 1_200, to: null }] }
  assert.is(timesOf(piecesOf(asking, 0, 9_700)).tools, 200, 'nor while it still waits')
})

test('[P10] a pause is a piece of its own, also within a call; one that nothing ended lasts until the end', () => {
  const paused = storyOf(
    event('step.started', 0),
    event('model.replied', 1_000, { text: '', model: 'm' }),
    event('tool.called', 1_000, { call_id: 'c', tool: 'computer', input: { action: 'left_click' } }),
    event('task.state', 2_000, { state: 'paused' }),
  )
  const pieces = [
    { kind: 'model', ms: 1_000 },
    { kind: 'tools', ms: 1_000 },
  ]
  assert.equal(piecesOf(paused, 0, 9_000), [...pieces, { kind: 'pause', ms: 7_000 }])
  const ended = told(paused, event('task.ended', 9_000, { status: 'error' }))
  assert.equal(piecesOf(ended, 0, 9_000), [...pieces, { kind: 'pause', ms: 7_000 }])
  const result = { call_id: 'c', tool: 'computer', output: 'Clicked', duration_ms: 5_500 }
  const resumed = [event('task.state', 6_000, { state: 'acting' }), event('tool.result', 6_500, result)]
  assert.equal(piecesOf(resumed.reduce(told, paused), 0, 6_500), [
    ...pieces,
    { kind: 'pause', ms: 4_000 },
    { kind: 'tools', ms: 500 },
  ])
})

test('[P10] a wait or a pause is long by the work alone, however long another wait was', () => {
  assert.is(longWaitMs({ model: 1_300, tools: 3_500, pause: 18_000, other: 331_000 }), 1_200)
})

test('[P10] the bar of a task has every moment once, also those before its first step and within a call that waits', () => {
  const story = storyOf(
    event('step.started', 30_000),
    event('model.replied', 31_000, { text: '', model: 'm' }),
    event('tool.called', 31_000, { call_id: 'a', tool: 'read_page', input: {} }),
    event('tool.result', 33_000, { call_id: 'a', tool: 'read_page', output: '', duration_ms: 2_000 }),
    event('tool.called', 32_000, { call_id: 'b', tool: 'computer', input: { action: 'left_click' } }),
    event('input.requested', 34_000, { kind: 'approval', message: 'Pay?' }),
    event('input.answered', 39_000, { action: 'accept' }),
    event('tool.result', 40_000, { call_id: 'b', tool: 'computer', output: 'Clicked', duration_ms: 8_000 }),
  )
  assert.equal(piecesOf(story, 0, 41_000), [
    { kind: 'other', ms: 30_000 },
    { kind: 'model', ms: 1_000 },
    { kind: 'tools', ms: 3_000 },
    { kind: 'other', ms: 5_000 },
    { kind: 'tools', ms: 1_000 },
    { kind: 'other', ms: 1_000 },
  ])
})

test.run()
