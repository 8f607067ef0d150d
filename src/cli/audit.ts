import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import type { Store } from '../../actors/runtime/ports.ts'
import type { AuditActor, AuditEntry, AuditRecord } from '../../machines/audit-records.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../machines/limits.ts'
import type { Ms } from '../../machines/records.ts'
import { uuidAt } from '../../machines/uuid.ts'
import { recordOf } from '../identity/audit.ts'
import { findWorkspace } from '../identity/operator-workspaces.ts'
import { auditJson } from '../wire/audit.ts'
import { Failed, usageError } from './exit-codes.ts'
import { withStore } from './store.ts'
import { lineOf, say, table } from './terminal.ts'

const SHOWN_DEFAULT = 50
const PAGE_SIZE = 500

interface Options {
  readonly workspace?: string
  readonly since?: string
  readonly action?: string
  readonly json?: boolean
}

/** [O12] Prints the audit log, newest first: of one workspace, or of all with what concerns the service. */
export async function auditCommand(options: Options): Promise<void> {
  const from = options.since === undefined ? undefined : sinceOf(options.since, Date.now())
  const rows: string[][] = []
  await withStore(async (store) => {
    const workspaceId = options.workspace === undefined ? undefined : await idOf(store, options.workspace)
    const names = new Map((await store.workspaces.list()).map(({ id, name }) => [id, name]))
    const which = { action: options.action, from, ...(workspaceId === undefined ? {} : { workspaceId }) }
    for await (const record of recordsOf(store, which, from === undefined ? SHOWN_DEFAULT : Number.POSITIVE_INFINITY)) {
      if (options.json) say(JSON.stringify({ workspace_id: record.workspaceId, ...auditJson(record) }))
      else rows.push(rowOf(record, names))
    }
  })
  if (options.json) return
  if (rows.length === 0) say('Nothing is in the audit log.')
  else say(table(['TIME', 'WORKSPACE', 'ACTION', 'OUTCOME', 'BY', 'FROM', 'RESOURCE'], rows))
}

async function idOf(store: Pick<Store, 'workspaces'>, name: string): Promise<string> {
  const workspace = await findWorkspace(store, name)
  if (!workspace) throw new Failed(`Unknown workspace ${JSON.stringify(name)}.`)
  return workspace.id
}

type Which = Omit<Parameters<Store['audit']['list']>[0], 'after' | 'limit'>

/** Entries of the log, newest first, read page by page. */
export async function* recordsOf(
  { audit }: Pick<Store, 'audit'>,
  which: Which,
  max = Number.POSITIVE_INFINITY,
): AsyncGenerator<AuditRecord> {
  let after: { createdAt: Ms; id: string } | null = null
  for (let left = max; left > 0; ) {
    const limit = Math.min(PAGE_SIZE, left)
    const page: AuditRecord[] = await audit.list({ ...which, after, limit })
    yield* page
    left -= page.length
    const last = page.at(-1)
    if (page.length < limit || !last) return
    after = { createdAt: last.at, id: last.id }
  }
}

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** `7d`, `12h` and `30m` ago, or a date. @throws Failed */
function sinceOf(text: string, now: Ms): Ms {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0)
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw usageError(`--since ${JSON.stringify(text)} is not valid: expected 30m, 12h, 7d or a date such as 2026-11-23`)
  return Math.max(0, at)
}

function rowOf(record: AuditRecord, names: ReadonlyMap<string, string>): string[] {
  const { at, workspaceId, action, outcome, actor, address, resource } = record
  const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  const workspace = workspaceId === null ? '(service)' : (names.get(workspaceId) ?? workspaceId)
  return [time, workspace, action, outcome, `${actor.kind} ${actor.name}`, address ?? '', resource ?? '']
}

/** Who runs the command: the user of the machine. */
function operator(): AuditActor {
  let name = 'operator'
  try {
    name = userInfo().username
  } catch {
    // A user id without a name, as in containers.
  }
  return { kind: 'operator', id: null, name, role: null }
}

/** [O11] Notes what a command has done. The command has succeeded, whether or not this does. */
export async function noteByOperator(
  { audit }: Pick<Store, 'audit'>,
  ...entries: Omit<AuditEntry, 'actor'>[]
): Promise<void> {
  const [at, actor] = [Date.now(), operator()]
  try {
    await audit.append(entries.map((entry) => recordOf({ ...entry, actor }, at, uuidAt(at, randomUUID()))))
  } catch (error) {
    process.stderr.write(`This is done, but is not in the audit log: ${lineOf(error)}\n`)
  }
}
