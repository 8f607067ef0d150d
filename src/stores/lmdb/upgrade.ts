import type { Log } from '../../../actors/runtime/ports.ts'
import type { AuditRecord } from '../../../machines/audit-records.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { JournalEntry, KeyRecord, PairingRecord, SessionRecord, UsageRecord } from '../../../machines/records.ts'
import type { LogEvent } from '../../../machines/task-log.ts'
import type { DeliveryRecord } from '../../../machines/webhook-records.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import type { AuthRow } from '../auth-tables.ts'
import { type OldParts, type OldStep, putLog } from '../old-logs.ts'
import { collected, type Driver, type Transaction } from '../port.ts'
import * as to from '../tables.ts'
import type { LmdbFile } from './database.ts'
import { contentOf, LmdbDriver } from './driver.ts'
import { LAST, type Table } from './table.ts'

/**
 * Profiles' values were in the file of what is large, where a commit of their own wrote them: they are moved to their profiles,
 * and those whose profile was deleted meanwhile are removed.
 */
export async function moveProfileValues(main: LmdbFile, large: LmdbFile): Promise<void> {
  const { name } = to.PROFILE_VALUES
  if (!large.names().includes(name)) return
  const [old, values, profiles] = [
    large.table<Buffer>(name, 'binary'),
    main.table<Buffer>(name, 'binary'),
    main.table<Buffer>(to.PROFILES.name, 'binary'),
  ]
  const keys = await collected(old.keys({}))
  for (const key of keys) {
    const bytes = old.getBytes(key)
    await main.transact(() => {
      if (bytes && profiles.has(key) && !values.has(key)) values.putBytes(key, bytes)
    })
    await large.write(() => old.remove(key))
  }
}

const ROWS_AT_ONCE = 500
/** Each with its log. */
const TASKS_AT_ONCE = 20

/** Whether the file has tables of an earlier layout. */
export const isOfEarlierLayout = (file: LmdbFile): boolean => file.names().includes(FIRST)
/** The table by which the layout of versions up to 0.3.0 is known. */
const FIRST = 'journal'

/**
 * Brings what earlier versions kept into today's tables, and removes theirs when all of it is there: what is cut short begins
 * anew.
 */
export async function upgradeTables(
  main: LmdbFile,
  large: LmdbFile,
  log?: Log,
  driver: Driver = new LmdbDriver(main, large),
): Promise<void> {
  const from = performance.now()
  log?.info({}, 'The store is of an earlier version: it is upgraded before the service starts')
  let rows = 0
  /** Each row of an old table, with the parts of its key; some in one transaction. */
  async function each<Old>(
    old: Kept<Old>,
    move: (tx: Transaction, row: Old, key: readonly (string | number)[]) => void | Promise<void>,
    atOnce = ROWS_AT_ONCE,
  ): Promise<void> {
    let some: [Old, (string | number)[]][] = []
    const flush = async () => {
      const moved = some
      some = []
      rows += moved.length
      await driver.transact(async (tx) => {
        for (const [row, key] of moved) await move(tx, row, key)
      })
    }
    for await (const { key, value } of old.table.all()) {
      some.push([old.read(value), [key].flat() as (string | number)[]])
      if (some.length === atOnce) await flush()
    }
    await flush()
  }
  const old = <Old>(name: string): Kept<Old> => ({
    table: main.table<Buffer>(name, 'binary'),
    read: (bytes) => JSON.parse(contentOf(bytes).toString()),
  })

  await each(old<KeyRecord>('keys'), (tx, row) => tx.put(to.KEYS, row))
  await each(old<SessionRecord>('sessions'), (tx, row) => tx.put(to.SESSIONS, row))
  await each(old<PairingRecord>('pairings'), (tx, row) => tx.put(to.PAIRINGS, row))
  await each(old<SetLimits>('limits'), (tx, { own, ...set }, [workspaceId]) =>
    tx.put(to.LIMITS, { workspaceId: String(workspaceId), set, ...(own ? { own } : {}) }),
  )
  await each(old<AuditRecord>('audit'), (tx, row) => tx.put(to.AUDIT, row))
  await each(old<DeliveryRecord>('deliveries'), (tx, row) => tx.put(to.DELIVERIES, row))
  await each(old<AuthRow>('auth.rows'), (tx, row, [table]) => tx.put(to.authTable(String(table)), row))

  const addTask = async (tx: Transaction, task: to.TaskKept) => {
    // Its log is made already: of what it was made from, some may be gone.
    if (task.shard !== undefined) return
    putLog(tx, { ...task, shard: shardOf(task.workspaceId) }, await partsOf(old, task.id))
  }
  await each(old<to.TaskKept>('tasks'), addTask, TASKS_AT_ONCE)
  await each(old<number>('events.expired'), (tx, position, [workspaceId]) =>
    tx.put(to.EVENTS_EXPIRED, { workspaceId: String(workspaceId), position }),
  )
  await each(old<number>('events.last'), (tx, position) => tx.put(to.POSITIONS, { by: 'store', position }))
  await each(old<string>('traces'), (tx, text, [taskId, kind]) =>
    tx.put(to.TRACES, { taskId: String(taskId), kind: String(kind), text }),
  )

  await each(old<UsageRecord>('usage'), (tx, row) => tx.put(to.USAGE, row))
  await each(
    old<readonly [string, number, number, number, number, number?, number?]>('usage.by-time'),
    (tx, [model, inputTokens, outputTokens, apiCalls, tasks, cachedTokens = 0, cacheWriteTokens = 0], key) => {
      const [workspaceId, at, id] = key as [string, number, string]
      if (!id.startsWith('sum ')) return
      const used = { inputTokens, outputTokens, apiCalls, cachedTokens, cacheWriteTokens }
      const sum = { id: `${workspaceId}:${at}:${id.slice(4)}`, workspaceId, at, model, tasks }
      tx.put(to.USAGE_SUMS, { ...sum, ...used })
    },
  )

  const free = new Map<string, Record<string, number>>()
  for await (const { key, value } of main.table<number>('ledger.free').all()) {
    const [workspaceId, month] = key as [string, string]
    free.set(workspaceId, { ...free.get(workspaceId), [month]: value })
  }
  await driver.transact((tx) => {
    for (const [workspaceId, used] of free) tx.put(to.LEDGER, { workspaceId, credits: 0, free: used })
  })
  await each(old<number>('ledger.credits'), (tx, credits, [workspace]) => {
    const workspaceId = String(workspace)
    tx.put(to.LEDGER, { workspaceId, credits, free: free.get(workspaceId) ?? {} })
  })
  await each(old<Omit<to.ChangeRow, 'id'>>('ledger.charges'), (tx, row, [id]) =>
    tx.put(to.CHANGES, { ...row, id: `task:${id}` }),
  )
  const payment = { workspaceId: '', month: null, took: 'event', refunded: false } as const
  await each(old<1>('ledger.events'), (tx, _, [id]) => tx.put(to.CHANGES, { ...payment, id: `event:${id}` }))
  await each(old<1>('ledger.events.by-time'), (tx, _, [at, id]) =>
    tx.put(to.CHANGES, { ...payment, id: `event:${id}`, at: Number(at) }),
  )

  const pieces: Kept<Buffer> = { table: large.table('files.pieces', 'binary'), read: (bytes) => bytes }
  await each(pieces, (tx, bytes, [fileId, number]) =>
    tx.add(to.FILE_PIECES, { fileId: String(fileId), number: Number(number), bytes }),
  )
  for (const name of ['files.pieces', 'images.of-steps']) await large.drop(name)
  // The one by which the layout is known goes last.
  for (const name of [...REPLACED.filter((name) => name !== FIRST), FIRST]) await main.drop(name)
  log?.info({ rows, ms: Math.round(performance.now() - from) }, 'The store is upgraded')
}

/** What the three tables have of a task. Several entries that follow each other may be in one row. */
async function partsOf(old: <Old>(name: string) => Kept<Old>, taskId: string): Promise<OldParts> {
  const rows = async <Old>(name: string): Promise<Old[]> => {
    const { table, read } = old<Old>(name)
    return (await collected(table.scan({ from: [taskId], to: [taskId, LAST] }))).map(({ value }) => read(value))
  }
  const events = await rows<readonly [number, LogEvent]>('events')
  return {
    journal: (await rows<JournalEntry | JournalEntry[]>('journal')).flat(),
    steps: (await rows<OldStep | OldStep[]>('steps')).flat(),
    events: events.map(([position, record]) => ({ position, record })),
  }
}

/** A table of the first layout. What is in it may be of today already, after an upgrade that was cut short. */
interface Kept<Old> {
  readonly table: Table<Buffer>
  readonly read: (bytes: Buffer) => Old
}

/** The tables of the first layout that today's service has under other names, or does not have. */
const REPLACED = [
  ...['keys', 'keys.hashes', 'keys.by-age', 'limits', 'audit', 'audit.by-time'],
  ...['deliveries', 'deliveries.messages', 'deliveries.by-age', 'deliveries.by-task', 'deliveries.by-time'],
  ...['auth.rows', 'auth.index', 'tasks.running', 'journal', 'steps', 'traces'],
  ...['events', 'events.by-position', 'events.expired', 'events.last', 'usage.by-time'],
  ...['ledger.credits', 'ledger.free', 'ledger.charges', 'ledger.events', 'ledger.events.by-time'],
]
