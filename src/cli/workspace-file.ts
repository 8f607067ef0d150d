import { createReadStream, existsSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { FILE_UNUSED_KEPT_MS } from '../../actors/limits.ts'
import type { Store } from '../../actors/runtime/ports.ts'
import { stepsOf } from '../../actors/step-records.ts'
import type { AuditRecord } from '../../machines/audit-records.ts'
import type { FileRecord } from '../../machines/file-records.ts'
import { journalOf } from '../../machines/journal.ts'
import type { JournalEntry, KeyRecord, SessionRecord, TaskRecord, WorkspaceRecord } from '../../machines/records.ts'
import type { LogEntry, LogRecord } from '../../machines/task-log.ts'
import type { SetLimits } from '../../machines/workspace-limits.ts'
import type { AuthCondition, AuthTables } from '../stores/auth-tables.ts'
import { hiddenRecords, logOfOld, type OldStep } from '../stores/old-logs.ts'
import { recordsOf } from './audit.ts'
import { Failed } from './exit-codes.ts'

/** The first line of a file: what it is. Version 1 is read, too. */
const HEAD = { format: 'browser-task workspace', version: 2 } as const
const TASKS_PER_PAGE = 50
const AUDIT_RECORDS_PER_LINE = 200

/** A line of a file, after the first. Images are base64. */
type Line =
  | { kind: 'workspace'; record: WorkspaceRecord }
  | { kind: 'key'; record: KeyRecord }
  | { kind: 'session'; record: SessionRecord }
  | {
      kind: 'task'
      record: TaskRecord
      log: readonly LogEntry[]
      images: readonly { step: number; number: number; image: string }[]
    }
  | { kind: 'limits'; record: { workspaceId: string; limits: SetLimits } }
  /** A page of the audit log. */
  | { kind: 'audit'; record: { workspaceId: string; records: readonly AuditRecord[] } }
  /** Before the line of its task. */
  | { kind: 'file'; record: FileRecord; bytes: string }

/** What a task's line had in place of its log, in files of version 1. */
interface OldLine {
  readonly journal: readonly JournalEntry[]
  readonly steps: readonly OldStep[]
}

export interface Counts {
  workspaceId: string
  tasks: number
  keys: number
  sessions: number
  /** Tasks that were running: they stay where they run. */
  skipped: number
}
type WorkspaceStore = Pick<
  Store,
  'workspaces' | 'keys' | 'sessions' | 'tasks' | 'files' | 'log' | 'image' | 'commit' | 'usage' | 'limits' | 'audit'
> & { readonly authTables: Pick<AuthTables, 'find'> }

/** [O6] Writes a workspace to a file that does not exist yet, readable by its owner alone, one JSON object a line. */
export async function exportWorkspace(store: WorkspaceStore, name: string, path: string): Promise<Counts> {
  const workspace = (await store.workspaces.byName(name)) ?? (await store.workspaces.get(name))
  if (workspace === null) throw new Failed(`Unknown workspace ${JSON.stringify(name)}.`)
  if (existsSync(path)) throw new Failed(`${path} exists already: name a new file`)
  const partial = `${path}.partial`
  const file = await open(partial, 'w', 0o600)
  const { id: workspaceId } = workspace
  const counts: Counts = { workspaceId, tasks: 0, keys: 0, sessions: 0, skipped: 0 }
  const write = (line: Line | typeof HEAD) => file.write(`${JSON.stringify(line)}\n`)
  try {
    await write(HEAD)
    for await (const record of tasksOf(store, workspace.id)) {
      if (record.status === 'running') counts.skipped++
      else {
        for (const file of await store.files.ofTask(record.id)) {
          const bytes = await store.files.read(file.id)
          if (bytes) await write({ kind: 'file', record: file, bytes: Buffer.from(bytes).toString('base64') })
        }
        await write(await taskLine(store, record))
        counts.tasks++
      }
    }
    for (const record of await store.sessions.list(workspace.id, null)) {
      await write({ kind: 'session', record })
      counts.sessions++
    }
    for (const record of await store.keys.list(workspace.id)) {
      await write({ kind: 'key', record })
      counts.keys++
    }
    const limits = await store.limits.get(workspaceId)
    if (Object.keys(limits).length > 0) await write({ kind: 'limits', record: { workspaceId, limits } })
    let records: AuditRecord[] = []
    for await (const record of recordsOf(store, { workspaceId })) {
      records.push(record)
      if (records.length < AUDIT_RECORDS_PER_LINE) continue
      await write({ kind: 'audit', record: { workspaceId, records } })
      records = []
    }
    if (records.length > 0) await write({ kind: 'audit', record: { workspaceId, records } })
    // The last line, so that an import that was interrupted can be repeated.
    await write({ kind: 'workspace', record: workspace })
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(partial, path)
  return counts
}

/** [O6] Adds the workspace of a file to a store, which does not have it yet. */
export async function importWorkspace(store: WorkspaceStore, path: string): Promise<Counts> {
  const counts: Counts = { workspaceId: '', tasks: 0, keys: 0, sessions: 0, skipped: 0 }
  let number = 0
  let isComplete = false
  for await (const text of createInterface({ input: createReadStream(path, 'utf8') })) {
    number++
    const line = parsed(text, path, number)
    if (number === 1) {
      const { format, version } = line as Partial<typeof HEAD>
      if (format !== HEAD.format || ![1, HEAD.version].includes(version ?? 0))
        throw new Failed(`${path} is not an exported workspace`)
      continue
    }
    isComplete = await put(store, line as Line, counts)
  }
  if (!isComplete) throw new Failed(`${path} ends before its last line: export it again`)
  return counts
}

/** Keeps what a line holds. True for the last one. */
async function put(store: WorkspaceStore, line: Line, counts: Counts): Promise<boolean> {
  const { workspaceId } = line.kind === 'workspace' ? { workspaceId: line.record.id } : line.record
  if (await store.workspaces.get(workspaceId)) throw new Failed(`The store has workspace ${workspaceId} already`)
  switch (line.kind) {
    case 'task':
      await putTask(store, line)
      counts.tasks++
      return false
    case 'file':
      // What an import that is cut short leaves without its task is swept.
      await store.files.put(line.record, Buffer.from(line.bytes, 'base64'), Date.now() + FILE_UNUSED_KEPT_MS)
      return false
    case 'session':
      if ((await store.sessions.get(line.record.id)) === null) await store.sessions.insert(line.record)
      counts.sessions++
      return false
    case 'key':
      if ((await store.keys.byHash(line.record.keyHash)) === null) await store.keys.insert(line.record)
      counts.keys++
      return false
    case 'limits':
      await store.limits.put(workspaceId, line.record.limits)
      return false
    case 'audit':
      await store.audit.append(line.record.records)
      return false
    case 'workspace':
      counts.workspaceId = workspaceId
      await store.workspaces.insert({ ...line.record, members: await known(store, line.record.members) })
      return true
  }
}

/** [A37] Accounts do not move: of the members those stay who have theirs in this store, under the same id. */
async function known({ authTables }: WorkspaceStore, members: readonly string[]): Promise<readonly string[]> {
  const where: AuthCondition = { field: 'id', operator: 'in', value: [...members] }
  const users = new Set((await authTables.find('user', [where])).map(({ id }) => id))
  return members.filter((id) => users.has(id))
}

async function putTask(store: WorkspaceStore, line: Line & { kind: 'task' }) {
  const { record, images } = line
  const { id: taskId, workspaceId, apiKeyId, usage, completedAt } = record
  const log = recordsIn(line)
  const reply = journalOf(log.flatMap(({ entries }) => entries)).findLast((entry) => entry.kind === 'reply')
  await store.usage.record({
    ...usage,
    id: taskId,
    workspaceId,
    apiKeyId,
    taskRunId: taskId,
    model: reply?.model ?? 'unknown',
    at: completedAt ?? record.createdAt,
  })
  await store.commit([
    ...images.map(({ image, ...about }) => {
      return { kind: 'image.put' as const, image: { ...about, taskId, image: Buffer.from(image, 'base64') } }
    }),
    ...log.map((each) => ({ kind: 'log.append' as const, record: each })),
    { kind: 'task.insert', record },
  ])
}

/** The log of a task: clients read what was done, but no events of a task that came from elsewhere. */
const recordsIn = ({ record, log, ...line }: Line & { kind: 'task' }): LogRecord[] =>
  log ? hiddenRecords(record, log) : logOfOld(record, { events: [], ...(line as unknown as OldLine) })

async function taskLine(store: WorkspaceStore, record: TaskRecord): Promise<Line> {
  const log = await store.log(record.id)
  const images = []
  for (const { step, screenshot: number } of stepsOf(log)) {
    const image = number === null ? null : await store.image(record.id, number)
    if (image && number !== null) images.push({ step, number, image: Buffer.from(image).toString('base64') })
  }
  return { kind: 'task', record, log, images }
}

async function* tasksOf({ tasks }: WorkspaceStore, workspaceId: string): AsyncIterable<TaskRecord> {
  let after: TaskRecord | null = null
  do {
    const page: TaskRecord[] = await tasks.list({
      workspaceId,
      status: null,
      browserSessionId: null,
      after,
      limit: TASKS_PER_PAGE,
    })
    for (const { id } of page) {
      const record = await tasks.get(id)
      if (record) yield record
    }
    after = page.length === TASKS_PER_PAGE ? (page.at(-1) ?? null) : null
  } while (after !== null)
}

function parsed(text: string, path: string, number: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failed(`${path} is damaged at line ${number}`)
  }
}
