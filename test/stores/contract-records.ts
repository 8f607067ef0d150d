import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import { DAY_MS } from '../../machines/limits.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'
import { aKey, anEnding, aPairing, aSession, aTask, aUsage, aWorkspace, eventually, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

export function recordsContract(test: Test): void {
  test('[S9] sessions: kept, found by id and token, listed newest first, those of a key alone', async ({
    store,
    seen,
  }) => {
    const workspaceId = randomUUID()
    const keyId = randomUUID()
    const sessions = [0, 1, 2].map((n) => aSession({ workspaceId, createdAt: THEN + n, keyId: n === 1 ? null : keyId }))
    for (const session of [...sessions, aSession()]) await store.sessions.insert(session)
    const [first, second, third] = sessions
    assert.equal(await seen.sessions.get(first?.id ?? ''), first)
    assert.equal(await seen.sessions.byTokenHash(second?.tokenHash ?? ''), second)
    assert.equal(await seen.sessions.list(workspaceId, null), [third, second, first])
    assert.equal(await seen.sessions.list(workspaceId, keyId), [third, first])
    assert.is(await seen.sessions.byTokenHash('none'), null)
  })

  test('[S12] a removed session is gone, its token too, and an update does not bring it back', async ({
    store,
    other,
    seen,
  }) => {
    const session = aSession()
    await store.sessions.insert(session)
    await store.sessions.update(session.id, { tabId: 7, lastHeartbeat: THEN })
    await store.sessions.update(session.id, { windowId: 8 })
    const changed = { ...session, tabId: 7, windowId: 8, lastHeartbeat: THEN }
    assert.equal(await seen.sessions.get(session.id), changed)
    assert.equal(
      await Promise.all([store.sessions.remove(session.id), other.sessions.remove(session.id)]).then((all) =>
        all.sort(),
      ),
      [false, true],
    )
    await store.sessions.update(session.id, { tabId: 9 })
    assert.is(await store.sessions.get(session.id), null)
    assert.is(await seen.sessions.byTokenHash(session.tokenHash), null)
    assert.equal(await store.sessions.list(session.workspaceId, null), [])
  })

  test('[S22] sessions that expired before a moment are swept with their tokens, others stay', async ({
    store,
    seen,
  }) => {
    const workspaceId = randomUUID()
    // Nobody else's session of these tests is as old.
    const [old, kept] = [1_000, 2_000].map((expiresAt) => aSession({ workspaceId, expiresAt }))
    if (!old || !kept) throw new Error('two were made')
    for (const session of [old, kept]) await store.sessions.insert(session)
    assert.is(await store.sessions.sweep(kept.expiresAt), 1)
    assert.is(await store.sessions.sweep(kept.expiresAt), 0)
    assert.equal(await seen.sessions.list(workspaceId, null), [kept])
    assert.is(await seen.sessions.byTokenHash(old.tokenHash), null)
    assert.equal(await seen.sessions.byTokenHash(kept.tokenHash), kept)
  })

  test('[S6] of 50 that consume a pairing at once exactly one gets it', async ({ store, other, seen }) => {
    const pairing = aPairing()
    await store.pairings.insert(pairing)
    assert.equal(await seen.pairings.get(pairing.tokenHash), pairing)
    const takers = Array.from({ length: 50 }, (_, n) => (n % 2 ? store : other).pairings.consume(pairing.tokenHash))
    const got = (await Promise.all(takers)).filter((one) => one !== null)
    assert.equal(got, [pairing])
    assert.is(await store.pairings.get(pairing.tokenHash), null)
    assert.is(await store.pairings.consume(randomUUID()), null)
  })

  test('traces of a task: the newest of a kind, retired with the task', async ({ store, seen }) => {
    const task = aTask({ status: 'running' })
    await store.commit([{ kind: 'task.insert', record: task }])
    assert.is(await store.traces.get(task.id, 'transitions'), null)
    await store.traces.keep(task.id, 'transitions', '[1]')
    await store.traces.keep(task.id, 'transitions', '[1,2]')
    await store.traces.keep(task.id, 'webhook', '{"a.b":"$c"}')
    assert.is(await seen.traces.get(task.id, 'transitions'), '[1,2]')
    assert.is(await seen.traces.get(task.id, 'webhook'), '{"a.b":"$c"}')
    await store.tasks.end(anEnding(task.id, { completedAt: THEN }))
    await store.tasks.retire(THEN + 1, 10)
    assert.is(await store.traces.get(task.id, 'transitions'), null)
    assert.is(await seen.traces.get(task.id, 'webhook'), null)
  })

  test('[S3] a sweep forgets the pairings that expired, and no other', async ({ store, seen }) => {
    const [old, due, fresh] = [-1, 0, 1].map((n) => aPairing({ expiresAt: THEN + n }))
    for (const one of [old, due, fresh]) if (one) await store.pairings.insert(one)
    await store.pairings.sweep(THEN)
    assert.is(await seen.pairings.get(old?.tokenHash ?? ''), null)
    assert.equal(await seen.pairings.get(due?.tokenHash ?? ''), due)
    assert.equal(await seen.pairings.get(fresh?.tokenHash ?? ''), fresh)
  })

  test('[K5] keys: found by hash, listed oldest first, touched, removed in their workspace only', async ({ store }) => {
    const workspaceId = randomUUID()
    const keys = [0, 1, 2].map((n) => aKey({ workspaceId, createdAt: THEN + n }))
    for (const key of keys.toReversed()) await store.keys.insert(key)
    const [first = aKey(), second = aKey(), third] = keys
    assert.equal(await store.keys.list(workspaceId), keys)
    assert.is(await store.keys.remove(randomUUID(), first.id), false)
    assert.is(await store.keys.remove(workspaceId, randomUUID()), false)
    assert.equal(await store.keys.byHash(first.keyHash), first)
    await store.keys.touch(first.id, THEN + 9)
    assert.equal(await store.keys.list(workspaceId), [{ ...first, lastUsedAt: THEN + 9 }, second, third])
    const nobody = randomUUID()
    assert.equal(await store.keys.missing([first.id, nobody, second.id]), [nobody])
    assert.equal(await store.keys.missing([]), [])
    assert.is(await store.keys.remove(workspaceId, first.id), true)
    assert.equal(await store.keys.missing([first.id, second.id]), [first.id])
    assert.is(await store.keys.remove(workspaceId, first.id), false)
    assert.is(await store.keys.byHash(first.keyHash), null)
    await store.keys.touch(first.id, THEN)
    assert.equal(await store.keys.list(workspaceId), [second, third])
  })

  test('[D1] what a key was changed to by its reader is not what the next one reads', async ({ store }) => {
    const key = aKey()
    await store.keys.insert(key)
    for (let n = 0; n < 3; n++) {
      const got = (await store.keys.byHash(key.keyHash)) as { workspaceId: string }
      assert.is(got.workspaceId, key.workspaceId)
      got.workspaceId = 'changed'
    }
  })

  test('[Q4] a key that another process makes or revokes is seen within a second', async ({ store, other }) => {
    const key = aKey()
    assert.is(await other.keys.byHash(key.keyHash), null)
    await store.keys.insert(key)
    await eventually('the key is seen', async () => (await other.keys.byHash(key.keyHash)) !== null, 1_000)
    await store.keys.remove(key.workspaceId, key.id)
    await eventually('the key is refused', async () => (await other.keys.byHash(key.keyHash)) === null, 1_000)
  })

  test('[D12] of 20 workspaces with one id the first is kept, and all are told so', async ({ store, other, seen }) => {
    const id = randomUUID()
    const records = Array.from({ length: 20 }, (_, n) => aWorkspace({ id, name: `name ${n} ${id}` }))
    const kept = await Promise.all(records.map((record, n) => (n % 2 ? store : other).workspaces.insert(record)))
    const winner = await store.workspaces.get(id)
    assert.ok(winner)
    for (const one of kept) assert.equal(one, winner)
    assert.equal(
      (await seen.workspaces.list()).filter((one) => one.id === id),
      [winner],
    )
  })

  test('[D1] workspaces are found by name and by member', async ({ store, seen }) => {
    const [me, you] = [randomUUID(), randomUUID()]
    const mine = aWorkspace({ members: [me] })
    const ours = aWorkspace({ members: [you, me], createdAt: THEN + 1 })
    const nobodys = aWorkspace()
    for (const one of [ours, mine, nobodys]) await store.workspaces.insert(one)
    assert.equal(await seen.workspaces.ofMember(me), [mine, ours])
    assert.equal(await seen.workspaces.ofMember(you), [ours])
    assert.equal(await seen.workspaces.ofMember(randomUUID()), [])
    assert.equal(await seen.workspaces.byName(nobodys.name), nobodys)
    assert.is(await seen.workspaces.byName(`no ${nobodys.name}`), null)
    assert.is(await seen.workspaces.get(randomUUID()), null)
  })

  test('[D1] [D12] a workspace is changed one change after the other, wherever they come from', async ({
    store,
    other,
    seen,
  }) => {
    const [me, you] = [randomUUID(), randomUUID()]
    const made = aWorkspace({ members: [me] })
    await store.workspaces.insert(made)
    assert.equal(await seen.workspaces.get(made.id), made)
    const join = (user: string) => (now: WorkspaceRecord) => ({
      ...now,
      members: [...now.members, user],
      roles: { ...now.roles, [user]: 'viewer' as const },
    })
    const users = Array.from({ length: 20 }, () => randomUUID())
    await Promise.all(users.map((user, n) => (n % 2 ? store : other).workspaces.update(made.id, join(user))))
    const kept = await seen.workspaces.get(made.id)
    assert.equal(new Set(kept?.members), new Set([me, ...users]))
    assert.equal(new Set(Object.keys(kept?.roles ?? {})), new Set(users))
    assert.is(kept?.version, 20)
    assert.is(await store.workspaces.update(made.id, () => null), null)
    assert.is(await store.workspaces.update(randomUUID(), join(you)), null)
    const left = await store.workspaces.update(made.id, (now) => ({ ...now, members: [you], roles: {} }))
    assert.equal(await seen.workspaces.ofMember(me), [])
    assert.equal(await seen.workspaces.ofMember(you), [left])
  })

  test('[B13] a usage record counts once, however often and from where it is written', async ({
    store,
    other,
    seen,
  }) => {
    const record = aUsage()
    await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).usage.record(record)))
    await store.usage.record({ ...record, inputTokens: 1_000 })
    const day = Math.floor(THEN / DAY_MS) * DAY_MS
    const { inputTokens, outputTokens, apiCalls, model } = record
    const once = { day, model, tasks: 1, inputTokens, outputTokens, apiCalls }
    assert.equal(await seen.usage.totals(record.workspaceId, 0), [once])
  })

  test('[B14] sums usage by UTC day and model from a moment on, tasks apart from model requests', async ({ store }) => {
    const workspaceId = randomUUID()
    const midnight = Math.floor(THEN / DAY_MS) * DAY_MS
    const at = (ms: number, fields = {}) => store.usage.record(aUsage({ workspaceId, at: midnight + ms, ...fields }))
    await at(-1)
    await at(0)
    await at(DAY_MS - 1)
    await at(1, { taskRunId: null })
    await at(2, { model: 'other' })
    await at(DAY_MS)
    await store.usage.record(aUsage({ at: midnight }))
    const sum = (day: number, model: string, count: number, tasks: number) => ({
      day: midnight + day * DAY_MS,
      model,
      tasks,
      inputTokens: 10 * count,
      outputTokens: 2 * count,
      apiCalls: count,
    })
    const today = [sum(0, 'other', 1, 1), sum(0, 'scripted', 3, 2), sum(1, 'scripted', 1, 1)]
    assert.equal(await store.usage.totals(workspaceId, 0), [sum(-1, 'scripted', 1, 1), ...today])
    assert.equal(await store.usage.totals(workspaceId, midnight), today)
    assert.equal(await store.usage.totals(workspaceId, midnight + DAY_MS), today.slice(2))
    assert.equal(await store.usage.totals(workspaceId, midnight + DAY_MS + 1), [])
  })

  test('[B17] tokens of the prompt cache are summed as such', async ({ store, seen }) => {
    const workspaceId = randomUUID()
    const use = (fields: object) => store.usage.record(aUsage({ workspaceId, ...fields }))
    await use({ cachedTokens: 6, cacheWriteTokens: 3 })
    await use({ cachedTokens: 4 })
    await use({})
    const [total, ...others] = await seen.usage.totals(workspaceId, 0)
    assert.equal([total?.inputTokens, total?.cachedTokens, total?.cacheWriteTokens], [30, 10, 3])
    assert.equal(others, [])
  })
}
