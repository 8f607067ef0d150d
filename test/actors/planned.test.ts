import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnyActor, type AnyActorLogic, type AnyStateMachine, createActor, fromCallback } from 'xstate'
import { planned } from '../../actors/planned.ts'
import { Random } from '../simulation/random.ts'
import { StepClock } from '../support/step-clock.ts'
import { deeds, machine, parts } from './all-kinds.ts'

const test = suite('planned')

const ORDINARY =
  'next inner same again deeper back deepBack forbidden root go.b invoking composed raising inline stays end long nobody timer'
const FATAL = ['breakDown', 'misfit', 'broken']

/** An actor of the logic, and what it did. */
function lead(logic: AnyActorLogic, events: readonly string[]) {
  const clock = new StepClock(0)
  deeds.length = 0
  const errors: unknown[] = []
  const actor: AnyActor = createActor(logic, { input: { n: 0 }, clock })
  actor.subscribe({ error: (error) => errors.push(error instanceof Error ? error.message : error) })
  actor.start()
  const prints = [print(actor, clock)]
  for (const type of events) {
    if (type !== 'timer') actor.send({ type })
    else if (clock.pending() > 0) clock.fireNext()
    prints.push(print(actor, clock))
  }
  return { prints, deeds: [...deeds], errors }
}

function print(actor: AnyActor, clock: StepClock) {
  const { value, context, status, output, tags, children, _nodes } = actor.getSnapshot()
  const nodes = _nodes?.map(({ id }: { id: string }) => id).sort()
  const kept = status === 'error' ? null : JSON.stringify(actor.getPersistedSnapshot())
  return {
    value,
    context,
    status,
    output,
    tags: [...(tags ?? [])].sort(),
    nodes,
    kept,
    timers: clock.pending(),
    children: Object.keys(children),
  }
}

test('a machine goes the same ways and does the same in the same order, planned or not', () => {
  const random = new Random(7)
  const places = new Set<string>()
  for (let n = 0; n < 400; n++) {
    const words = ORDINARY.split(' ')
    const events = Array.from({ length: 60 }, () => random.pick(words))
    if (n % 4 === 0) events[random.whole(0, 59)] = random.pick(FATAL)
    const expected = lead(machine, events)
    assert.equal(lead(planned(machine), events), expected, events.join(' '))
    for (const { value } of expected.prints) places.add(JSON.stringify(value))
  }
  const all = [
    '{"a":"x"}',
    '{"a":"y"}',
    '{"a":{"z":"p"}}',
    '{"a":{"z":"q"}}',
    '"b"',
    '"chosenForEver"',
    '"ended"',
    '"invoking"',
    '"timed"',
  ]
  assert.equal([...places].sort(), all.sort())
})

/** The same machine, which counts how often it is asked itself. */
function counted(): { machine: AnyStateMachine; asked: () => number } {
  let asked = 0
  const own = machine.provide({})
  const { transition, getInitialSnapshot } = own
  own.transition = (...args) => {
    asked++
    return transition(...args)
  }
  own.getInitialSnapshot = (...args) => {
    asked++
    return getInitialSnapshot(...args)
  }
  return { machine: own, asked: () => asked }
}

test('XState is not asked for what is plain, and for all else it is', () => {
  const asked = (events: string) => {
    const it = counted()
    lead(planned(it.machine), events.split(' '))
    return it.asked()
  }
  assert.is(asked('next next next next next again forbidden root same inner'), 0)
  assert.is(asked('go.b next go.b inline nobody'), 0)
  assert.is(asked('deeper next next next'), 0)
  assert.is(asked('deeper go.b back next go.b'), 1)
  assert.is(asked('go.b invoking'), 1)
  assert.is(asked('go.b composed'), 1)
  assert.is(asked('go.b raising'), 1)
  assert.is(asked('misfit'), 1)
})

test('what the whole machine invokes is stopped at its end', () => {
  const invoking = (logic: (machine: AnyStateMachine) => AnyActorLogic) => {
    let stopped = 0
    const whole = parts
      .createMachine({
        context: { n: 0, last: null },
        initial: 'a',
        invoke: { src: 'child' },
        states: { a: { on: { end: 'over' } }, over: { type: 'final' } },
      })
      .provide({ actors: { child: fromCallback(() => () => void stopped++) } })
    const actor = createActor(logic(whole)).start()
    actor.send({ type: 'end' })
    return [stopped, actor.getSnapshot().status]
  }
  assert.equal(invoking(planned), [1, 'done'])
  assert.equal(
    invoking((machine) => machine),
    [1, 'done'],
  )
})

test('a restored snapshot goes on planned', () => {
  const before = createActor(machine, { input: { n: 3 } }).start()
  before.send({ type: 'next' })
  const it = counted()
  const actor = createActor(planned(it.machine), { snapshot: before.getPersistedSnapshot() as never }).start()
  actor.send({ type: 'next' })
  before.send({ type: 'next' })
  assert.equal(actor.getSnapshot().value, before.getSnapshot().value)
  assert.equal(actor.getSnapshot().context, before.getSnapshot().context)
  assert.is(it.asked(), 0)
})

for (const [what, odd] of Object.entries({
  'parallel states': parts.createMachine({ context: { n: 0, last: null }, type: 'parallel', states: { a: {}, b: {} } }),
  'a star for an event': parts.createMachine({
    context: { n: 0, last: null },
    initial: 'a',
    states: { a: { on: { '*': 'a' } } },
  }),
  'no states': parts.createMachine({ context: { n: 0, last: null } }),
}))
  test(`a machine with ${what} is XState's`, () => assert.is(planned(odd), odd))

test.run()
