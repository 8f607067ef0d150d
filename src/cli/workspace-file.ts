import { createReadStream, existsSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { FILE_UNUSED_KEPT_MS } from '../../actors/limits.ts'
import type { Store } from '../../actors/runtime/ports.ts'
import type { AuditRecord } from '../../machines/audit-records.ts'
import type { FileRecord } from '../../machines/file-records.ts'
import type {
  JournalEntry,
  KeyRecord,
  SessionRecord,
  StepRecord,
  TaskRecord,
  WorkspaceRecord,
} from '../../machines/records.ts'
import type { SetLimits } from '../../machines/workspace-limits.ts'
import type { AuthCondition, AuthTables } from '../stores/auth-tables.ts'
import { recordsOf } from './audit.ts'
import { Failed } from './terminal.ts'

/** The first line of a file: what it is. */
const HEAD = { format: 'browser-task workspace', version: 1 } as const
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
      journal: readonly JournalEntry[]
      steps: readonly StepRecord[]
      images: readonly { step: number; number: number; image: string }[]
    }
  | { kind: 'limits'; record: { workspaceId: string; limits: SetLimits } }
  /** A page of the audit log. */
  | { kind: 'audit'; record: { workspaceId: string; records: readonly AuditRecord[] } }
  /** Before the line of its task. */
  | { kind: 'file'; record: FileRecord; bytes: string }

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
  'workspaces' | 'keys' | 'sessions' | 'tasks' | 'steps' | 'files' | 'journal' | 'commit' | 'usage' | 'limits' | 'audit'
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
      if (format !== HEAD.format || version !== HEAD.version) throw new Failed(`${path} is not an exported workspace`)
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
  const where: AuthCondition = { field: 'id', operator: 'in', value: [...members], connector: 'AND', mode: 'sensitive' }
  const users = new Set((await authTables.find('user', [where])).map(({ id }) => id))
  return members.filter((id) => users.has(id))
}

async function putTask(store: WorkspaceStore, { record, journal, steps, images }: Line & { kind: 'task' }) {
  const { id: taskId, workspaceId, apiKeyId, usage, completedAt } = record
  const reply = journal.findLast((entry) => entry.kind === 'reply')
  await store.steps.append(
    steps,
    images.map(({ image, ...about }) => ({ ...about, taskId, image: Buffer.from(image, 'base64') })),
  )
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
    ...journal.map((entry, seq) => ({ kind: 'journal.append' as const, taskId, seq, entry })),
    { kind: 'task.insert', record },
  ])
}

async function taskLine(store: WorkspaceStore, record: TaskRecord): Promise<Line> {
  const steps = await store.steps.list(record.id)
  const images = []
  for (const { step, screenshot: number } of steps) {
    const image = number === null ? null : await store.steps.screenshotNumbered(record.id, number)
    if (image && number !== null) images.push({ step, number, image: Buffer.from(image).toString('base64') })
  }
  return { kind: 'task', record, journal: await store.journal(record.id), steps, images }
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
