import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Address } from '../../machines/addresses.ts'
import { RESTART_WINDOW_MS } from '../../machines/limits.ts'
import { NO_QUEUE } from '../../machines/queue.ts'
import type { Ending } from '../../machines/records.ts'
import { workspaceMachine } from '../../machines/workspace.ts'
import { withRecovered } from '../../machines/workspace-checks.ts'
import type { Facts, Slot, WorkspaceEvent } from '../../machines/workspace-types.ts'
import { alone } from '../support/machine.ts'
import { anEnding } from '../support/stores.ts'
import { walk } from '../support/walk.ts'

const test = suite('workspace')

const AT = 1_000_000
const aWorkspace = (running: Record<string, Slot>, ...events: WorkspaceEvent[]) => {
  const it = alone(workspaceMachine, { workspaceId: 'w1', running })
  it.send(...events)
  return it
}
const done = (address: Address, output?: unknown): WorkspaceEvent => ({ type: 'child.done', address, output, at: AT })
const failed = (address: Address, at = AT, context: unknown = null): WorkspaceEvent => ({
  type: 'child.failed',
  address,
  message: 'a bug',
  context,
  at,
})
const closings = (it: ReturnType<typeof aWorkspace>) => it.did('startClosing') as { ending: Ending; billed: boolean }[]

for (const [place, billed] of [
  ['held', true],
  ['free', false],
] as const)
  test(`[T25 B3 T24] a task that ended is closed; a ${place} one is ${billed ? '' : 'not '}billed`, () => {
    const ending = anEnding('t1')
    const it = aWorkspace({ t1: place }, done('task:t1', ending))
    assert.equal(closings(it), [{ ending, billed }])
    assert.equal(it.context().running, { t1: billed ? 'charging' : 'free' })
  })

test('[T27 D14] a task that breaks is closed as a crash with what can be saved, never run again', () => {
  const it = aWorkspace({ t1: 'held' }, failed('task:t1', AT, { step: 3 }))
  const [closing] = closings(it)
  assert.equal([closing?.ending.answer, closing?.ending.steps], ['Agent loop crashed: a bug', 3])
  assert.equal(it.did('restart'), [])
})

test('[T34] a slot is free when the final write is done, not earlier, and once', () => {
  const it = aWorkspace({ t1: 'held', t2: 'held' }, done('task:t1', anEnding('t1')), {
    type: 'task.charged',
    taskId: 't1',
  })
  assert.equal(it.context().running, { t1: 'charged', t2: 'held' })
  assert.is(it.context().slotVersion, 1)
  it.send({ type: 'task.written', taskId: 't1' })
  assert.equal(it.context().running, { t2: 'held' })
  it.send({ type: 'task.written', taskId: 't1' }, done('closing:t1'))
  assert.equal([it.context().running, it.context().slotVersion], [{ t2: 'held' }, 2])
})

test('[T34 T33] a closing that found the task ended before frees its slot all the same', () => {
  assert.equal(aWorkspace({ t1: 'held' }, done('closing:t1')).context().running, {})
})

test('a free place stays free while its task is closed', () => {
  const it = aWorkspace({ t1: 'free' }, { type: 'task.charged', taskId: 't1' }, { type: 'task.charged', taskId: 'x' })
  assert.equal([it.context().running, it.context().slotVersion], [{ t1: 'free' }, 0])
})

test('[D13] a start whose record was perhaps kept is closed without a bill', () => {
  const it = aWorkspace({ t1: 'held' }, { type: 'start.failed', taskId: 't1', message: 'm', at: AT })
  const [closing] = closings(it)
  assert.equal([closing?.ending.endedBy, closing?.billed], ['crash', false])
})

test('[T29 T30] a task that nobody runs is closed', () => {
  const ending = anEnding('t1', { endedBy: 'sweep' })
  assert.is(closings(aWorkspace({}, { type: 'task.orphaned', ending, billed: false }))[0]?.ending, ending)
})

test('[D7] after a restart it holds the places of what came back', () => {
  const { running } = withRecovered(
    { startTimes: [], queue: NO_QUEUE },
    { running: { t1: 'charging' }, starts: [], queued: [], places: {}, writers: {} },
  )
  assert.equal(aWorkspace(running).context().running, { t1: 'charging' })
})

test('[T8 D7] after a restart a start whose stamp was lost has one again, and none has two', () => {
  const recovered = (kept: number[], starts: number[]) =>
    withRecovered({ startTimes: kept, queue: NO_QUEUE }, { running: {}, starts, queued: [], places: {}, writers: {} })
      .startTimes
  assert.equal(recovered([], [AT, AT + 5]), [AT, AT + 5])
  assert.equal(recovered([AT, AT + 5], [AT + 5, AT + 5, AT + 1]), [AT, AT + 1, AT + 5, AT + 5])
})

test('[D14] a session that breaks begins anew, its browser is told to come again, its tasks hear of it', () => {
  const it = aWorkspace({ t1: 'held', t2: 'free' }, failed('session:s1'))
  assert.is((it.did('restart')[0] as { address: string }).address, 'session:s1')
  assert.is(it.did('closeBrowserSocket').length, 1)
  const event = { type: 'session.lost', sessionId: 's1', at: AT }
  assert.equal(it.posts(), [
    { to: 'task:t1', event },
    { to: 'task:t2', event },
  ])
})

for (const address of ['session:s1', 'closing:t1'] as const) {
  test(`[D14] ${address} is restarted three times in a minute, not a fourth time`, () => {
    const it = aWorkspace({ t1: 'held' }, failed(address, AT), failed(address, AT + 1), failed(address, AT + 2))
    it.send(failed(address, AT + RESTART_WINDOW_MS - 1))
    assert.is(it.did('restart').length, 3)
    it.send(failed(address, AT + RESTART_WINDOW_MS))
    assert.is(it.did('restart').length, 4)
  })
  test(`[D14] the restarts of ${address} are counted for it alone, and forgotten when it is done`, () => {
    const it = aWorkspace({ t1: 'held' }, failed(address), failed(address), failed(address), failed('session:other'))
    assert.is(it.did('restart').length, 4)
    it.send(done(address))
    assert.equal(Object.keys(it.context().restarts), ['session:other'])
  })
}

test('[D14] a session that is given up: its socket is closed and its tasks hear of it', () => {
  const it = aWorkspace({ t1: 'held' }, ...[0, 1, 2, 3].map((ms) => failed('session:s1', AT + ms)))
  assert.is(it.did('closeBrowserSocket').length, 4)
  assert.is(it.posts().length, 4)
})

test('[D14] a closing that is given up leaves the task to the sweep, and its slot free', () => {
  const it = aWorkspace({ t1: 'held' }, ...[0, 1, 2, 3].map((ms) => failed('closing:t1', AT + ms)))
  assert.equal(it.context().running, {})
})

test('[D7 T8] its window and places are kept', () => {
  const before = alone(workspaceMachine, {
    workspaceId: 'w1',
    running: { t1: 'held' },
    startTimes: [1, 2],
    slotVersion: 3,
  })
  const { running, startTimes, slotVersion } = alone(workspaceMachine, { workspaceId: 'w1' }, before.kept()).context()
  assert.equal([running, startTimes, slotVersion], [{ t1: 'held' }, [1, 2], 3])
})

test('[T9 T34] whatever happens, in any order: never more than five slots', () => {
  const facts: Facts = {
    allowance: { freeRemaining: 1, creditBalance: 2 },
    slotVersion: 0,
    session: { own: true, connected: true, expiresAt: AT + 1 },
  }
  const candidate = (taskId: string) => ({ taskId, facts, final: true, at: AT })
  const places: Slot[] = ['held', 'charging', 'charged', 'free']
  const of = (taskId: string): WorkspaceEvent[] => [
    { type: 'admission.http', ...candidate(taskId) },
    { type: 'admission.internal', ...candidate(taskId) },
    done(`task:${taskId}`, anEnding(taskId)),
    failed(`task:${taskId}`),
    { type: 'task.charged', taskId },
    { type: 'task.written', taskId },
    { type: 'start.failed', taskId, message: 'm', at: AT },
    done(`closing:${taskId}`),
  ]
  const walked = walk(workspaceMachine, {
    input: { workspaceId: 'w1', running: { a: 'held', b: 'held', c: 'free' } },
    events: [...of('t1'), ...of('t2'), ...of('t3'), done('session:s1'), done('delivery:x'), failed('delivery:x')],
    key: ({ context }) => JSON.stringify(Object.entries(context.running).sort()),
    check: ({ snapshot: { context }, path }) => {
      const where = path.join(' → ')
      assert.ok(Object.keys(context.running).length <= 5, where)
      assert.ok(
        Object.values(context.running).every((place) => places.includes(place)),
        where,
      )
      assert.ok(context.slotVersion >= 0, where)
    },
  })
  assert.ok(walked.visits.length > 20)
})

test.run()
