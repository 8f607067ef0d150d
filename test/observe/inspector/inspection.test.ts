import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnyActorLogic, assign, fromCallback, setup } from 'xstate'
import { Inspection } from '../../../actors/inspection/inspection.ts'
import {
  ENDED_ACTORS_KEPT_MAX,
  TRACE_TRANSITIONS_MAX,
  TRANSITIONS_KEPT_MAX,
  WATCH_LINGER_MS,
} from '../../../actors/inspection/limits.ts'
import type { Trace } from '../../../actors/inspection/shown.ts'
import { causeOf, deadlineOf } from '../../../actors/inspection/state-format.ts'
import { Registry } from '../../../actors/runtime/registry.ts'
import {
  type Address,
  callAddress,
  sessionAddress,
  taskAddress,
  workspaceAddress,
} from '../../../machines/addresses.ts'
import { BROWSER_WAIT_MS } from '../../../machines/limits.ts'
import { NO_USAGE } from '../../../machines/records.ts'
import { taskMachine } from '../../../machines/task.ts'
import type { TaskEvent } from '../../../machines/task-types.ts'
import { MACHINES } from '../../../src/observe/inspector/machines.ts'
import { alone } from '../../support/machine.ts'

const test = suite('inspection')
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** An actor that hops, tells others, and ends; its alarm rings at a fixed time. */
const hopper = (registry: () => Registry): AnyActorLogic =>
  setup({
    types: {
      context: {} as { taskId: string; password: string; hops: number },
      input: {} as { taskId: string; call: { taskId: string } },
    },
    actors: { alarm: fromCallback(() => {}) },
    actions: {
      tell: (_, to: Address) => void registry().post(to, { type: 'told' }),
      hop: assign({ hops: ({ context }) => context.hops + 1 }),
    },
    delays: { soon: 5_000 },
  }).createMachine({
    context: ({ input }) => ({ ...input, password: 'hunter2', hops: 0 }),
    initial: 'here',
    invoke: { src: 'alarm', id: 'deadline', input: { event: 'deadline.reached', at: 90_000 } },
    states: {
      here: { on: { hop: { target: 'there', actions: 'hop' } } },
      there: { on: { hop: { target: 'here', actions: 'hop' } } },
      over: { type: 'final' },
    },
    on: {
      end: '.over',
      told: { actions: 'hop' },
      tell: { actions: { type: 'tell', params: ({ event }) => event.to } },
    },
  })

/** A workspace with a session and a task, watched or not. */
function scene({ watched = true } = {}) {
  let now = 1_000
  const clock = { now: () => now, setTimeout: () => 0, clearTimeout() {} }
  const traces: [string, Trace][] = []
  const onTrace = (taskId: string, trace: () => string) => void traces.push([taskId, JSON.parse(trace())])
  const inspection = new Inspection({ clock, log: SILENT, onTrace })
  if (watched) inspection.watch({ moved() {} })
  const registry: Registry = new Registry({ clock, log: SILENT, watch: inspection })
  const logic = hopper(() => registry)
  const start = (address: Address, supervisor: Address | null, taskId = '') =>
    registry.start(address, () => logic, { supervisor, input: { taskId, call: { taskId } } })
  start(workspaceAddress('w'), null)
  start(sessionAddress('s'), workspaceAddress('w'))
  start(taskAddress('t'), workspaceAddress('w'), 't')
  return { inspection, registry, start, traces, pass: (ms: number) => (now += ms) }
}

test('[T28] a task is due when what it waits for is, or a minute before its deadline, whichever comes first', () => {
  const due = (deadlineAt: number, ...events: TaskEvent[]) => {
    const it = alone(taskMachine, {
      taskId: 't',
      workspaceId: 'w',
      sessionId: 's',
      requestId: null,
      deadlineAt,
      verify: true,
    })
    it.send(...events)
    return deadlineOf(it.snapshot(), null, 1_000)
  }
  const call = { requestId: 'r', tool: 'find', input: {}, refusal: null }
  const away: TaskEvent[] = [
    { type: 'model.requestedTools', calls: [call], text: '', usage: NO_USAGE, model: 'm', at: 1_000 },
    { type: 'intent.kept', browserInstanceId: null, at: 1_000 },
    { type: 'session.away', requestId: 'r' },
  ]
  assert.is(due(90_000), 30_000)
  assert.is(due(90_000, ...away), 1_000 + BROWSER_WAIT_MS)
  assert.is(due(65_000, ...away), 5_000)
})

test('an actor is known by its state, its age, its supervisor, its deadline, and what it would accept', () => {
  const { inspection, registry, pass } = scene()
  pass(50)
  registry.post(taskAddress('t'), { type: 'hop' })
  pass(7)
  const detail = inspection.detail('task:t')
  assert.is(detail?.state, 'there')
  assert.equal(detail?.states, ['there'])
  assert.equal([detail?.startedAt, detail?.since, detail?.deadlineAt], [1_000, 1_050, 90_000])
  assert.is(detail?.supervisor, 'workspace:w')
  assert.equal(detail?.accepts, ['end', 'hop', 'tell', 'told'])
  assert.equal(
    detail?.transitions.map(({ seq, ...shown }) => shown),
    [
      { at: 1_000, event: 'begin', from: 'service', state: 'here', states: ['here'], payload: null },
      { at: 1_050, event: 'hop', from: 'service', state: 'there', states: ['there'], payload: null },
    ],
  )
  assert.equal(inspection.detail('task:t', detail?.transitions[0]?.seq)?.transitions.length, 1)
  assert.equal(detail?.context, { taskId: 't', call: { taskId: 't' }, password: '‹secret›', hops: 1 })
  assert.is(inspection.detail('task:unknown'), null)
})

test('whose an actor is follows from who supervises it', () => {
  const { inspection, start } = scene()
  start(callAddress('c'), sessionAddress('s'), 't')
  start(workspaceAddress('other'), null)
  for (const address of ['workspace:w', 'session:s', 'task:t', 'call:c']) {
    assert.is(inspection.workspaceOf(address), 'w', address)
  }
  assert.is(inspection.workspaceOf('nobody:x'), undefined)
  const seen = inspection.lines((workspaceId) => workspaceId === 'other').map(({ address }) => address)
  assert.equal(seen, ['workspace:other'])
})

test('[P7] messages are shown with who sent them, also those that an actor posts while it works', () => {
  const { inspection, registry, start } = scene()
  start(callAddress('c'), sessionAddress('s'), 't')
  registry.post(taskAddress('t'), { type: 'tell', to: callAddress('c') })
  registry.post(taskAddress('t'), { type: 'tell', to: sessionAddress('s') })
  registry.post(sessionAddress('s'), { type: 'told' })
  const said = inspection.detail('task:t')?.messages.map(({ from, to, event }) => `${from} ${event} ${to}`)
  assert.equal(said, ['service tell task:t', 'task:t told call:c', 'service tell task:t', 'task:t told session:s'])
  assert.is(inspection.related('call:c', 'task:t'), true)
  assert.is(inspection.related('session:s', 'task:t'), false)
})

test('[P7] an event that no actor posted is shown as coming from what caused it', () => {
  const causes = {
    browser: ['socket.registered', 'socket.closed', 'call.answered'],
    model: ['model.requestedTools', 'model.timedOut'],
    store: ['intent.kept', 'queue.found', 'write.done', 'store.failed', 'service.recovered'],
    clock: ['deadline.reached', 'retry.due', 'browserWait.timedOut', 'pause.over'],
    client: ['task.cancel', 'session.revoke', 'admission.http'],
    service: ['service.drained', 'task.resumed', 'effect.crashed'],
  }
  const known = new Set(Object.values(MACHINES).flatMap(({ events }) => events))
  for (const [cause, events] of Object.entries(causes)) {
    for (const event of events) {
      assert.ok(known.has(event), `${event} is an event of a machine`)
      assert.is(causeOf(event), cause, event)
    }
  }
  assert.is(causeOf('xstate.after.toolTimeout.call.waiting'), 'clock')
})

test('[P8] with nobody watching, tasks alone keep their transitions; a watch on all ends a while after the last viewer', () => {
  const { inspection, registry, start, pass } = scene({ watched: false })
  start(callAddress('c'), sessionAddress('s'), 't')
  const hop = () => {
    for (const address of [taskAddress('t'), sessionAddress('s'), callAddress('c')])
      registry.post(address, { type: 'hop' })
  }
  const kept = () => ['task:t', 'session:s', 'call:c'].map((address) => inspection.detail(address)?.transitions.length)
  pass(100)
  hop()
  assert.equal(kept(), [2, 0, 0])
  assert.equal([inspection.line('task:t')?.since, inspection.line('session:s')?.since], [1_100, null])
  assert.is(inspection.line('session:s')?.state, 'there')
  const unwatch = inspection.watch({ moved() {} })
  pass(100)
  hop()
  assert.equal(kept(), [3, 1, 1])
  assert.is(inspection.line('session:s')?.since, 1_200)
  registry.stop(callAddress('c'))
  unwatch()
  // A page that loads again finds what it showed.
  pass(WATCH_LINGER_MS)
  hop()
  inspection.watch({ moved() {} })()
  assert.equal(kept(), [4, 2, 1])
  pass(WATCH_LINGER_MS + 1)
  hop()
  assert.equal(kept(), [5, 0, undefined])
  assert.is(inspection.line('session:s')?.since, null)
})

test('[P20] events are kept with what they carried, redacted, for the last transitions of each actor', () => {
  const { inspection, registry } = scene()
  const payloads = () => inspection.detail('task:t')?.transitions.map(({ payload }) => payload)
  registry.post(taskAddress('t'), {
    type: 'told',
    at: 5,
    requestId: 'r1',
    call: { tool: 'find', input: { query: 'hunter2' } },
    content: 'hunter2',
    outcome: { ok: true, text: 'hunter2' },
    note: 'hunter2 hunter2',
    secretToken: 'hunter2',
    failed: false,
  })
  assert.equal(payloads()?.at(-1), {
    requestId: 'r1',
    call: { tool: 'find', input: '‹content›' },
    content: '‹7 characters›',
    outcome: '‹content›',
    note: '‹15 characters›',
    secretToken: '‹secret›',
    failed: false,
  })
  for (let n = 0; n < TRANSITIONS_KEPT_MAX + 1; n++) registry.post(taskAddress('t'), { type: 'told', n })
  assert.equal(payloads()?.length, TRANSITIONS_KEPT_MAX)
  assert.equal(payloads()?.at(-1), { n: TRANSITIONS_KEPT_MAX })
})

test('[P20] nothing of an event is read for viewers before somebody looks, and a late look is redacted all the same', () => {
  const { inspection, registry } = scene({ watched: false })
  let reads = 0
  const call = {
    get tool() {
      reads++
      return 'find'
    },
    input: { query: 'hunter2' },
    password: 'hunter2',
  }
  const told = { type: 'told', call, said: 'hunter2', secretToken: 'hunter2', outcome: { screenshot: 'hunter2' } }
  registry.post(taskAddress('t'), told)
  assert.is(reads, 0)
  const shown = inspection.detail('task:t')?.transitions.at(-1)?.payload
  assert.equal(shown, {
    call: { tool: 'find', input: '‹content›', password: '‹secret›' },
    said: '‹7 characters›',
    secretToken: '‹secret›',
    outcome: '‹content›',
  })
  assert.ok(!JSON.stringify([inspection.detail('task:t'), inspection.lines(() => true)]).includes('hunter2'))
  assert.is(told.outcome.screenshot, 'hunter2')
})

test("a finished task's transitions are given as its trace, bounded; ended actors can be looked at for a while", () => {
  const { inspection, registry, traces, start } = scene()
  const hops = 2 * TRACE_TRANSITIONS_MAX + 10
  for (let hop = 0; hop < hops; hop++) registry.post(taskAddress('t'), { type: 'hop' })
  assert.is(inspection.detail('task:t')?.transitions.length, TRANSITIONS_KEPT_MAX)
  registry.post(taskAddress('t'), { type: 'end' })
  const [[taskId, trace] = ['', []]] = traces
  assert.is(taskId, 't')
  assert.is(trace.length, TRACE_TRANSITIONS_MAX)
  assert.equal(trace.at(-1), [1_000, 'end', ['over']])
  assert.is(inspection.detail('task:t')?.endedAt, 1_000)
  assert.equal(
    inspection.lines(() => true).map(({ address }) => address),
    ['workspace:w', 'session:s'],
  )
  for (let n = 0; n <= ENDED_ACTORS_KEPT_MAX; n++) {
    start(taskAddress(`x${n}`), workspaceAddress('w'), `x${n}`)
    registry.post(taskAddress(`x${n}`), { type: 'end' })
  }
  assert.is(inspection.line('task:t'), null)
})

test('[P18 M4] one that is stopped without an event is over too, and leaves no trace: a task has one where it ends', () => {
  const { inspection, registry, traces } = scene()
  registry.stopAll()
  assert.equal(traces, [])
  assert.is(inspection.detail('session:s')?.endedAt, 1_000)
})

test.run()
