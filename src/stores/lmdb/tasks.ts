import type { Store, TaskPage } from '../../../actors/runtime/ports.ts'
import type { Ending, Ms, TaskRecord } from '../../../machines/records.ts'
import { fulfils } from '../task-filter.ts'
import type { LmdbFile } from './database.ts'
import { expireTo, putEvent, putLastPosition, removeEvents } from './events.ts'
import type { Files } from './files.ts'
import { usageRollUp } from './ledger.ts'
import type { Screenshots } from './steps.ts'
import { downwards, type Key } from './table.ts'
import type { Tables } from './tables.ts'
import { removeDeliveries } from './webhooks.ts'

/** A task's record with its indexes; false when it is there: a commit that is tried again must not bring an ended task back. */
export function insertTask(tables: Tables, record: TaskRecord): boolean {
  if (tables.tasks.has(record.id)) return false
  const age = ageOf(record)
  tables.tasks.put(record.id, record)
  tables.tasksByAge.put(age, [record.status, record.browserSessionId])
  if (record.status === 'running') tables.tasksRunning.put(age, record.id)
  else tables.tasksEnded.put([record.completedAt ?? record.createdAt, record.id], record.id)
  return true
}

const ageOf = (record: TaskRecord) => [record.workspaceId, record.createdAt, record.id]

/** Task records with their indexes. */
export function tasksOf(file: LmdbFile, tables: Tables, screenshots: Screenshots, files: Files): Store['tasks'] {
  /** Compare-and-set: of all who end a task, in any process, one finds it among those that run. */
  const end: Store['tasks']['end'] = async (ending: Ending, event = null) => {
    const record = tables.tasks.get(ending.taskId)
    if (!record) return 'missing'
    const { taskId, model, ...facts } = ending
    // [X1] The secrets of a task are gone with its end.
    const { sealedSecrets, ...lasting } = record
    const age = ageOf(record)
    const keepEvent = event && putEvent(tables, event)
    const ended = await file.writeIf(tables.tasksRunning.present(age), () => {
      tables.tasks.put(taskId, { ...lasting, ...facts })
      tables.tasksByAge.put(age, [ending.status, record.browserSessionId])
      tables.tasksRunning.remove(age)
      tables.tasksEnded.put([ending.completedAt, taskId], taskId)
      keepEvent?.()
      if (event) putLastPosition(tables, event.position)
    })
    return ended ? 'ended' : 'already'
  }

  const removeAll = async (old: readonly TaskRecord[], why: 'retired' | 'deleted') => {
    // First what is in the other file: what is cut short here is found again by the record.
    const ids = old.map((record) => record.id)
    await screenshots.remove(ids)
    await files.removeOf(ids)
    const rollUp = usageRollUp(tables, ids)
    const expired = new Map<string, number>()
    await file.write(() => {
      rollUp()
      for (const record of old) {
        for (const key of tables.steps.keysUnder([record.id])) tables.steps.remove(key)
        for (const key of tables.journal.keysUnder([record.id])) tables.journal.remove(key)
        const last = removeEvents(tables, record.id, record.workspaceId)
        expired.set(record.workspaceId, Math.max(last, expired.get(record.workspaceId) ?? 0))
        for (const key of tables.traces.keysUnder([record.id])) tables.traces.remove(key)
        removeDeliveries(tables, record.id)
        tables.charges.remove(record.id)
        tables.tasksByAge.remove(ageOf(record))
        tables.tasksEnded.remove(endOf(record))
        tables.tasks.remove(record.id)
      }
      // What a client deleted is not missed by those who read on.
      if (why === 'retired') for (const [id, position] of expired) expireTo(tables, id, position)
    })
  }

  return {
    get: async (id) => tables.tasks.get(id) ?? null,
    list: (page) => list(tables, page),
    end,

    async *running() {
      for await (const { value: id } of tables.tasksRunning.all()) {
        const record = tables.tasks.get(id)
        if (record?.status === 'running') yield record
      }
    },

    async retire(before, limit) {
      const old = await oldest(tables, before, limit)
      if (old.length === 0) return 0
      await removeAll(old, 'retired')
      return old.length
    },

    async remove(id) {
      const record = tables.tasks.get(id)
      if (!record) return 'missing'
      if (record.status === 'running') return 'running'
      await removeAll([record], 'deleted')
      return 'removed'
    },

    async strip(ids, what) {
      if (what === 'files') {
        await screenshots.remove(ids)
        await files.removeOf(ids)
        return
      }
      const records = ids.flatMap((id) => tables.tasks.get(id) ?? [])
      await file.write(() => {
        for (const { id, workspaceId } of records) {
          const last = removeEvents(tables, id, workspaceId)
          if (last > 0) expireTo(tables, workspaceId, last)
        }
      })
    },
  }
}

const endOf = (record: TaskRecord): Key => [record.completedAt ?? record.createdAt, record.id]

async function oldest(tables: Tables, before: Ms, limit: number): Promise<TaskRecord[]> {
  const found: TaskRecord[] = []
  if (limit < 1) return found
  for await (const { value: id } of tables.tasksEnded.scan({ from: [0], to: [before] })) {
    const record = tables.tasks.get(id)
    if (record) found.push(record)
    if (found.length === limit) break
  }
  return found
}

async function list(tables: Tables, page: TaskPage): Promise<TaskRecord[]> {
  const { workspaceId, status, browserSessionId, after, limit, filter } = page
  const bounds = {
    ...downwards(workspaceId),
    ...(filter?.createdBefore === undefined ? {} : { from: [workspaceId, filter.createdBefore] }),
    ...(filter?.createdAfter === undefined ? {} : { to: [workspaceId, filter.createdAfter + 1] }),
    ...(after ? { after: [workspaceId, after.createdAt, after.id] } : {}),
  }
  const found: TaskRecord[] = []
  if (limit < 1) return found
  // Few tasks run, and most of what a workspace has does not: these have an index of their own.
  const running = status === 'running'
  const entries = running ? tables.tasksRunning.scan(bounds) : tables.tasksByAge.scan(bounds)
  for await (const { key, value } of entries) {
    if (!running && status !== null && value[0] !== status) continue
    if (!running && browserSessionId !== null && value[1] !== browserSessionId) continue
    const record = tables.tasks.get((key as string[])[2] ?? '')
    if (!record || (status !== null && record.status !== status)) continue
    if (browserSessionId !== null && record.browserSessionId !== browserSessionId) continue
    if (!fulfils(record, filter)) continue
    found.push(record)
    if (found.length === limit) break
  }
  return found
}
