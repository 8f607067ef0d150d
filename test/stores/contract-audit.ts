import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { AuditRecord } from '../../machines/audit-records.ts'
import { THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

const aRecord = (more: Partial<AuditRecord>): AuditRecord => ({
  id: randomUUID(),
  workspaceId: null,
  at: THEN,
  action: 'createApiKey',
  outcome: 'done',
  actor: { kind: 'user', id: 'u', name: 'Ann (ann@example.com)', role: 'owner' },
  keyId: null,
  resource: randomUUID(),
  address: '192.0.2.7',
  details: { 'a.name': '$x', type: 'secret', allow: true, count: 3, none: null },
  ...more,
})

export function auditContract(test: Test): void {
  test('[O11] the audit log is listed newest first, page by page, by action, key and time, and each workspace sees its own', async ({
    store,
    seen,
  }) => {
    const [workspaceId, other, keyId] = [randomUUID(), randomUUID(), randomUUID()]
    const [first, second, third, fourth] = [
      aRecord({ workspaceId, at: THEN }),
      aRecord({ workspaceId, at: THEN + 1, id: '00000000-0000-4000-8000-000000000001', keyId }),
      aRecord({ workspaceId, at: THEN + 1, id: '00000000-0000-4000-8000-000000000002', action: 'signIn' }),
      aRecord({ workspaceId, at: THEN + 9, keyId, outcome: 'refused', address: null, details: null }),
    ] as const
    await store.audit.append([second, first, aRecord({ workspaceId: other })])
    await store.audit.append([fourth, third, second])
    const list = (more: object = {}) => seen.audit.list({ workspaceId, after: null, limit: 10, ...more })
    assert.equal(await list(), [fourth, third, second, first])
    assert.equal(await list({ limit: 2 }), [fourth, third])
    const after = { createdAt: third.at, id: third.id }
    assert.equal(await list({ after }), [second, first])
    assert.equal(await list({ action: 'createApiKey' }), [fourth, second, first])
    assert.equal(await list({ keyId }), [fourth, second])
    assert.equal(await list({ from: THEN + 1, to: THEN + 9 }), [third, second])
    assert.equal(await list({ from: THEN + 1, to: THEN + 9, after }), [second])
    assert.equal(await list({ limit: 0 }), [])
    assert.equal(await list({ workspaceId: randomUUID() }), [])
  })

  test('[O11] what concerns the service is in no workspace, and all is listed together', async ({ store, seen }) => {
    const at = THEN + 1_000
    const [ofService, ofOne] = [aRecord({ at: at + 1 }), aRecord({ at, workspaceId: randomUUID() })]
    await store.audit.append([ofOne, ofService])
    const page = { from: at, to: at + 2, after: null, limit: 10 }
    assert.equal(await seen.audit.list({ ...page, workspaceId: null }), [ofService])
    assert.equal(await seen.audit.list(page), [ofService, ofOne])
    assert.equal(await seen.audit.list({ ...page, after: { createdAt: ofService.at, id: ofService.id } }), [ofOne])
  })

  test('[O11] [D15] entries are removed by their age, of one workspace or of all, in batches', async ({
    store,
    seen,
  }) => {
    const [workspaceId, other] = [randomUUID(), randomUUID()]
    // Older than those of the other tests, which stay.
    const old = THEN - 10_000
    const records = [0, 1, 2].map((n) => aRecord({ workspaceId, at: old + n }))
    const [ofOther, ofService] = [aRecord({ workspaceId: other, at: old }), aRecord({ at: old })]
    await store.audit.append([...records, ofOther, ofService])
    const left = async () =>
      (await seen.audit.list({ from: old, to: old + 10, after: null, limit: 10 })).map(({ id }) => id).sort()
    const ids = (...kept: AuditRecord[]) => kept.map(({ id }) => id).sort()
    assert.is(await store.audit.retire(old + 2, 1, workspaceId), 1)
    assert.is(await store.audit.retire(old + 2, 10, workspaceId), 1)
    assert.is(await store.audit.retire(old + 2, 10, workspaceId), 0)
    assert.equal(await left(), ids(records[2] as AuditRecord, ofOther, ofService))
    assert.is(await store.audit.retire(old + 1, 0), 0)
    assert.is(await store.audit.retire(old + 1, 10), 2)
    assert.equal(await left(), ids(records[2] as AuditRecord))
    assert.is(await store.audit.retire(old + 10, 10), 1)
  })
}
