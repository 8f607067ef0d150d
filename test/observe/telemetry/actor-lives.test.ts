import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fromCallback, setup } from 'xstate'
import { Inspection } from '../../../actors/inspection/inspection.ts'
import { Registry } from '../../../actors/runtime/registry.ts'
import { callAddress, sessionAddress, taskAddress } from '../../../machines/addresses.ts'
import { followLives } from '../../../src/observe/telemetry/actor-lives.ts'
import type { SpanStart, Tracer } from '../../../src/observe/telemetry/sdk.ts'
import type { TaskTraces } from '../../../src/observe/telemetry/task-traces.ts'

const test = suite('spans of actors')
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
const TASK = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true }

const hopper = setup({
  types: { context: {} as { taskId: string }, input: {} as { taskId: string } },
  actors: { waits: fromCallback(() => {}) },
}).createMachine({
  context: ({ input }) => input,
  initial: 'here',
  states: { here: { on: { hop: 'there' } }, there: { on: { end: 'over' } }, over: { type: 'final' } },
})

function world() {
  const inspection = new Inspection({ clock: { now: () => 1_000 }, log: SILENT })
  const spans: SpanStart[] = []
  const tracer: Tracer = {
    start(span) {
      spans.push(span)
      return { context: TASK, set() {}, event() {}, end() {} }
    },
    close: async () => {},
  }
  followLives(inspection, tracer, {
    known: (id: string) => (id === 'a task' ? { context: TASK } : null),
  } as unknown as TaskTraces)
  const registry = new Registry({
    clock: { now: () => 1_000, setTimeout: () => 0, clearTimeout() {} },
    log: SILENT,
    watch: inspection,
  })
  const live = (address: ReturnType<typeof callAddress>, taskId = 'a task') => {
    registry.start(address, () => hopper, { input: { taskId }, supervisor: null })
    for (const type of ['hop', 'end']) registry.post(address, { type } as never)
  }
  return { inspection, spans, live }
}

test('[O7] while somebody looks, an actor that ends has a span under its task; a task has its own', () => {
  const { inspection, spans, live } = world()
  const stop = inspection.watch({ moved() {} })
  live(callAddress('a call'))
  live(sessionAddress('a session') as never, 'another')
  live(taskAddress('a task') as never)
  stop()
  assert.equal(
    spans.map(({ name, parent }) => [name, parent]),
    [
      ['actor call', TASK],
      ['actor session', null],
    ],
  )
  assert.is(spans[0]?.attributes['browser_task.actor.state'], 'over')
})

test('[O7] while nobody looks there is none', () => {
  const { spans, live } = world()
  live(callAddress('a call'))
  assert.equal(spans, [])
})

test.run()
