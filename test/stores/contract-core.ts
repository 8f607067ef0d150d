import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { Write } from '../../actors/runtime/ports.ts'
import { journalOf } from '../../machines/journal.ts'
import type { LogEntry } from '../../machines/task-log.ts'
import { appending, aReplied, aResult, textsIn } from '../support/logs.ts'
import { anEnding, anEntry, aTask, collected, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

const row = (address: string, snapshot: unknown) => ({ address, version: 1, at: THEN, snapshot })

export function coreContract(test: Test): void {
  const rowOf = async (pair: Parameters<Parameters<Test>[1]>[0], address: string) =>
    (await collected(pair.seen.actors())).find((kept) => kept.address === address)

  test('[D1] answers a ping', async ({ store }) => {
    assert.is(await store.ping(), true)
  })

  test('[D1] commits every kind of write', async (pair) => {
    const record = aTask()
    const gone = `session:${randomUUID()}`
    await pair.store.commit([{ kind: 'actor.put', row: row(gone, {}) }])
    assert.ok(await rowOf(pair, gone))
    const snapshot = { value: 'thinking', context: { $set: { 'a.b': null }, list: [1, 2.5, true, 'ü😀'], '': {} } }
    await pair.store.commit([
      { kind: 'actor.remove', address: gone },
      { kind: 'actor.put', row: row(`task:${record.id}`, snapshot) },
      { kind: 'task.insert', record },
      appending(record.id, 1, 'a'),
    ])
    assert.equal(await pair.seen.tasks.get(record.id), record)
    assert.equal(await rowOf(pair, `task:${record.id}`), row(`task:${record.id}`, snapshot))
    assert.is(await rowOf(pair, gone), undefined)
    assert.equal(journalOf(await pair.seen.log(record.id)), [anEntry('a')])
  })

  test('[D1] accepts an empty commit', async ({ store }) => {
    await store.commit([])
  })

  test('[D1] keeps the last of two rows of one address in one commit', async (pair) => {
    const address = `task:${randomUUID()}`
    const puts = [1, 2].map((n): Write => ({ kind: 'actor.put', row: row(address, { n }) }))
    await pair.store.commit(puts)
    assert.equal((await rowOf(pair, address))?.snapshot, { n: 2 })
  })

  test('[D1] gives a log in the order of its numbers, however it was written', async ({ store, seen }) => {
    const taskId = randomUUID()
    const seqs = Array.from({ length: 120 }, (_, index) => (index * 37) % 120)
    const append = (seq: number) => appending(taskId, seq, String(seq))
    await store.commit(seqs.slice(0, 60).map(append))
    await Promise.all(seqs.slice(60).map((seq) => store.commit([append(seq)])))
    const texts = textsIn(await seen.log(taskId))
    assert.equal(
      texts,
      Array.from({ length: 120 }, (_, index) => String(index)),
    )
    assert.equal(await store.log(randomUUID()), [])
  })

  test('[T52] gives what a log has of one step, wherever that begins and ends in its rows', async ({ store, seen }) => {
    const [taskId, workspaceId] = [randomUUID(), randomUUID()]
    let n = 0
    const steps: LogEntry[] = Array.from({ length: 40 }, (_, index) => index).flatMap((step): LogEntry[] => [
      { ...aResult(++n, `result of ${step}`), public: { ...aResult(n, '').public, step } } as LogEntry,
      ...Array.from({ length: step % 4 }, (): LogEntry => {
        return { n: ++n, kind: 'task.state', at: THEN, public: { state: 'thinking' } }
      }),
      // It may be late.
      { n: ++n, kind: 'picture.taken', at: THEN, public: { step: Math.max(0, step - 1), call_id: 'c', picture: 1 } },
    ])
    for (let at = 0, size = 1; at < steps.length; at += size, size = (size % 5) + 1) {
      const entries = steps.slice(at, at + size)
      await store.commit([{ kind: 'log.append', record: { taskId, workspaceId, position: null, entries } }])
    }
    const ofStep = (log: readonly LogEntry[], step: number) =>
      log.filter((entry) => entry.kind === 'tool.result' && entry.public.step === step)
    for (let step = -1; step < 42; step++)
      assert.equal(ofStep(await seen.log(taskId, { step }), step), ofStep(steps, step), `step ${step}`)
    assert.ok((await seen.log(taskId, { step: 20 })).length < 10)
    assert.equal(await store.log(randomUUID(), { step: 1 }), [])
  })

  test('[T52 D8] finds a step among rows of any shape, and what comes behind an entry', async ({ store, seen }) => {
    const workspaceId = randomUUID()
    const reply = (n: number, step: number): LogEntry => ({ ...aReplied(n), public: { ...aReplied(n).public, step } })
    const result = (n: number, step: number) =>
      ({ ...aResult(n, `${n}`), public: { ...aResult(n, '').public, step } }) as LogEntry
    const state = (n: number): LogEntry => ({ n, kind: 'task.state', at: THEN, public: { state: 'thinking' } })
    const shapes: Record<string, (LogEntry[] | LogEntry)[]> = {
      'one row for all': [[result(1, 0), reply(2, 1), result(3, 1), reply(4, 2), result(5, 2), result(6, 2)]],
      'one long step, at the end': [
        [reply(1, 1)],
        [reply(2, 2)],
        ...Array.from({ length: 30 }, (_, n) => result(n + 3, 2)),
      ],
      'one long step, at the start': [
        reply(1, 1),
        ...Array.from({ length: 30 }, (_, n) => result(n + 2, 1)),
        reply(32, 2),
      ],
      'steps are left out': [
        reply(1, 1),
        result(2, 1),
        reply(3, 40),
        result(4, 40),
        [state(5), reply(6, 41)],
        result(7, 41),
      ],
      'a step begins in the row of the one before': [
        reply(1, 1),
        [result(2, 1), reply(3, 2)],
        [result(4, 2), reply(5, 3)],
      ],
      'rows of no step around and at the ends': [
        state(1),
        state(2),
        reply(3, 1),
        state(4),
        state(5),
        result(6, 1),
        state(7),
      ],
      'rows of no step alone': [state(1), state(2)],
      'numbers of a version without events': [reply(-3, 1), result(-2, 1), [reply(-1, 2)], result(1, 2), result(2, 2)],
    }
    for (const [shape, rows] of Object.entries(shapes)) {
      const taskId = randomUUID()
      for (const row of rows)
        await store.commit([
          { kind: 'log.append', record: { taskId, workspaceId, position: null, entries: [row].flat() } },
        ])
      const all = rows.flat()
      const ofStep = (log: readonly LogEntry[], step: number) =>
        log.filter(({ kind, public: said }) => kind !== 'task.state' && 'step' in said && said.step === step)
      for (const step of [0, 1, 2, 3, 4, 39, 40, 41, 42])
        assert.equal(ofStep(await seen.log(taskId, { step }), step), ofStep(all, step), `${shape}: step ${step}`)
      for (const after of [-4, -2, 0, 1, 2, 4, 6, 99])
        assert.equal(
          await seen.log(taskId, { after }),
          all.filter(({ n }) => n > after),
          `${shape}: after ${after}`,
        )
    }
  })

  test('[D12] a commit that is tried again whole changes nothing', async (pair) => {
    const record = aTask()
    const address = `task:${record.id}`
    const writes: Write[] = [
      appending(record.id, 1, 'a'),
      { kind: 'task.insert', record },
      { kind: 'actor.put', row: row(address, { n: 1 }) },
      { kind: 'actor.remove', address: 'task:none' },
    ]
    await pair.store.commit(writes.slice(0, 2))
    await pair.store.commit(writes)
    await Promise.all([pair.store.commit(writes), pair.other.commit(writes), pair.store.commit(writes)])
    assert.equal(journalOf(await pair.store.log(record.id)), [anEntry('a')])
    assert.equal(await pair.store.tasks.get(record.id), record)
    assert.equal((await rowOf(pair, address))?.snapshot, { n: 1 })
  })

  test('[T33] a commit that is tried again does not bring an ended task back', async ({ store }) => {
    const record = aTask()
    await store.commit([{ kind: 'task.insert', record }])
    assert.is(await store.tasks.end(anEnding(record.id)), 'ended')
    await store.commit([{ kind: 'task.insert', record }])
    assert.is((await store.tasks.get(record.id))?.status, 'complete')
    const running = await collected(store.tasks.running())
    assert.not.ok(running.some(({ id }) => id === record.id))
  })

  test('[D7] gives back every kept actor, more than one batch of them', async ({ store, seen }) => {
    const prefix = `closing:${randomUUID()}`
    const addresses = Array.from({ length: 2_500 }, (_, index) => `${prefix}:${index}`).sort()
    await store.commit(addresses.map((address) => ({ kind: 'actor.put', row: row(address, {}) })))
    const kept = (await collected(seen.actors())).map(({ address }) => address)
    assert.equal(kept.filter((address) => address.startsWith(prefix)).sort(), addresses)
    await store.commit(addresses.map((address) => ({ kind: 'actor.remove', address })))
    const left = (await collected(seen.actors())).map(({ address }) => address)
    assert.equal(
      left.filter((address) => address.startsWith(prefix)),
      [],
    )
  })

  test('[D1] neither keeps nor gives an object that somebody else holds', async ({ store }) => {
    const record = aTask()
    const snapshot = { list: [1] }
    const address = `task:${record.id}`
    const committed = store.commit([
      { kind: 'task.insert', record },
      { kind: 'actor.put', row: row(address, snapshot) },
    ])
    await committed
    snapshot.list.push(2)
    const got = (await store.tasks.get(record.id)) as { usage: { apiCalls: number }; answer: unknown }
    got.usage.apiCalls = 99
    got.answer = 'changed'
    assert.equal(await store.tasks.get(record.id), record)
    const kept = (await collected(store.actors())).find((one) => one.address === address)
    assert.equal(kept?.snapshot, { list: [1] })
  })

  test('[N5] the first proposal of a setting is kept, of 20 at once too', async ({ store, other, seen }) => {
    const name = `secret ${randomUUID()}`
    const proposals = Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? store : other).setting(name, () => `proposal ${index}`),
    )
    const [first, ...rest] = await Promise.all(proposals)
    assert.match(first ?? '', /^proposal \d+$/)
    for (const one of rest) assert.is(one, first)
    assert.is(await seen.setting(name, () => 'late'), first)
  })
}
