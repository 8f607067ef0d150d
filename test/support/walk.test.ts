import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assign, fromPromise, setup } from 'xstate'
import { walk } from './walk.ts'

const test = suite('walk')

type OrderEvent =
  | { type: 'order.pay'; amount: number }
  | { type: 'order.cancel' }
  | { type: 'xstate.done.actor.ship'; output: unknown }
  | { type: 'xstate.error.actor.ship'; error: unknown }

/** An order: it waits for its money for a while, is shipped by a promise, and is watched meanwhile. */
const order = setup({
  types: {
    context: {} as { price: number; tries: number },
    events: {} as OrderEvent,
    input: {} as { price: number },
  },
  actors: {
    ship: fromPromise(async () => {
      throw new Error('nothing is shipped in a test')
    }),
  },
  actions: {
    thank: (_, _params: { amount: number }) => {
      throw new Error('nobody is thanked in a test')
    },
    count: assign({ tries: ({ context }) => context.tries + 1 }),
  },
  guards: {
    enough: ({ context }, amount: number) => amount >= context.price,
    triesLeft: ({ context }) => context.tries < 1,
  },
  delays: { patience: ({ context }) => context.price * 10, reminder: 1_000 },
}).createMachine({
  id: 'order',
  type: 'parallel',
  context: ({ input }) => ({ ...input, tries: 0 }),
  states: {
    money: {
      initial: 'waiting',
      states: {
        waiting: {
          on: {
            'order.pay': {
              guard: { type: 'enough', params: ({ event }) => event.amount },
              target: 'checking',
              actions: { type: 'thank', params: ({ event }) => ({ amount: event.amount }) },
            },
            'order.cancel': 'gone',
          },
          after: { patience: 'gone' },
        },
        checking: { always: 'shipping' },
        shipping: {
          invoke: {
            src: 'ship',
            id: 'ship',
            onDone: 'gone',
            onError: [{ guard: 'triesLeft', target: 'shipping', reenter: true, actions: 'count' }, { target: 'gone' }],
          },
        },
        gone: { type: 'final' },
        forgotten: {},
      },
    },
    mood: { initial: 'calm', states: { calm: { after: { reminder: 'angry' } }, angry: { type: 'final' } } },
  },
})

const EVENTS: OrderEvent[] = [
  { type: 'order.pay', amount: 1 },
  { type: 'order.pay', amount: 500 },
  { type: 'order.cancel' },
  { type: 'xstate.done.actor.ship', output: null },
  { type: 'xstate.error.actor.ship', error: 'x' },
]
const walked = walk(order, { input: { price: 200 }, events: EVENTS })
const at = (money: string, mood: string) =>
  walked.visits.find(({ snapshot }) => snapshot.value.money === money && snapshot.value.mood === mood)

test('reaches every state that can be reached, by the shortest path, and says which cannot', () => {
  assert.equal(walked.visits.map(({ snapshot }) => `${snapshot.value.money} ${snapshot.value.mood}`).sort(), [
    'gone angry',
    'gone calm',
    'shipping angry',
    'shipping calm',
    'waiting angry',
    'waiting calm',
  ])
  assert.equal(walked.unreached, ['order.money.forgotten'])
  assert.equal(at('gone', 'calm')?.path, ['order.cancel'])
  assert.equal(at('shipping', 'calm')?.path, ['order.pay'])
})

test('timers fire when they are due, the nearest first', () => {
  // patience is 2,000 ms here: the mood turns before it is over.
  assert.equal(at('waiting', 'angry')?.path, ['xstate.after.reminder.order.mood.calm'])
  assert.ok(at('waiting', 'angry')?.handles['xstate.after.patience.order.money.waiting'])
  assert.is(at('waiting', 'calm')?.handles['xstate.after.patience.order.money.waiting'], undefined)
  const hasty = walk(order, { input: { price: 20 }, events: [] })
  assert.equal(
    hasty.visits.map(({ path }) => path),
    [
      [],
      ['xstate.after.patience.order.money.waiting'],
      ['xstate.after.patience.order.money.waiting', 'xstate.after.reminder.order.mood.calm'],
    ],
  )
})

test('what is invoked stays silent, its answers are events; effects are recorded, not run', () => {
  assert.equal(at('shipping', 'calm')?.effects, [{ type: 'thank', params: { amount: 500 } }])
  assert.equal(Object.keys(at('shipping', 'calm')?.handles ?? {}), [
    'xstate.done.actor.ship',
    'xstate.error.actor.ship',
    'xstate.after.reminder.order.mood.calm',
  ])
})

test('a check that fails names itself, a key without a bound is found', () => {
  assert.throws(
    () =>
      walk(order, {
        input: { price: 200 },
        events: EVENTS,
        check: ({ snapshot }) => {
          if (snapshot.value.mood === 'angry') throw new Error('never angry')
        },
      }),
    /never angry/,
  )
  let count = 0
  const endless = () => walk(order, { input: { price: 200 }, events: EVENTS, statesMax: 10, key: () => `${count++}` })
  assert.throws(endless, /More than 10 states/)
})

const trap = setup({
  types: { context: {} as { seen: string[] }, events: {} as { type: 'look' } | { type: 'leap' } },
  guards: {
    never: ({ context }) => {
      context.seen.push('a guard that changes what it reads')
      return false
    },
  },
}).createMachine({
  id: 'trap',
  context: () => ({ seen: [] }),
  initial: 'open',
  states: { open: { on: { look: { guard: 'never', target: 'open' }, leap: 'broken' } }, broken: {} },
})

test('an event that is refused and changes something all the same is found', () => {
  assert.throws(
    () => walk(trap, { input: undefined, events: [{ type: 'look' }] }),
    /open does not handle look, and changed/,
  )
})

test.run()
