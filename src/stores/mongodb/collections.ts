import type { AuditRecord } from '../../../machines/audit-records.ts'
import type { FileRecord } from '../../../machines/file-records.ts'
import type {
  ClaimRecord,
  KeyRecord,
  Ms,
  PairingRecord,
  SessionRecord,
  TaskRecord,
  UsageRecord,
  WorkspaceRecord,
} from '../../../machines/records.ts'
import type { DeliveryRecord, EndpointRecord } from '../../../machines/webhook-records.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import { AUTH_INDEXED, AUTH_UNIQUE, type AuthRow } from '../auth-tables.ts'
import type { Collection, MongoDatabase } from './client.ts'
import type { LeaseDoc } from './lease.ts'
import { PARCEL_SECONDS, TOMBSTONE_SECONDS } from './limits.ts'
import type { UsageSumDoc } from './usage.ts'

/** A record under its key. Fields whose names callers choose are stored as JSON text, because MongoDB rejects `$` and `.` in names. */
export type Kept<T> = T & { _id: string }

/** What documents have that are written under an epoch. It is missing in those from before there were any. */
export interface Fenced {
  epoch?: number
}
/** What an owner finds of a former one, and takes for its own, has the stamps that it gave it. */
interface Stamped {
  stamps?: string[]
}
/** Left of a removed document for TOMBSTONE_SECONDS, without the rest of it. */
interface Removable {
  gone?: Date
}
/** Where its workspace belongs. Rows that one process wrote for itself have none. */
interface Sharded {
  shard?: number
}
export interface ActorDoc extends Fenced, Removable, Sharded {
  _id: string
  version: number
  at: Ms
  snapshot: string
  seq?: number
}
export type TaskDoc = Kept<TaskRecord> & Fenced & Removable & Sharded & { inherited?: Inherited }
/** What its last owner found in a task's journal when it took over: further entries of older epochs came too late. */
export interface Inherited {
  readonly entries: number
  readonly epoch: number
  /** Of a task that has ended: the epoch of its step records and screenshots. Those of older ones came too late. */
  readonly records?: number
  /** And the stamp that those have which were there before its last owner wrote any. */
  readonly stamp?: string
}
export interface EntryDoc extends Fenced {
  /** `<task>:<seq>` */
  _id: string
  taskId: string
  seq: number
  record: string
}
export interface EventDoc extends EntryDoc {
  workspaceId: string
  position: number
}
export interface ScreenshotDoc extends Fenced, Stamped {
  /** `<task>:<number>` */
  _id: string
  taskId: string
  step: number
  number: number
  image: Uint8Array
}
export type FileDoc = Kept<FileRecord> & {
  /** Of a file whose task is not known to exist. */
  until?: Ms
  /** All of its pieces are there. */
  whole: boolean
}
export interface FilePieceDoc {
  /** `<file>:<number>` */
  _id: string
  fileId: string
  number: number
  bytes: Uint8Array
}
export interface TraceDoc {
  /** `<task>:<kind>` */
  _id: string
  taskId: string
  text: string
}
export interface LedgerDoc extends Fenced {
  /** The workspace. */
  _id: string
  credits: number
  /** Free places used, by month. */
  free: Record<string, number>
  /** Changes that were booked and are not noted as done yet. */
  changes: string[]
  /** Counts the bookings. */
  version?: number
}
export interface ChangeDoc {
  /** `task:<id>` or `event:<id>` */
  _id: string
  workspaceId: string
  month: string | null
  /** When the event of a payment came; those of earlier versions do not have it, and stay. */
  at?: Ms
  /** What the ledger gave; `null` while that is not known to have happened. */
  took: 'free' | 'credit' | 'event' | null
  refunded: boolean
}

/** One of the nodes that share the store. */
export interface NodeDoc {
  _id: string
  address: string
  leaving: boolean
  format?: number
  /** By the database's clock. */
  renewedAt: Date
}
/** Which node owns a shard: as a `LeaseDoc`, renewed with its node. */
export interface ShardDoc {
  /** The shard's number. */
  _id: string
  node: string | null
  epoch: number
  settled: number
  /** Of the newest owner that it had. */
  format?: number
}

/** Every collection. */
export function collectionsOf(database: MongoDatabase) {
  return {
    actors: database.collection<ActorDoc>('actors'),
    leases: database.collection<LeaseDoc>('leases'),
    nodes: database.collection<NodeDoc>('nodes'),
    shards: database.collection<ShardDoc>('shards'),
    /** Messages between nodes that are too long to be sent. */
    parcels: database.collection<{ _id: string; text: string; at: Date }>('parcels'),
    journal: database.collection<EntryDoc>('journal'),
    tasks: database.collection<TaskDoc>('tasks'),
    events: database.collection<EventDoc>('events'),
    eventsExpired: database.collection<{ _id: string; position: number }>('events_expired'),
    steps: database.collection<EntryDoc & Stamped>('steps'),
    screenshots: database.collection<ScreenshotDoc>('screenshots'),
    traces: database.collection<TraceDoc>('traces'),
    files: database.collection<FileDoc>('files'),
    filePieces: database.collection<FilePieceDoc>('file_pieces'),
    sessions: database.collection<Kept<SessionRecord>>('sessions'),
    pairings: database.collection<Kept<PairingRecord>>('pairings'),
    keys: database.collection<Kept<KeyRecord>>('api_keys'),
    claims: database.collection<Kept<ClaimRecord>>('claims'),
    workspaces: database.collection<Kept<WorkspaceRecord>>('workspaces'),
    limits: database.collection<{ _id: string; set?: SetLimits; own?: SetLimits['own'] }>('limits'),
    audit: database.collection<Kept<AuditRecord>>('audit'),
    usage: database.collection<Kept<UsageRecord>>('usage'),
    usageSums: database.collection<UsageSumDoc>('usage_sums'),
    ledger: database.collection<LedgerDoc>('ledger'),
    changes: database.collection<ChangeDoc>('ledger_changes'),
    endpoints: database.collection<Kept<EndpointRecord>>('webhook_endpoints'),
    /** Under `<endpoint>:<message>`. */
    deliveries: database.collection<Kept<DeliveryRecord> & Fenced>('webhook_deliveries'),
    settings: database.collection<{ _id: string; value: string }>('settings'),
    auth: (table: string): Collection<Kept<AuthRow>> => database.collection(`auth_${table}`),
  }
}
export type Collections = ReturnType<typeof collectionsOf>

/** The indexes of each collection, as `createIndex` takes them. */
const INDEXES: Partial<Record<keyof Collections, readonly [key: IndexKey, options?: IndexOptions][]>> = {
  actors: [[{ gone: 1 }, { expireAfterSeconds: TOMBSTONE_SECONDS }], [{ shard: 1 }]],
  parcels: [[{ at: 1 }, { expireAfterSeconds: PARCEL_SECONDS }]],
  journal: [[{ taskId: 1, seq: 1 }]],
  events: [[{ taskId: 1, seq: 1 }], [{ workspaceId: 1, position: 1 }], [{ position: 1 }]],
  steps: [[{ taskId: 1, seq: 1 }]],
  screenshots: [[{ taskId: 1, step: 1, number: 1 }]],
  traces: [[{ taskId: 1 }]],
  files: [[{ taskId: 1, createdAt: 1, _id: 1 }], [{ workspaceId: 1, size: 1 }], [{ until: 1 }, { sparse: true }]],
  filePieces: [[{ fileId: 1, number: 1 }]],
  tasks: [
    [{ workspaceId: 1, createdAt: -1, _id: -1 }],
    [{ workspaceId: 1, browserSessionId: 1, createdAt: -1, _id: -1 }],
    [{ status: 1, completedAt: 1 }],
    [{ status: 1, shard: 1 }],
    [{ gone: 1 }, { expireAfterSeconds: TOMBSTONE_SECONDS }],
  ],
  sessions: [[{ tokenHash: 1 }, { unique: true }], [{ workspaceId: 1, createdAt: -1, _id: -1 }]],
  pairings: [[{ expiresAt: 1 }]],
  claims: [[{ expiresAt: 1 }]],
  keys: [[{ keyHash: 1 }, { unique: true }], [{ workspaceId: 1, createdAt: 1, _id: 1 }]],
  workspaces: [[{ name: 1, createdAt: 1 }], [{ members: 1 }]],
  audit: [[{ workspaceId: 1, at: -1, _id: -1 }], [{ at: -1, _id: -1 }]],
  usage: [[{ workspaceId: 1, at: 1 }], [{ taskRunId: 1, at: 1 }]],
  usageSums: [[{ workspaceId: 1, at: 1 }]],
  changes: [[{ at: 1 }, { sparse: true }]],
  endpoints: [[{ workspaceId: 1, createdAt: 1, _id: 1 }]],
  deliveries: [
    [{ id: 1 }, { unique: true }],
    [{ endpointId: 1, createdAt: -1, id: -1 }],
    [{ createdAt: 1 }],
    [{ taskId: 1 }],
  ],
}

/**
 * Makes the indexes that are missing. In a set a majority of its members is enough: with all of them, which is what a
 * server waits for unless it is told, one member that is down would keep the service from starting.
 */
export async function makeIndexes(all: Collections, replicated: boolean): Promise<void> {
  const quorum = replicated ? { commitQuorum: 'majority' as const } : {}
  const make = (collection: Collection<never>, key: IndexKey, options: IndexOptions = {}) =>
    collection.createIndex(key, { ...options, ...quorum })
  await Promise.all([
    ...Object.entries(INDEXES).flatMap(([name, indexes]) =>
      indexes.map(([key, options]) => make(all[name as keyof typeof INDEXES] as never, key, options)),
    ),
    ...each(AUTH_UNIQUE, (table, field) =>
      make(all.auth(table) as never, { [field]: 1 }, { unique: true, sparse: true }),
    ),
    ...each(AUTH_INDEXED, (table, field) => make(all.auth(table) as never, { [field]: 1 })),
  ])
}

type IndexKey = Record<string, 1 | -1>
interface IndexOptions {
  readonly unique?: boolean
  readonly sparse?: boolean
  readonly expireAfterSeconds?: number
}

const each = (
  fields: Readonly<Record<string, readonly string[]>>,
  make: (table: string, field: string) => Promise<string>,
) => Object.entries(fields).flatMap(([table, names]) => names.map((field) => make(table, field)))
