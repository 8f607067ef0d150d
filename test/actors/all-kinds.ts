import { type AnyEventObject, and, assign, fromCallback, raise, setup } from 'xstate'

interface Context {
  readonly n: number
  readonly last: unknown
}

/** What a machine did, in order, told by its actions. */
export const deeds: unknown[] = []

export const parts = setup({
  types: { context: {} as Context, events: {} as AnyEventObject, input: {} as { n: number } },
  actors: { child: fromCallback(() => {}) },
  actions: {
    note: ({ context, event }, params: unknown) => void deeds.push([context, event.type, params]),
    breakDown: () => {
      throw new Error('broken')
    },
    count: assign(({ context }, by: number) => ({ n: context.n + by })),
    keep: assign({ last: ({ event }) => event.type }),
    misfit: assign(() => {
      throw new Error('misfit')
    }),
  },
  guards: {
    even: ({ context }) => context.n % 2 === 0,
    over: ({ context }, limit: number) => context.n > limit,
    broken: () => {
      throw new Error('no answer')
    },
  },
  delays: { soon: ({ context }) => 10 + context.n },
})

const entering = (name: string) => ({
  entry: { type: 'note' as const, params: `in ${name}` },
  exit: { type: 'note' as const, params: `out ${name}` },
})
const count = { type: 'count' as const, params: 1 }
const noted = { type: 'note' as const, params: ({ context }: { context: Context }) => context.n }

/** Every kind of transition that is planned, and every kind that is left to XState. */
export const machine = parts.createMachine({
  id: 'all',
  context: ({ input }) => ({ n: input.n, last: null }),
  initial: 'a',
  ...entering('root'),
  states: {
    a: {
      ...entering('a'),
      tags: ['first'],
      initial: 'x',
      on: {
        inner: '.y',
        same: { target: 'a', actions: noted },
        again: { target: 'a', reenter: true, actions: [count, noted] },
      },
      states: {
        was: { type: 'history' },
        wasDeepIn: { type: 'history', history: 'deep' },
        x: { ...entering('x'), on: { next: { target: 'y', actions: [count, noted, 'keep'] }, deeper: 'z' } },
        y: {
          ...entering('y'),
          tags: ['second'],
          on: {
            next: [
              { guard: { type: 'over', params: 7 }, target: '#all.timed' },
              { guard: 'even', target: '#all.passing', actions: count },
              { target: 'x', actions: [count, noted] },
            ],
            forbidden: {},
          },
        },
        z: { initial: 'p', states: { p: { on: { next: 'q' } }, q: { ...entering('q'), on: { next: '#all.b' } } } },
      },
    },
    passing: {
      ...entering('passing'),
      always: [
        { guard: 'even', target: 'passing', reenter: true, actions: [count, noted] },
        { guard: { type: 'over', params: 20 }, target: 'ended' },
        { target: 'b' },
      ],
    },
    b: {
      ...entering('b'),
      on: {
        next: { target: 'a.y', actions: 'keep' },
        invoking: { target: 'invoking', actions: count },
        back: { target: 'a.was', actions: noted },
        deepBack: 'a.wasDeepIn',
        composed: { guard: and(['even', () => true]), target: 'a' },
        raising: { actions: [raise({ type: 'next' }), noted] },
        inline: { actions: [({ context }: { context: Context }) => void deeds.push(['inline', context.n]), 'keep'] },
      },
    },
    invoking: {
      ...entering('invoking'),
      invoke: { src: 'child', id: 'child' },
      on: { next: 'b', stays: { actions: count } },
    },
    timed: {
      ...entering('timed'),
      after: { soon: { target: 'b', actions: noted }, 1000: 'a' },
      on: { next: 'b', again: { target: 'timed', reenter: true }, end: 'ended', long: 'chosenForEver' },
    },
    chosenForEver: { always: { actions: noted } },
    ended: { type: 'final' },
  },
  on: {
    forbidden: { actions: count },
    root: { actions: [count, noted] },
    'go.b': '.b',
    breakDown: { actions: [noted, 'breakDown', count] },
    misfit: { target: '.b', actions: [noted, 'misfit'] },
    broken: { guard: 'broken', target: '.b', actions: noted },
  },
  output: ({ context, event }) => ({ n: context.n, by: event.type }),
})
