import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallOutcome, JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { alone } from '../support/machine.ts'

const test = suite('task: how a step and a task finish')

const AT = 5_000
const INPUT = { taskId: 't1', workspaceId: 'w1', sessionId: 's1', requestId: null, deadlineAt: 1_800_000 }
const OPENS = { url: 'https://shop.example/', at: AT }
const aTask = (verify = true) => alone(taskMachine, { ...INPUT, verify })

let ids = 0
const aCall = (tool = 'computer', input: object = {}): JournalCall => ({
  requestId: `r${++ids}`,
  tool,
  input: { ...input },
  refusal: null,
})
const called = (...calls: JournalCall[]): TaskEvent => ({
  type: 'model.requestedTools',
  calls,
  text: '',
  usage: { inputTokens: 1, outputTokens: 1, apiCalls: 1 },
  model: 'm',
  at: AT,
})
const kept: TaskEvent = { type: 'intent.kept', browserInstanceId: 'memory', at: AT }
const done = { status: 'done', output: 'Clicked', screenshot: null } as const
const settled = (call: JournalCall, outcome: CallOutcome = done): TaskEvent => ({
  type: 'call.settled',
  requestId: call.requestId,
  outcome,
  at: AT,
})
type Task = ReturnType<typeof aTask>
/** Steps of one call each that is done, on a page that changes. */
function works(task: Task, steps: number): void {
  for (let step = 0; step < steps; step++) {
    const call = aCall()
    task.send(called(call), kept, kept, settled(call, { ...done, fingerprint: `page ${++ids}` }))
  }
}
const finish = (success: boolean, answer = 'It costs 12.'): JournalCall => ({
  ...aCall('finish', { success, answer }),
  unsourced: ['12'],
})
const results = (task: Task) => task.did('recordResult').map((params) => (params as { outcome: CallOutcome }).outcome)

test('[L24] after a failed call the calls behind it are not executed, and the model thinks again', () => {
  const [pick, order, look] = [aCall('form_input'), aCall(), aCall('read_page')]
  const task = aTask()
  task.send(called(pick, order, look), kept, kept)
  task.send(settled(pick, { status: 'failed', category: 'internal', message: 'There is no option XXL.' }))
  assert.is(task.state(), 'thinking')
  assert.is(task.did('openCall').length, 1)
  const notRun = { status: 'skipped', message: 'Not run: the call before it failed.' }
  assert.equal(results(task).slice(1), [notRun, notRun])
})

test('[L24] so it is behind a call whose input is wrong, and behind one whose outcome is unknown', () => {
  const wrong = aTask()
  wrong.send(called({ ...aCall(), refusal: 'computer: the field "action" is missing.' }, aCall()))
  assert.is(wrong.state(), 'thinking')
  assert.is(wrong.did('openCall').length, 0)
  const lost = aTask()
  const [first, second] = [aCall(), aCall()]
  lost.send(called(first, second), kept, kept, settled(first, { status: 'unknown' }))
  assert.is(lost.state(), 'thinking')
  assert.is(lost.did('openCall').length, 1)
})

for (const halts of ['navigation', 'dialog'] as const)
  test(`[L24] and behind an action that led to a ${halts}`, () => {
    const [click, next] = [aCall(), aCall()]
    const task = aTask()
    task.send(called(click, next), kept, kept, settled(click, { ...done, halts }))
    assert.is(task.state(), 'thinking')
    assert.equal(results(task).at(-1), { status: 'skipped', message: TO_MODEL.notRun[halts] })
  })

test('[L24] the next step runs its calls again', () => {
  const task = aTask()
  const failing = aCall()
  task.send(called(failing), kept, kept, settled(failing, { status: 'failed', category: 'internal', message: 'No.' }))
  const call = aCall()
  task.send(called(call), kept)
  assert.is(task.state(), 'acting')
})

test('[L23 L25] finish ends a task; with success it is checked once first', () => {
  const task = aTask()
  works(task, 3)
  task.send(called(finish(true, 'It costs 11.')))
  assert.is(task.state(), 'thinking')
  assert.is(task.did('recordCheck').length, 1)
  assert.is(results(task).length, 3, 'for people the check is no call')
  task.send(called(finish(true, 'It costs 12.')))
  const { status, answer, endedBy, failure } = task.output() ?? {}
  assert.equal([status, answer, endedBy, failure], ['complete', 'It costs 12.', 'completed', null])
  assert.is(results(task).at(-1)?.status, 'done', 'the finish that counts has a result')
  assert.ok(task.did('openCall').every((params) => (params as { call: JournalCall }).call.tool !== 'finish'))
})

test('[L23 T36] without success it ends as an error that nobody failed at, at once', () => {
  const task = aTask()
  works(task, 3)
  task.send(called(finish(false, 'There is no such tea.')))
  const { status, answer, endedBy, failure } = task.output() ?? {}
  assert.equal([status, answer, endedBy, failure], ['error', 'There is no such tea.', 'gave_up', null])
})

test('[L25] an answer that says nothing but what pages did counts at once', () => {
  const task = aTask()
  works(task, 5)
  task.send(called(aCall('finish', { success: true, answer: 'It costs 12.' })))
  assert.is(task.output()?.endedBy, 'completed')
  assert.is(task.did('recordCheck').length, 0)
})

test('[L47] the address of a task is opened before its model is asked, in step 0, whatever comes of it', () => {
  const begun = () => alone(taskMachine, { ...INPUT, verify: true, opens: OPENS })
  const outcomes: CallOutcome[] = [
    done,
    { status: 'failed', category: 'internal', message: 'No.' },
    { status: 'unknown' },
  ]
  for (const outcome of outcomes) {
    const task = begun()
    assert.is(task.state(), 'persistingIntent')
    assert.is(task.did('ask').length, 0)
    task.send(kept, kept)
    const { call } = task.did('openCall').at(-1) as { call: { requestId: string; tool: string; input: object } }
    assert.equal([call.requestId, call.tool, call.input], ['t1', 'navigate', { url: 'https://shop.example/' }])
    task.send({ type: 'call.settled', requestId: 't1', outcome, at: AT })
    assert.is(task.state(), 'thinking')
    assert.is(task.context().step, 0)
    const next = aCall()
    task.send(called(next), kept)
    assert.is(task.state(), 'acting', 'what came of it halts no call of the first step')
  }
})

test('[L47 D7] after a restart its frame may have left: the browser is asked under the same request id', () => {
  const before = alone(taskMachine, { ...INPUT, verify: true, opens: OPENS })
  before.send(kept, kept)
  const after = alone(taskMachine, { ...INPUT, verify: true, opens: OPENS }, before.kept())
  after.send({ type: 'task.resumed', at: AT })
  assert.is(after.state(), 'reconciling')
  after.send({ type: 'call.settled', requestId: 't1', outcome: done, at: AT })
  assert.is(after.state(), 'thinking')
})

test('[L25] a task of two steps, one at its last step, and one with VERIFY=off are not checked', () => {
  const short = aTask()
  works(short, 1)
  short.send(called(finish(true)))
  assert.ok(short.done())
  const last = aTask()
  works(last, 49)
  last.send(called(finish(true)))
  assert.is(last.output()?.endedBy, 'completed')
  const off = aTask(false)
  works(off, 5)
  off.send(called(finish(true)))
  assert.ok(off.done())
})

test('[L25 D7] a restart while the answer is checked asks the model again, and checks no second time', () => {
  const before = aTask()
  works(before, 3)
  before.send(called(finish(true)))
  const after = alone(taskMachine, { ...INPUT, verify: true }, before.kept())
  after.send({ type: 'task.resumed', at: AT }, called(finish(true)))
  assert.is(after.output()?.endedBy, 'completed')
})

test('[L24 L25] a finish behind a failed call is not run, calls behind a finish that is checked neither', () => {
  const task = aTask()
  works(task, 3)
  const failing = aCall()
  task.send(called(failing, finish(true)), kept)
  task.send(kept, settled(failing, { status: 'failed', category: 'internal', message: 'No.' }))
  assert.is(task.state(), 'thinking')
  task.send(called(finish(true), aCall()))
  assert.is(task.state(), 'thinking')
  assert.equal(results(task).at(-1), { status: 'skipped', message: TO_MODEL.notRun.finish })
})

test('[L26] after 38 steps the model is told how many are left', () => {
  const task = aTask()
  works(task, 40)
  const notes = task.did('recordResult').map((params) => (params as { note: string | null }).note)
  assert.is(notes[37], TO_MODEL.stepsLeft(12))
  assert.is(notes.filter(Boolean).length, 1)
})

for (const [what, input, runs] of [
  ['reads the page', ['read_page', { filter: 'all' }], true],
  ['reads a part by its ref', ['read_page', { ref: 'e3' }], false],
  ['reads its text', ['get_page_text', {}], true],
  ['looks for something', ['find', { query: 'total' }], true],
  ['takes a picture', ['computer', { action: 'screenshot' }], true],
  ['waits', ['computer', { action: 'wait', text: 'Done' }], true],
  ['goes elsewhere', ['navigate', { url: 'https://a.example' }], true],
  ['clicks a ref', ['computer', { action: 'left_click', ref: 'e3' }], false],
  ['clicks a place', ['computer', { action: 'left_click', coordinate: [1, 2] }], false],
  ['presses a key', ['computer', { action: 'key', text: 'Enter' }], false],
  ['types', ['computer', { action: 'type', text: 'Ada' }], false],
  ['runs a script', ['javascript_tool', { text: '1' }], false],
  ['finishes', ['finish', { success: true, answer: 'Done.' }], false],
] as const)
  test(`[L24] behind an action that led to another page, what ${what} is ${runs ? '' : 'not '}run`, () => {
    const [click, next] = [aCall(), aCall(input[0], input[1])]
    const task = aTask()
    task.send(called(click, next), kept, kept, settled(click, { ...done, halts: 'navigation' }))
    assert.is(task.state(), runs ? 'persistingIntent' : 'thinking')
    if (!runs) return
    // What names a place of the old page is not run behind it either.
    const third = aCall('computer', { action: 'left_click', ref: 'e4' })
    const other = aTask()
    other.send(called(click, next, third), kept, kept, settled(click, { ...done, halts: 'navigation' }), kept)
    other.send(settled(next))
    assert.equal([other.state(), results(other).at(-1)?.status], ['thinking', 'skipped'])
  })

const words = (text: string, more: object = {}): TaskEvent => ({
  ...{ type: 'model.answered', text, usage: { inputTokens: 1, outputTokens: 1, apiCalls: 1 }, model: 'm', at: AT },
  ...{ hasFinish: true, ...more },
})
const ending = (task: Task) => {
  const { status, endedBy, answer, failure } = task.output() ?? {}
  return [status, endedBy, answer, failure]
}

test('[L1] words end nothing where there is finish: the model is reminded once, then the task ends without success', () => {
  const task = aTask()
  task.send(words('I would look for it.'))
  assert.is(task.state(), 'thinking')
  works(task, 2)
  task.send(words('I give up.'))
  assert.equal(ending(task), ['error', 'no_finish', 'I give up.', null])
})

test('[L1] reminded, it finishes', () => {
  const task = aTask()
  task.send(words('It costs 12.'), called(finish(true)))
  assert.equal(ending(task), ['complete', 'completed', 'It costs 12.', null])
})

test('[L1] a task of a protocol 1 browser has no finish: words complete it', () => {
  const task = aTask()
  task.send(words('It costs 12.', { hasFinish: false }))
  assert.equal(ending(task), ['complete', 'completed', 'It costs 12.', null])
})

test('[L1 D7] that it was reminded is known after a restart', () => {
  const before = aTask()
  before.send(words('Well.'))
  const after = alone(taskMachine, { ...INPUT, verify: true }, before.kept())
  after.send({ type: 'task.resumed', at: AT }, words('Well, well.'))
  assert.is(after.output()?.endedBy, 'no_finish')
})

const offered = (call: JournalCall, more: object = {}): TaskEvent =>
  ({ ...called(call), hasFinish: true, ...more }) as TaskEvent
const leftOf = (task: Task) => (task.did('ask').at(-1) as { left: { lastStep: boolean; lastMinute: boolean } }).left

for (const [what, more, endedBy, failure] of [
  ['step', {}, 'step_limit', null],
  ['minute', { near: true }, 'time_limit', 'timeout'],
] as const)
  test(`[L2] the last ${what} is a call for what was found: answer and output stay, the task has no success`, () => {
    const task = aTask()
    works(task, 'near' in more ? 3 : 48)
    const known = aCall()
    task.send(offered(known), kept, kept, settled(known))
    if ('near' in more) task.send({ type: 'deadline.near', at: AT })
    assert.equal([leftOf(task).lastStep, leftOf(task).lastMinute], [what === 'step', what === 'minute'])
    const partial = aCall('finish', { success: false, answer: 'Three of five.', output: { found: 3 } })
    task.send(offered(partial, { lastCall: true }))
    assert.equal(ending(task), ['error', endedBy, 'Three of five.', failure])
    assert.is(task.output()?.output, '{"found":3}')
    assert.is(results(task).at(-1)?.status, 'done')
  })

test('[L2] in the last minute a model that has not answered is asked anew, once; what is left of a step is not run', () => {
  const [pick, order] = [aCall('form_input'), aCall()]
  const acts = aTask()
  const known = aCall('read_page', {})
  acts.send(offered(known), kept, kept, settled(known))
  acts.send({ ...called(pick, order), hasFinish: true } as TaskEvent, kept)
  acts.send({ type: 'deadline.near', at: AT }, settled(pick))
  assert.is(acts.state(), 'thinking')
  assert.equal(results(acts).at(-1), { status: 'skipped', message: TO_MODEL.notRun.deadline })
  const asked = acts.did('ask').length
  assert.is(leftOf(acts).lastMinute, true)
  acts.send({ type: 'deadline.near', at: AT })
  assert.is(acts.did('ask').length, asked, 'the last reply is asked for already')
})

test('[L2] a protocol 1 task cannot be asked for what it found: its calls go on to the deadline', () => {
  const task = aTask()
  works(task, 2)
  const asked = task.did('ask').length
  task.send({ type: 'deadline.near', at: AT })
  assert.is(task.did('ask').length, asked)
})

test.run()
