import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { taskMachine } from '../../../machines/task.ts'
import type { TaskEvent } from '../../../src/client/index.ts'
import { momentsOf, stateChangesOf } from '../../../src/web/client/inspector/moments.ts'

const test = suite('moments of a replay')
let seq = 0
const event = (at: number, type: TaskEvent['type'], more: object = {}) =>
  ({ seq: ++seq, at, type, task_id: 't', ...more }) as TaskEvent

const LOG = [
  event(10, 'task.state', { state: 'thinking' }),
  event(10, 'step.started', { step: 1 }),
  event(20, 'model.replied', { step: 1, text: 'I search.', model: 'm', usage: {} }),
  event(20, 'tool.called', { step: 1, call_id: 'c', tool: 'find', input: { query: 'tea' } }),
  event(21, 'task.state', { state: 'acting' }),
  event(30, 'tool.result', {
    step: 1,
    call_id: 'c',
    tool: 'find',
    output: 'tea',
    duration_ms: 9,
    has_screenshot: false,
  }),
  event(30, 'task.state', { state: 'thinking' }),
  event(30, 'step.started', { step: 2 }),
  event(40, 'model.replied', { step: 2, text: 'Done.', model: 'm', usage: {} }),
  event(41, 'task.ended', { status: 'complete', ended_by: 'completed', answer: 'Done.' }),
]
const shown = (moments: ReturnType<typeof momentsOf>) =>
  moments.map(({ states, event, story }) => [
    states.at(-1),
    event,
    story.steps.map(({ text, calls }) => [text, ...calls.map(({ output }) => output)].join(' ')).join(' | '),
  ])

test('[P18] each transition has what had been said and done by then', () => {
  const moves = [
    [10, 'begin', ['running', 'running.askingModel.thinking']],
    [20, 'model.requestedTools', ['running', 'running.callingTool.persistingIntent']],
    [22, 'intent.kept', ['running', 'running.callingTool.acting']],
    [30, 'call.settled', ['running', 'running.askingModel.thinking']],
    [40, 'model.answered', ['ended']],
  ] as const
  assert.equal(shown(momentsOf(moves, LOG)), [
    ['running.askingModel.thinking', 'begin', ''],
    ['running.callingTool.persistingIntent', 'model.requestedTools', 'I search. '],
    ['running.callingTool.acting', 'intent.kept', 'I search. '],
    ['running.askingModel.thinking', 'call.settled', 'I search. tea | '],
    ['ended', 'model.answered', 'I search. tea | Done.'],
  ])
})

test('[P18] transitions of the same millisecond each have what led to them, and not what came after', () => {
  const at = (event: TaskEvent) => ({ ...event, at: 10 })
  const moves = [
    [10, 'begin', ['running', 'running.askingModel.thinking']],
    [10, 'model.requestedTools', ['running', 'running.callingTool.persistingIntent']],
    [10, 'intent.kept', ['running', 'running.callingTool.acting']],
    [10, 'call.settled', ['running', 'running.askingModel.thinking']],
    [10, 'model.answered', ['ended']],
  ] as const
  assert.equal(
    shown(momentsOf(moves, LOG.map(at))).map(([, , said]) => said),
    ['', 'I search. ', 'I search. ', 'I search. tea | ', 'I search. tea | Done.'],
  )
})

test('[P18] a reply of the millisecond before the transition that it caused is not told earlier', () => {
  const moves = [
    [10, 'begin', ['running', 'running.askingModel.thinking']],
    [11, 'model.requestedTools', ['running', 'running.callingTool.persistingIntent']],
    [12, 'model.answered', ['ended']],
  ] as const
  const log = LOG.slice(0, 4).map((event) => ({ ...event, at: 10 }))
  assert.equal(
    shown(momentsOf(moves, log)).map(([, , said]) => said),
    ['', 'I search. ', 'I search. '],
  )
})

test('[P18] what happened before a restart, of which no trace was kept, is told by the log', () => {
  const moves = [
    [35, 'begin', ['running', 'running.askingModel.thinking']],
    [40, 'model.answered', ['ended']],
  ] as const
  assert.equal(
    shown(momentsOf(moves, LOG)).map(([state]) => state),
    [
      'running.askingModel.thinking',
      'running.callingTool.acting',
      'running.askingModel.thinking',
      'running.askingModel.thinking',
      'ended',
    ],
  )
  // Nor of a task that ended before anything was recorded.
  assert.equal(
    shown(momentsOf([], LOG)).map(([state]) => state),
    ['running.askingModel.thinking', 'running.callingTool.acting', 'running.askingModel.thinking', 'ended'],
  )
})

test('[P18] a state that the log alone tells of is one of the machine, so that its drawing can show it', () => {
  const states = ['queued', 'thinking', 'backingOff', 'acting', 'waitingForBrowser', 'waitingForInput', 'paused']
  const log = ['changingBrowser', 'reconciling', ...states].map((state) => event(1, 'task.state', { state }))
  for (const { states: paths } of momentsOf([], log)) {
    const path = paths.at(-1) ?? ''
    assert.equal(taskMachine.getStateNodeById(`task.${path}`).path.join('.'), path)
  }
  // As an earlier version noted it.
  const [earlier] = momentsOf([[10, 'begin', ['running', 'running.serving']]], [])
  assert.equal(earlier?.states, ['running', 'running.callingTool', 'running.callingTool.serving'])
})

test('[P18] time begins when a task was started, and a call that goes on during a pause is counted as a call', () => {
  const call = { call_id: 'c', tool: 'find', step: 1 }
  const log = [
    event(1, 'task.created', { task: 'tea' }),
    event(2, 'task.state', { state: 'acting' }),
    event(3, 'tool.called', { ...call, input: {} }),
    event(4, 'task.state', { state: 'paused' }),
    event(9, 'tool.result', { ...call, output: '', duration_ms: 6 }),
    event(12, 'task.state', { state: 'thinking' }),
  ]
  assert.equal(
    stateChangesOf(log).map(({ at, states }) => [at, states.at(-1)?.split('.').at(-1)]),
    [
      [1, 'starting'],
      [2, 'acting'],
      [4, 'acting'],
      [9, 'paused'],
      [12, 'thinking'],
    ],
  )
})

test.run()
