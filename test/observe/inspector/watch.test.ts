import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnyActorLogic, type AnyEventObject, fromCallback, setup } from 'xstate'
import { Inspection, type Viewer } from '../../../actors/inspection/inspection.ts'
import type { Log } from '../../../actors/runtime/ports.ts'
import { Registry } from '../../../actors/runtime/registry.ts'
import type { Address } from '../../../machines/addresses.ts'
import { closingMachine } from '../../../machines/closing.ts'
import { taskMachine } from '../../../machines/task.ts'
import { HandClock } from '../../support/hand-clock.ts'

const test = suite('watch')
const A: Address = 'task:a'
const B: Address = 'session:b'

const fail = (message: string) => () => {
  throw new Error(message)
}

/** Everything that a viewer is told, as lines; and what is logged. */
function scene(viewer?: Partial<Viewer>) {
  const clock = new HandClock(1_000)
  const told: string[] = []
  const logged: string[] = []
  const note = (_: object, message: string) => void logged.push(message)
  const log: Log = { debug() {}, info() {}, warn: note, error: note }
  const inspection = new Inspection({ clock, log })
  const registry: Registry = new Registry({ clock, log, watch: inspection })
  inspection.watch({
    moved: (address, event, snapshot, from) =>
      void told.push(`${from} ${event.type} ${address} ${JSON.stringify(snapshot.value)}`),
    gone: (address) => void told.push(`${address} gone`),
    ...viewer,
  })
  const logic: AnyActorLogic = setup({
    types: { events: {} as AnyEventObject },
    actors: {
      echo: fromCallback(({ sendBack }) => registry.deliver(() => sendBack({ type: 'echoed' }))),
    },
    actions: {
      post: (_, { to, event }: { to: Address; event: string }) => void registry.post(to, { type: event }),
      fail: fail('a bug of a machine'),
    },
    delays: { soon: 50 },
  }).createMachine({
    initial: 'idle',
    states: {
      idle: { on: { wait: 'waiting', ask: 'asking' } },
      waiting: { after: { soon: 'idle' } },
      asking: { invoke: { src: 'echo' }, on: { echoed: 'idle' } },
      over: { type: 'final' },
    },
    on: {
      hello: {},
      end: '.over',
      break: { actions: 'fail' },
      tell: { actions: { type: 'post', params: ({ event }) => ({ to: event.to, event: event.say }) } },
    },
  })
  return { clock, told, logged, registry, logic }
}

test('a task and its ending have no timers of XState, whose events the registry does not know', () => {
  for (const { events } of [taskMachine, closingMachine])
    assert.equal(
      events.filter((type: string) => type.startsWith('xstate.')),
      [],
    )
})

test('each move is told with who posted its event: an actor, or nobody', () => {
  const { registry, logic, told, clock } = scene()
  registry.start(A, () => logic, { supervisor: null })
  registry.start(B, () => logic, { supervisor: A })
  told.length = 0
  registry.post(A, { type: 'tell', to: B, say: 'hello' })
  registry.post(A, { type: 'tell', to: A, say: 'hello' })
  registry.post(B, { type: 'wait' })
  clock.turn(100)
  registry.post(B, { type: 'ask' })
  registry.post(B, { type: 'hello' })
  assert.equal(told, [
    'null tell task:a "idle"',
    'task:a hello session:b "idle"',
    'null tell task:a "idle"',
    'null hello task:a "idle"',
    'null wait session:b "waiting"',
    'null xstate.after.soon.(machine).waiting session:b "idle"',
    'null ask session:b "asking"',
    'null echoed session:b "idle"',
    'null hello session:b "idle"',
  ])
})

test('the end of a child is told as posted by the child', () => {
  const { registry, logic, told } = scene()
  registry.start(A, () => logic, { supervisor: null })
  registry.start(B, () => logic, { supervisor: A })
  told.length = 0
  registry.post(B, { type: 'end' })
  assert.equal(told, ['null end session:b "over"', 'session:b gone', 'session:b child.done task:a "idle"'])
})

test('an actor that throws is gone at once, and what came before it is not taken for what comes after', () => {
  const { registry, logic, told, logged } = scene()
  registry.start(A, () => logic, { supervisor: null })
  registry.start(B, () => logic, { supervisor: null })
  told.length = 0
  registry.post(A, { type: 'break' })
  registry.post(B, { type: 'hello' })
  assert.equal(told, ['task:a gone', 'null hello session:b "idle"'])
  assert.equal(logged, ['An actor failed'])
})

test('one that throws as it begins, one that ends as it begins, and one that is stopped are gone, too', () => {
  const { registry, logic, told } = scene()
  const broken = setup({}).createMachine({ context: fail('no context') as never })
  const failing = setup({ actions: { fail: fail('no entry') } }).createMachine({ entry: 'fail' })
  const ended = setup({}).createMachine({ initial: 'over', states: { over: { type: 'final' } } })
  for (const machine of [broken, failing, ended]) {
    told.length = 0
    registry.start(A, () => machine, { supervisor: null })
    assert.is(told.at(-1), 'task:a gone')
    assert.is(registry.has(A), false)
  }
  registry.start(A, () => logic, { supervisor: null })
  told.length = 0
  registry.stop(A)
  assert.equal(told, ['task:a gone'])
})

test('a viewer that throws is logged; no actor, supervisor or poster sees anything of it', () => {
  const { registry, logic, logged } = scene({
    moved: fail('a bug of the page'),
    gone: fail('a bug of the page'),
  })
  registry.start(A, () => logic, { supervisor: null })
  registry.start(B, () => logic, { supervisor: A })
  assert.is(registry.post(A, { type: 'wait' }), true)
  assert.is(registry.snapshot(A)?.value, 'waiting')
  registry.post(B, { type: 'end' })
  assert.equal([registry.has(A), registry.has(B)], [true, false])
  registry.stop(A)
  assert.ok(logged.length > 0)
  assert.equal([...new Set(logged)], ['A viewer of the actors failed'])
})

test('an address that is taken is refused as ever, and the actor there stays known', () => {
  const { registry, logic, told } = scene()
  registry.start(A, () => logic, { supervisor: null })
  told.length = 0
  assert.throws(() => registry.start(A, () => logic, { supervisor: null }), /running already/)
  registry.post(A, { type: 'hello' })
  assert.equal(told, ['null hello task:a "idle"'])
})

test.run()
