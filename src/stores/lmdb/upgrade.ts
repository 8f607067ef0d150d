import type { Log } from '../../../actors/runtime/ports.ts'
import type { AuditRecord } from '../../../machines/audit-records.ts'
import { shardOf } from '../../../machines/placement.ts'
import type {
  JournalEntry,
  KeyRecord,
  PairingRecord,
  SessionRecord,
  TaskRecord,
  UsageRecord,
} from '../../../machines/records.ts'
import type { LogEvent } from '../../../machines/task-log.ts'
import type { DeliveryRecord } from '../../../machines/webhook-records.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import type { AuthRow } from '../auth-tables.ts'
import { EVENTS, JOURNAL, mergeLogs, OLD_TABLES, type OldStep, STEPS } from '../old-logs.ts'
import type { Driver, Transaction } from '../port.ts'
import * as to from '../tables.ts'
import type { LmdbFile } from './database.ts'
import { contentOf, LmdbDriver } from './driver.ts'
import type { Table } from './table.ts'

const ROWS_AT_ONCE = 500

/** Whether the file has tables of an earlier layout. */
export const isOfEarlierLayout = (file: LmdbFile): boolean =>
  file.names().some((name) => name === FIRST || name === JOURNAL.name)
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
  driver: Driver = new LmdbDriver(main, large, [...to.ALL_TABLES, ...OLD_TABLES]),
): Promise<void> {
  const from = performance.now()
  log?.info({}, 'The store is of an earlier version: it is upgraded before the service starts')
  const rows = main.names().includes(FIRST) ? await upgradeFirst(main, large, driver) : 0
  const tasks = await mergeLogs(driver)
  // The one by which the layout is known goes last.
  for (const name of [STEPS.name, EVENTS.name, `${EVENTS.name}.by-position`, JOURNAL.name]) await main.drop(name)
  log?.info({ rows, tasks, ms: Math.round(performance.now() - from) }, 'The store is upgraded')
}

/** Copies what versions up to 0.3.0 kept into the tables that came after them; resolves to how many rows. */
async function upgradeFirst(main: LmdbFile, large: LmdbFile, driver: Driver): Promise<number> {
  let rows = 0
  /** Each row of an old table, with the parts of its key; some in one transaction. */
  async function each<Old>(
    old: Kept<Old>,
    move: (tx: Transaction, row: Old, key: readonly (string | number)[]) => void | Promise<void>,
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
      if (some.length === ROWS_AT_ONCE) await flush()
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

  const workspaces = new Map<string, string>()
  await each(old<TaskRecord>('tasks'), (tx, row) => {
    workspaces.set(row.id, row.workspaceId)
    tx.put(to.TASKS, { ...row, shard: shardOf(row.workspaceId) })
  })
  // Several entries that follow each other may be in one row, at the number of the first.
  await each(old<JournalEntry | readonly JournalEntry[]>('journal'), (tx, row, [taskId, seq]) => {
    for (const [n, record] of [row].flat().entries())
      tx.add(JOURNAL, { taskId: String(taskId), seq: Number(seq) + n, record: record as JournalEntry })
  })
  await each(old<OldStep | readonly OldStep[]>('steps'), (tx, row) => {
    for (const record of [row].flat() as OldStep[]) tx.add(STEPS, { taskId: record.taskId, seq: record.seq, record })
  })
  await each(old<readonly [number, LogEvent]>('events'), (tx, [position, record], [id, seq]) => {
    const taskId = String(id)
    const workspaceId = workspaces.get(taskId)
    if (workspaceId !== undefined) tx.add(EVENTS, { taskId, seq: Number(seq), workspaceId, position, record })
  })
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
  return rows
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
