import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { KEEP_MS_MAX } from '../../actors/limits.ts'
import type { Write } from '../../actors/runtime/ports.ts'
import { ROW_VERSIONS } from '../../actors/runtime/row-versions.ts'
import type { Append } from '../../actors/runtime/snapshot-writer.ts'
import { rowOf, SnapshotWriter } from '../../actors/runtime/snapshot-writer.ts'
import type { Address } from '../../machines/addresses.ts'
import { STORE_RETRY_MS } from '../../machines/limits.ts'
import { appending, textsIn } from '../support/logs.ts'
import { quietLog, SceneClock, SceneStore, settled, THEN } from '../support/scene.ts'

const test = suite('snapshots')

function aKeeper() {
  const clock = new SceneClock(THEN)
  const store = new SceneStore()
  const { lines, log } = quietLog()
  const states = new Map<string, unknown>()
  const ended: Address[] = []
  const snapshotWriter = new SnapshotWriter({
    store: store.connect().store,
    clock,
    log,
    persisted: (address) => states.get(address),
    refused: (addresses) => void ended.push(...addresses),
  })
  /** An actor changed. */
  const change = (address: Address, state: unknown, workspaceId = 'w') => {
    states.set(address, state)
    snapshotWriter.markDirty(workspaceId, address)
  }
  return { clock, store, lines, states, snapshotWriter, change, ended }
}
const anAppend = (taskId: string, n: number, text: string): Append => {
  const write = appending(taskId, n, text)
  return { workspaceId: 'w', taskId, write: () => write, settled() {} }
}
const kinds = (commit: readonly Write[] | undefined) => commit?.map(({ kind }) => kind)

/** Whether a promise is settled by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  void promise.then(() => {
    done = true
  })
  await settled()
  return done
}

test('[D5] all that was marked in one moment is one commit, each row once and as it is then', async () => {
  const { store, snapshotWriter, change } = aKeeper()
  change('task:a', 'one')
  snapshotWriter.add(anAppend('a', 0, 'x'))
  change('task:b', 'one')
  change('task:a', 'two')
  assert.is(snapshotWriter.lag, 3)
  await snapshotWriter.barrier('w')
  assert.is(store.commits.length, 1)
  assert.equal(store.rows.get('task:a'), { address: 'task:a', version: ROW_VERSIONS.task, at: THEN, snapshot: 'two' })
  assert.is(store.journal('a').length, 1)
  assert.is(snapshotWriter.lag, 0)
})

test('[D21] since when commits fail is known until one succeeds', async () => {
  const { store, clock, snapshotWriter, change } = aKeeper()
  assert.is(snapshotWriter.failingSince, null)
  store.fault = () => 'rejects'
  change('task:a', 'one')
  await clock.advance(KEEP_MS_MAX)
  const since = clock.now()
  assert.is(snapshotWriter.failingSince, since)
  await clock.advance(10 * STORE_RETRY_MS)
  assert.is(snapshotWriter.failingSince, since)
  store.fault = () => null
  await clock.advance(STORE_RETRY_MS)
  assert.is(snapshotWriter.failingSince, null)
})

test('[D21] a row that cannot be read or written ends its actor alone', async () => {
  const { store, clock, states, snapshotWriter, change, ended } = aKeeper()
  const circular: Record<string, unknown> = {}
  circular.self = circular
  store.fault = (name, [writes]) => {
    if (name === 'commit') JSON.stringify(writes)
    return null
  }
  change('task:bad', circular)
  change('task:good', 'one')
  const kept = snapshotWriter.barrier('w')
  await clock.advance(10 * STORE_RETRY_MS)
  await kept
  assert.equal(ended, ['task:bad'])
  assert.is(store.rows.get('task:good')?.snapshot, 'one')
  assert.not(store.rows.has('task:bad'))
  states.delete('task:bad')
  assert.is(snapshotWriter.lag, 0)
})

test('[D5] what nobody waits for is written a moment later, all of that time by one commit', async () => {
  const { store, clock, snapshotWriter, change } = aKeeper()
  change('task:a', 'one')
  await clock.advance(KEEP_MS_MAX - 1)
  snapshotWriter.add(anAppend('a', 0, 'x'))
  change('task:a', 'two')
  assert.is(store.commits.length, 0)
  await clock.advance(1)
  assert.equal(store.commits.map(kinds), [['log.append', 'actor.put']])
  change('task:a', 'three')
  await clock.advance(KEEP_MS_MAX)
  assert.is(store.commits.length, 2)
})

test('[D5] and goes along with what somebody waits for, which calls the wait off', async () => {
  const { store, clock, snapshotWriter, change } = aKeeper()
  change('task:a', 'one')
  change('task:b', 'one')
  await snapshotWriter.barrier('w')
  assert.equal(store.commits.map(kinds), [['actor.put', 'actor.put']])
  assert.is(clock.pending, 0)
  change('task:a', 'two')
  await clock.advance(KEEP_MS_MAX)
  assert.is(store.commits.length, 2)
})

test('[D14] what is marked is written at once when the clock throws, and who marks notices nothing', async () => {
  const { store, clock, lines, change } = aKeeper()
  clock.setTimeout = () => {
    throw new Error('no timers left')
  }
  change('task:a', 'one')
  await settled()
  assert.equal(store.commits.map(kinds), [['actor.put']])
  assert.is(lines.filter(({ level }) => level === 'warn').length, 1)
})

test('[D4 D5] journal first, then rows, and removals last: a new owner is there before the old one is gone', async () => {
  const { store, snapshotWriter, change } = aKeeper()
  snapshotWriter.markDeleted('w', 'task:a')
  change('closing:a', 'begun')
  snapshotWriter.add(anAppend('a', 0, 'x'))
  await snapshotWriter.barrier('w')
  assert.equal(kinds(store.commits[0]), ['log.append', 'actor.put', 'actor.remove'])
})

test('an actor that is gone when its row is written is removed', async () => {
  const { store, states, snapshotWriter, change } = aKeeper()
  change('task:a', 'one')
  states.delete('task:a')
  await snapshotWriter.barrier('w')
  assert.equal(kinds(store.commits[0]), ['actor.remove'])
})

test('a row that was forgotten and marked again is put', async () => {
  const { store, snapshotWriter, change } = aKeeper()
  snapshotWriter.markDeleted('w', 'closing:a')
  change('closing:a', 'anew')
  await snapshotWriter.barrier('w')
  assert.equal(kinds(store.commits[0]), ['actor.put'])
})

test('[D5] a commit that never answers keeps its barrier, and every later one, waiting', async () => {
  const { store, snapshotWriter, change } = aKeeper()
  store.fault = (name) => (name === 'commit' ? 'hangs' : null)
  change('task:a', 'one')
  const first = snapshotWriter.barrier('w')
  assert.not(await isDone(first))
  store.fault = () => null
  assert.not(await isDone(snapshotWriter.barrier('w')))
})

test('[D5] a barrier during a commit comes after the next one', async () => {
  const { store, snapshotWriter, change } = aKeeper()
  change('task:a', 'one')
  const first = snapshotWriter.barrier('w')
  await new Promise<void>((resolve) => setImmediate(resolve))
  change('task:b', 'one')
  await Promise.all([first, snapshotWriter.barrier('w')])
  assert.is(store.commits.length, 2)
  assert.ok(store.rows.has('task:b'))
})

test('[W18 D5] a commit of one workspace that hangs holds up what it writes itself, and no other workspace', async () => {
  const { store, snapshotWriter, change } = aKeeper()
  store.fault = (name, [writes]) => (name === 'commit' && JSON.stringify(writes).includes('task:a') ? 'hangs' : null)
  change('task:a', 'one', 'hung')
  change('task:b', 'one', 'well')
  const hung = snapshotWriter.barrier('hung')
  const all = snapshotWriter.barrier()
  assert.ok(await isDone(snapshotWriter.barrier('well')))
  change('task:b', 'two', 'well')
  assert.ok(await isDone(snapshotWriter.barrier('well')))
  assert.equal(
    store.commits.map((commit) => commit.length),
    [1, 1],
  )
  assert.is(store.rows.get('task:b')?.snapshot, 'two')
  change('task:c', 'one', 'hung')
  assert.not(await isDone(snapshotWriter.barrier('hung')))
  assert.not(await isDone(Promise.race([hung, all])))
})

test('[W18 D13 D21] commits of one workspace that fail are repeated by themselves; the store is well when others succeed', async () => {
  const { store, clock, snapshotWriter, change, ended } = aKeeper()
  store.fault = (name, [writes]) => (name === 'commit' && JSON.stringify(writes).includes('task:a') ? 'rejects' : null)
  change('task:a', 'one', 'refused')
  const refused = snapshotWriter.barrier('refused')
  await settled()
  assert.is(snapshotWriter.failingSince, THEN)
  change('task:b', 'one', 'well')
  assert.ok(await isDone(snapshotWriter.barrier('well')))
  assert.is(snapshotWriter.failingSince, null)
  assert.not(await isDone(refused))
  await clock.advance(10 * STORE_RETRY_MS)
  assert.ok(await isDone(refused))
  assert.equal([ended, snapshotWriter.lag, snapshotWriter.failingSince], [['task:a'], 0, null])
})

test('a barrier with nothing to write is over at once, and writes nothing', async () => {
  const { store, snapshotWriter } = aKeeper()
  assert.ok(await isDone(snapshotWriter.barrier('w')))
  assert.is(store.commits.length, 0)
})

test('[D13] a store that takes no writes is tried again every second, with what came since, until it does', async () => {
  const { store, clock, snapshotWriter, change, lines } = aKeeper()
  store.fault = (name) => (name === 'commit' ? 'rejects' : null)
  change('task:a', 'one')
  snapshotWriter.add(anAppend('a', 0, 'x'))
  const barrier = snapshotWriter.barrier('w')
  await clock.advance(STORE_RETRY_MS * 2)
  assert.is(snapshotWriter.failingSince, THEN)
  assert.is(store.rows.size, 0)
  // What was marked since is newer.
  change('task:a', 'two')
  snapshotWriter.add(anAppend('a', 1, 'y'))
  snapshotWriter.markDeleted('w', 'task:b')
  assert.not(await isDone(barrier))
  store.fault = () => null
  await clock.advance(STORE_RETRY_MS - 1)
  assert.not(await isDone(barrier))
  await clock.advance(1)
  assert.ok(await isDone(barrier))
  assert.is(snapshotWriter.failingSince, null)
  assert.is(store.rows.get('task:a')?.snapshot, 'two')
  assert.equal(kinds(store.commits[0]), ['log.append', 'log.append', 'actor.put', 'actor.remove'])
  assert.equal(textsIn(store.entries('a')), ['x', 'y'])
  // Said once, not once a second.
  assert.is(lines.filter(({ level }) => level === 'error').length, 1)
})

test('[D13] what was removed while the store was away and came back is put', async () => {
  const { store, clock, snapshotWriter, change } = aKeeper()
  store.fault = () => 'rejects'
  snapshotWriter.markDeleted('w', 'closing:a')
  await clock.advance(KEEP_MS_MAX)
  assert.is(snapshotWriter.failingSince, clock.now())
  change('closing:a', 'anew')
  store.fault = () => null
  await clock.advance(STORE_RETRY_MS)
  assert.equal(kinds(store.commits[0]), ['actor.put'])
})

test('[D13] what changed while a commit was under way that fails is newer than what it had', async () => {
  const { store, clock, snapshotWriter, states } = aKeeper()
  snapshotWriter.markDeleted('w', 'closing:a')
  store.fault = () => {
    store.fault = () => null
    states.set('closing:a', 'anew')
    snapshotWriter.markDirty('w', 'closing:a')
    return 'rejects'
  }
  await clock.advance(KEEP_MS_MAX + STORE_RETRY_MS)
  assert.equal(kinds(store.commits[0]), ['actor.put'])
})

test('[D10] a snapshotWriter that is stopped writes nothing more', async () => {
  const { store, clock, snapshotWriter, change } = aKeeper()
  change('task:a', 'one')
  snapshotWriter.stop()
  change('task:b', 'one')
  await clock.advance(KEEP_MS_MAX)
  assert.is(store.commits.length, 0)
})

test('a row says its version', () => assert.is(rowOf('task:a', 1, null).version, ROW_VERSIONS.task))

test.run()
