import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnyEventObject, assign, setup } from 'xstate'
import { Registry, type RegistryOptions } from '../../actors/runtime/registry.ts'
import type { Address } from '../../machines/addresses.ts'
import { quietLog, SceneClock, THEN } from '../support/scene.ts'

const test = suite('registry')

function aRegistry(options: Partial<RegistryOptions> = {}) {
  const { lines, log } = quietLog()
  const clock = new SceneClock(THEN)
  const heard: string[] = []
  const changed: string[] = []
  const gone: string[] = []
  const dead: string[] = []
  const registry: Registry = new Registry({
    clock,
    log: { ...log, debug: (of, message) => message === 'A dead letter' && dead.push(Object.values(of).join(' ')) },
    onChange: (address) => void changed.push(address),
    onGone: (address) => void gone.push(address),
    ...options,
  })
  /** An actor that says what it hears, does what it is told, and ends or breaks on demand. */
  const logic = (name: string) =>
    setup({
      types: { events: {} as AnyEventObject, context: {} as { count: number }, output: {} as string },
      actions: {
        note: (_, { event }: { event: AnyEventObject }) => {
          heard.push(`${name} ${event.type} in`)
          event.run?.()
          heard.push(`${name} ${event.type} out`)
        },
      },
    }).createMachine({
      context: { count: 0 },
      initial: 'open',
      states: {
        open: {
          on: {
            end: 'over',
            hide: 'hidden',
            '*': {
              actions: [assign({ count: ({ context }) => context.count + 1 }), { type: 'note', params: (it) => it }],
            },
          },
          after: { 1000: { actions: { type: 'note', params: (it) => it } } },
        },
        hidden: { tags: ['transient'] },
        over: { type: 'final' },
      },
      output: () => `${name} is done`,
    })
  const start = (address: Address, supervisor: Address | null = null, persistent = false) =>
    registry.start(address, () => logic(address), { supervisor, persistent })
  return { registry, clock, heard, changed, gone, dead, lines, logic, start }
}

test('an event reaches the actor at its address', () => {
  const { registry, heard, start } = aRegistry()
  start('task:a')
  start('task:b')
  assert.ok(registry.post('task:b', { type: 'hello' }))
  assert.equal(heard, ['task:b hello in', 'task:b hello out'])
})

test('delivery is in order and never nested: what an actor posts is delivered when it is done', () => {
  const { registry, heard, start } = aRegistry()
  start('task:a')
  start('task:b')
  registry.post('task:a', {
    type: 'one',
    run: () => {
      registry.post('task:b', { type: 'two', run: () => registry.post('task:a', { type: 'four' }) })
      registry.post('task:a', { type: 'three' })
    },
  })
  const order = ['task:a one', 'task:b two', 'task:a three', 'task:a four']
  assert.equal(
    heard,
    order.flatMap((each) => [`${each} in`, `${each} out`]),
  )
})

test('an actor that is started within an action begins afterwards, and is there at once', () => {
  const { registry, heard, start } = aRegistry()
  start('task:a')
  registry.post('task:a', {
    type: 'one',
    run: () => {
      start('task:b')
      assert.ok(registry.has('task:b'))
      registry.post('task:b', { type: 'two' })
      assert.is(registry.snapshot('task:b'), undefined)
    },
  })
  assert.equal(heard.slice(-2), ['task:b two in', 'task:b two out'])
})

test('a timer is delivered like a post', async () => {
  const { clock, heard, start } = aRegistry()
  start('task:a')
  await clock.advance(1_000)
  assert.is(heard.length, 2)
})

test('an event that finds nobody is a dead letter, counted, whether at once or when its turn comes', () => {
  const { registry, dead, start } = aRegistry()
  assert.not(registry.post('task:a', { type: 'hello' }))
  start('task:b')
  registry.deliver(() => {
    registry.post('task:b', { type: 'end' })
    registry.post('task:b', { type: 'late' })
  })
  assert.equal(dead, ['task:a hello', 'task:b late'])
  assert.is(registry.deadLetters, 2)
})

test('an address is taken once', () => {
  const { start } = aRegistry()
  start('task:a')
  assert.throws(() => start('task:a'), 'task:a is running already')
})

test('[D14] what is done reaches its supervisor as an event with its output, and whoever waits', async () => {
  const { registry, start } = aRegistry()
  const told: AnyEventObject[] = []
  start('workspace:w')
  start('task:a', 'workspace:w')
  const done = registry.whenDone('task:a')
  const post = registry.post.bind(registry)
  registry.post = (to, event) => {
    told.push({ to, ...event })
    return post(to, event)
  }
  post('task:a', { type: 'end' })
  assert.is(await done, 'task:a is done')
  assert.equal(told, [{ to: 'workspace:w', type: 'child.done', address: 'task:a', output: 'task:a is done', at: THEN }])
  assert.is(await registry.whenDone('task:a'), undefined)
})

test('[D14] what throws ends that actor alone, is logged with its address, and reaches its supervisor', async () => {
  const { registry, heard, lines, start } = aRegistry()
  start('workspace:w')
  start('task:a', 'workspace:w')
  start('task:b', 'workspace:w')
  const done = registry.whenDone('task:a')
  registry.post('task:a', { type: 'hello' })
  registry.post('task:a', {
    type: 'break',
    run: () => {
      throw new Error('a bug')
    },
  })
  assert.is(await done, undefined)
  assert.ok(heard.includes('workspace:w child.failed in'))
  assert.equal([registry.has('task:a'), registry.has('task:b')], [false, true])
  const [line] = lines.filter(({ level }) => level === 'error')
  assert.is((line?.fields as { address?: string } | undefined)?.address, 'task:a')
  registry.post('task:b', { type: 'still here' })
  assert.ok(heard.includes('task:b still here in'))
})

test('a machine that an action of another asks for is made after that action, as XState wants it', () => {
  const { registry, heard, start, logic } = aRegistry()
  const warnings: string[] = []
  const { warn } = console
  console.warn = (message: string) => void warnings.push(message)
  try {
    start('task:a')
    const starts = () => registry.start('task:b', () => logic('task:b'), { supervisor: null })
    registry.post('task:a', { type: 'go', run: starts })
    registry.post('task:b', { type: 'hello' })
  } finally {
    console.warn = warn
  }
  assert.ok(heard.includes('task:b hello in'))
  assert.equal(warnings, [])
})

test('[D14] what does not fit its machine is a failure of that actor', () => {
  const { registry, heard, start } = aRegistry()
  start('workspace:w')
  const machine = setup({}).createMachine({ initial: 'a', states: { a: {} } })
  for (const snapshot of [{ status: 'active', value: 'nowhere', context: {}, children: {} }, 'nonsense', {}])
    registry.start('task:a', () => machine, { snapshot, supervisor: 'workspace:w' })
  assert.is(heard.filter((line) => line === 'workspace:w child.failed in').length, 3)
})

test('[D14] a throw in a delivery that is no actor stops no other', () => {
  const { registry, heard, lines, start } = aRegistry()
  start('task:a')
  registry.deliver(() => {
    registry.deliver(() => {
      throw new Error('a bug')
    })
    registry.post('task:a', { type: 'after' })
  })
  assert.ok(heard.includes('task:a after in'))
  assert.is(lines.filter(({ level }) => level === 'error').length, 1)
})

test('[D14] a throw as an actor ends is logged, and does not reach the process', () => {
  const { registry, lines, start } = aRegistry({ onRemoved: () => assert.unreachable('a bug') })
  for (const event of [{ type: 'end' }, { type: 'breaks', run: () => assert.unreachable('a bug') }]) {
    start(`task:${event.type}`)
    registry.post(`task:${event.type}`, event)
  }
  assert.is(lines.filter(({ message }) => message === 'A delivery failed').length, 2)
})

test('[D7] persistent actors tell their changes and their end; unkept states and other actors do not', () => {
  const { registry, changed, gone, start } = aRegistry()
  start('task:persistent', null, true)
  start('task:other')
  registry.post('task:other', { type: 'hello' })
  changed.length = 0
  registry.post('task:persistent', { type: 'hello' })
  assert.equal(changed, ['task:persistent'])
  registry.post('task:persistent', { type: 'hide' })
  assert.equal(changed, ['task:persistent'])
  start('call:done', null, true)
  registry.post('call:done', { type: 'end' })
  registry.post('task:other', { type: 'end' })
  assert.equal(gone, ['call:done'])
})

test('[D7] an actor that comes back is not written again before something happens to it', () => {
  const { registry, heard, changed, logic } = aRegistry()
  const snapshot = { status: 'active', value: 'open', historyValue: {}, context: { count: 3 }, children: {} }
  const back = { snapshot, supervisor: null, persistent: true, resume: { type: 'resumed' } }
  registry.start('task:back', () => logic('task:back'), back)
  assert.equal(heard, ['task:back resumed in', 'task:back resumed out'])
  assert.equal(changed, [])
  registry.post('task:back', { type: 'hello' })
  assert.equal(changed, ['task:back'])
})

test('[D10] a stopped actor hears nothing more, tells nobody, keeps its row, and leaves no timer', async () => {
  const { registry, heard, gone, clock, start } = aRegistry()
  start('workspace:w')
  start('task:a', 'workspace:w', true)
  const done = registry.whenDone('task:a')
  registry.stop('task:a')
  assert.is(await done, undefined)
  assert.equal([gone, heard], [[], []])
  registry.stopAll()
  assert.is(clock.pending, 0)
})

test('actors are counted by their actorKind', () => {
  const { registry, start } = aRegistry()
  start('task:a')
  start('task:b')
  start('call:c')
  registry.post('task:a', { type: 'end' })
  registry.stop('call:c')
  assert.equal([registry.count('task'), registry.count('call'), registry.count('session')], [1, 0, 0])
  assert.equal(
    [...registry.list()].map(({ address }) => address),
    ['task:b'],
  )
})

test.run()
