import type {
  KeyRecord,
  Ms,
  PairingRecord,
  SessionRecord,
  TaskRecord,
  UsageRecord,
  WorkspaceRecord,
} from '../../../machines/records.ts'
import { AUTH_INDEXED, AUTH_UNIQUE, type AuthRow } from '../auth-tables.ts'
import type { Collection, MongoDatabase } from './client.ts'

/** A record under its key. What has names of other people's making lies in it as JSON text: `$` and `.` are no names here. */
export type Kept<T> = T & { _id: string }

export interface ActorDoc {
  _id: string
  version: number
  at: Ms
  snapshot: string
}
export interface EntryDoc {
  /** `<task>:<seq>` */
  _id: string
  taskId: string
  seq: number
  record: string
}
export interface ScreenshotDoc {
  /** `<task>:<number>` */
  _id: string
  taskId: string
  step: number
  number: number
  image: Uint8Array
}
export interface TraceDoc {
  /** `<task>:<kind>` */
  _id: string
  taskId: string
  text: string
}
export interface LedgerDoc {
  /** The workspace. */
  _id: string
  credits: number
  /** Free places used, by month. */
  free: Record<string, number>
  /** The last changes, oldest first: what is named here was applied. */
  changes: string[]
}
export interface ChangeDoc {
  /** `task:<id>` or `event:<id>` */
  _id: string
  workspaceId: string
  month: string | null
  /** What the ledger gave; `null` while that is not known to have happened. */
  took: 'free' | 'credit' | 'event' | null
  refunded: boolean
}

/** Every collection. */
export function collectionsOf(database: MongoDatabase) {
  return {
    actors: database.collection<ActorDoc>('actors'),
    journal: database.collection<EntryDoc>('journal'),
    tasks: database.collection<Kept<TaskRecord>>('tasks'),
    steps: database.collection<EntryDoc>('steps'),
    screenshots: database.collection<ScreenshotDoc>('screenshots'),
    traces: database.collection<TraceDoc>('traces'),
    sessions: database.collection<Kept<SessionRecord>>('sessions'),
    pairings: database.collection<Kept<PairingRecord>>('pairings'),
    keys: database.collection<Kept<KeyRecord>>('api_keys'),
    workspaces: database.collection<Kept<WorkspaceRecord>>('workspaces'),
    usage: database.collection<Kept<UsageRecord>>('usage'),
    ledger: database.collection<LedgerDoc>('ledger'),
    changes: database.collection<ChangeDoc>('ledger_changes'),
    settings: database.collection<{ _id: string; value: string }>('settings'),
    auth: (table: string): Collection<Kept<AuthRow>> => database.collection(`auth_${table}`),
  }
}
export type Collections = ReturnType<typeof collectionsOf>

/** Makes the indexes that are missing. */
export async function makeIndexes(all: Collections): Promise<void> {
  await Promise.all([
    all.journal.createIndex({ taskId: 1, seq: 1 }),
    all.steps.createIndex({ taskId: 1, seq: 1 }),
    all.screenshots.createIndex({ taskId: 1, step: 1, number: 1 }),
    all.traces.createIndex({ taskId: 1 }),
    all.tasks.createIndex({ workspaceId: 1, createdAt: -1, _id: -1 }),
    all.tasks.createIndex({ workspaceId: 1, browserSessionId: 1, createdAt: -1, _id: -1 }),
    all.tasks.createIndex({ status: 1, completedAt: 1 }),
    all.sessions.createIndex({ tokenHash: 1 }, { unique: true }),
    all.sessions.createIndex({ workspaceId: 1, createdAt: -1, _id: -1 }),
    all.pairings.createIndex({ expiresAt: 1 }),
    all.keys.createIndex({ keyHash: 1 }, { unique: true }),
    all.keys.createIndex({ workspaceId: 1, createdAt: 1, _id: 1 }),
    all.workspaces.createIndex({ name: 1, createdAt: 1 }),
    all.workspaces.createIndex({ members: 1 }),
    all.usage.createIndex({ workspaceId: 1, at: 1 }),
    ...indexesOf(AUTH_UNIQUE, (table, field) =>
      all.auth(table).createIndex({ [field]: 1 }, { unique: true, sparse: true }),
    ),
    ...indexesOf(AUTH_INDEXED, (table, field) => all.auth(table).createIndex({ [field]: 1 })),
  ])
}

const indexesOf = (
  fields: Readonly<Record<string, readonly string[]>>,
  make: (table: string, field: string) => Promise<string>,
) => Object.entries(fields).flatMap(([table, names]) => names.map((field) => make(table, field)))
