import type { Store, TaskFilter, TaskPage } from '../../../actors/runtime/ports.ts'
import type { TaskRecord } from '../../../machines/records.ts'
import { collected, type Driver, removeRange } from '../port.ts'
import { CHANGES, DELIVERIES, IMAGES, partOf, partsOf, TASKS, type TaskKept, TRACES, USAGE } from '../tables.ts'
import { filesOf } from './files.ts'
import { type AppendingTransaction, expireTo, hideLog, removeLog } from './log.ts'
import { rollUp } from './usage.ts'

/** Task records; those that run are of one shard, or of the whole store. */
export function tasksOf(driver: Driver, appending: AppendingTransaction, shard: number | null = null): Store['tasks'] {
  const files = filesOf(driver)

  const removeLarge = async (taskId: string) => {
    const own = await files.ofTask(taskId)
    if (own.length > 0) await files.remove(own.map(({ id }) => id))
    await driver.transact((tx) => removeRange(tx, IMAGES, null, { of: [taskId] }))
  }

  /** All that belongs to a task, in one transaction: what is large goes first, and is found again by the record. */
  const removeAll = async ({ id, workspaceId }: TaskRecord, why: 'retired' | 'deleted') => {
    await removeLarge(id)
    await driver.transact(async (tx) => {
      await rollUp(tx, [await tx.get(USAGE, id)])
      await removeRange(tx, TRACES, null, { of: [id] })
      await removeRange(tx, DELIVERIES, 'by-task', { of: [id] })
      const last = await removeLog(tx, id)
      // What a client deleted is not missed by those who read on.
      if (why === 'retired') await expireTo(tx, workspaceId, last)
      tx.remove(CHANGES, `task:${id}`)
      tx.remove(TASKS, id)
    })
  }

  return {
    get: async (id) => taskOf(await driver.get(TASKS, id)),
    list: (page) => list(driver, page),

    end: (ending, last) =>
      appending(async (tx, append) => {
        const { taskId, model, cancelledBy, ...facts } = ending
        const record = await tx.get(TASKS, taskId)
        if (record === null) return 'missing'
        if (record.status !== 'running') return 'already'
        // [X1] The secrets of a task are gone with its end.
        const { sealedSecrets, ...lasting } = record
        const ended = { ...lasting, ...facts }
        tx.put(TASKS, { ...ended, ...partsOf(ended) })
        if (last) await append([last])
        return 'ended'
      }),

    async *running(damaged = () => {}) {
      for await (const record of driver.range(TASKS, 'by-shard', { of: shard === null ? [] : [shard], damaged }))
        yield taskOf(record)
    },

    async retire(before, limit, workspaceId) {
      const old =
        workspaceId === undefined
          ? await collected(driver.range(TASKS, 'ended', { to: before, limit, damaged }))
          : await endedIn(driver, workspaceId, before, limit)
      for (const record of old) await removeAll(record, 'retired')
      return old.length
    },

    async remove(id) {
      const record = await driver.get(TASKS, id)
      if (record === null) return 'missing'
      if (record.status === 'running') return 'running'
      await removeAll(record, 'deleted')
      return 'removed'
    },

    async strip(workspaceId, what, before, limit) {
      const part = partOf(workspaceId, what)
      const due = await collected(driver.keys(TASKS, 'parts', { of: [part], to: before, limit }))
      for (const [id] of due as [string][]) {
        if (what === 'files') await removeLarge(id)
        await driver.transact(async (tx) => {
          const record = await tx.get(TASKS, id)
          if (record === null) return
          if (what === 'events') await expireTo(tx, workspaceId, await hideLog(tx, id))
          // It is not found again.
          tx.put(TASKS, { ...record, parts: record.parts?.filter((each) => each !== part) ?? [] })
        })
      }
      return due.length
    },
  }
}

/** What is damaged does not hide what is not. */
const damaged = () => {}

function taskOf(kept: TaskKept): TaskRecord
function taskOf(kept: TaskKept | null): TaskRecord | null
function taskOf(kept: TaskKept | null): TaskRecord | null {
  if (kept === null) return null
  const { shard, parts, ...record } = kept
  return record
}

/** The oldest tasks of a workspace that ended before `before`: those that stay were all made before it, and ended later. */
async function endedIn(driver: Driver, workspaceId: string, before: number, limit: number): Promise<TaskKept[]> {
  const found: TaskKept[] = []
  for await (const record of driver.range(TASKS, 'by-age', { of: [workspaceId], to: before, damaged })) {
    if (record.completedAt !== null && record.completedAt < before && found.push(record) === limit) break
  }
  return found
}

async function list(driver: Driver, page: TaskPage): Promise<TaskRecord[]> {
  const { workspaceId, status, browserSessionId, after, limit, filter } = page
  const found: TaskRecord[] = []
  if (limit < 1) return found
  const range = {
    from: filter?.createdAfter === undefined ? undefined : filter.createdAfter + 1,
    to: filter?.createdBefore,
    after: after ? [after.createdAt, after.id] : undefined,
    down: true,
    damaged,
    match: { ...(status === null ? {} : { status }), ...(filter?.endedBy ? { endedBy: filter.endedBy } : {}) },
  }
  const rows =
    browserSessionId === null
      ? driver.range(TASKS, 'by-age', { ...range, of: [workspaceId] })
      : driver.range(TASKS, 'by-session', { ...range, of: [workspaceId, browserSessionId] })
  for await (const record of rows) {
    if (!fulfils(record, filter)) continue
    found.push(taskOf(record))
    if (found.length === limit) break
  }
  return found
}

/** [T56] Whether a task fulfils the further conditions of a list. */
export function fulfils(record: TaskRecord, filter: TaskFilter = {}): boolean {
  const { endedBy, createdAfter, createdBefore, metadata, text } = filter
  return (
    (endedBy === undefined || record.endedBy === endedBy) &&
    (createdAfter === undefined || record.createdAt > createdAfter) &&
    (createdBefore === undefined || record.createdAt < createdBefore) &&
    Object.entries(metadata ?? {}).every(([key, value]) => record.metadata?.[key] === value) &&
    (text === undefined || contains(record.task, text) || contains(record.answer ?? '', text))
  )
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())

/** What is known of tasks beside their records. */
export const tracesOf = (driver: Driver): Store['traces'] => ({
  keep: (taskId, kind, text) => driver.transact((tx) => tx.put(TRACES, { taskId, kind, text })),
  get: async (taskId, kind) => (await driver.get(TRACES, taskId, kind))?.text ?? null,
})
