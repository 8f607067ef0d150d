import type { TaskPart } from '../../actors/runtime/ports.ts'
import type { AuditRecord } from '../../machines/audit-records.ts'
import type { FileRecord } from '../../machines/file-records.ts'
import type { ProfileRecord } from '../../machines/profiles.ts'
import type { RecipeRecord } from '../../machines/recipe.ts'
import type {
  ActorRow,
  ClaimRecord,
  KeyRecord,
  Ms,
  PairingRecord,
  SessionRecord,
  TaskRecord,
  UsageRecord,
  WorkspaceRecord,
} from '../../machines/records.ts'
import type { LogRecord } from '../../machines/task-log.ts'
import type { Usage } from '../../machines/usage.ts'
import type { DeliveryRecord, EndpointRecord } from '../../machines/webhook-records.ts'
import type { AllLimits, SetLimits } from '../../machines/workspace-limits.ts'
import { AUTH_INDEXED, AUTH_UNIQUE, type AuthRow } from './auth-tables.ts'
import { type AnyTable, type IndexSpec, type TableSpec, table } from './port.ts'

/** Every table of the store, with its key and its indexes. */

export const KEYS = table<KeyRecord>({
  name: 'api_keys',
  key: ['id'],
  indexes: { hash: { fields: ['keyHash'], unique: true }, 'by-age': { fields: ['workspaceId', 'createdAt', 'id'] } },
})

export const WORKSPACES = table<WorkspaceRecord>({
  name: 'workspaces',
  key: ['id'],
  indexes: { members: { fields: ['members'] } },
})

export const SESSIONS = table<SessionRecord>({
  name: 'sessions',
  key: ['id'],
  indexes: {
    tokens: { fields: ['tokenHash'], unique: true },
    'by-age': { fields: ['workspaceId', 'createdAt', 'id'] },
    expiring: { fields: ['expiresAt'] },
  },
})

export const PAIRINGS = table<PairingRecord>({
  name: 'pairings',
  key: ['tokenHash'],
  indexes: { expiring: { fields: ['expiresAt'] } },
})

export const CLAIMS = table<ClaimRecord>({
  name: 'claims',
  key: ['id'],
  indexes: { 'by-expiry': { fields: ['expiresAt'] } },
})

/** Limits of a workspace: what its operator has set, and its owners. */
export interface LimitsRow {
  readonly workspaceId: string
  readonly set?: SetLimits
  readonly own?: Partial<AllLimits>
}
export const LIMITS = table<LimitsRow>({ name: 'workspace_limits', collection: 'limits', key: ['workspaceId'] })

/** A recipe's parts have names that others choose: those of inputs. */
export const RECIPES = table<RecipeRecord>({
  name: 'recipes',
  key: ['id'],
  text: ['current', 'trial', 'deviations'],
  indexes: {
    templates: { fields: ['workspaceId', 'templateHash'], unique: true },
    'by-age': { fields: ['workspaceId', 'createdAt', 'id'] },
  },
})

export const PROFILES = table<ProfileRecord>({
  name: 'profiles',
  key: ['id'],
  indexes: {
    names: { fields: ['workspaceId', 'name'], unique: true },
    'by-age': { fields: ['workspaceId', 'createdAt', 'id'] },
  },
})
/** The encrypted values of a profile: in one file with it, so that they go with it. */
export const PROFILE_VALUES = table<{ readonly profileId: string; readonly sealed: string }>({
  name: 'profile_values',
  key: ['profileId'],
})

export const AUDIT = table<AuditRecord>({
  name: 'audit_log',
  collection: 'audit',
  key: ['id'],
  indexes: { 'by-age': { fields: ['workspaceId', 'at', 'id'] }, 'by-time': { fields: ['at', 'id'] } },
})

export const ENDPOINTS = table<EndpointRecord>({
  name: 'endpoints',
  collection: 'webhook_endpoints',
  key: ['id'],
  indexes: { 'by-age': { fields: ['workspaceId', 'createdAt', 'id'] } },
})

export const DELIVERIES = table<DeliveryRecord>({
  name: 'webhook_deliveries',
  // There is one of each message for an endpoint.
  key: ['endpointId', 'messageId'],
  indexes: {
    ids: { fields: ['id'], unique: true },
    'by-age': { fields: ['endpointId', 'createdAt', 'id'] },
    'by-task': { fields: ['taskId', 'createdAt'] },
    'by-time': { fields: ['createdAt'] },
  },
})

/** The kept actors. `shard`: where the workspace of each belongs, when several nodes share the store. */
export type ActorKept = ActorRow & { readonly shard?: number }
export const ACTORS = table<ActorKept>({
  name: 'actors',
  key: ['address'],
  text: ['snapshot'],
  indexes: { shards: { fields: ['shard'] } },
})

/** `parts`: what the retention of its workspace may still take from an ended task before the task itself goes. */
export type TaskKept = TaskRecord & { readonly shard?: number; readonly parts?: readonly string[] }
export const TASKS = table<TaskKept>({
  name: 'tasks',
  key: ['id'],
  indexes: {
    'by-age': { fields: ['workspaceId', 'createdAt', 'id'] },
    'by-session': { fields: ['workspaceId', 'browserSessionId', 'createdAt', 'id'] },
    'by-shard': { fields: ['shard'], only: { status: 'running' } },
    ended: { fields: ['completedAt'] },
    parts: { fields: ['parts', 'completedAt'] },
  },
})
const TASK_PARTS: readonly TaskPart[] = ['files', 'events']
/** What a task of a workspace is found by as long as it has its files, or its events. */
export const partOf = (workspaceId: string, what: TaskPart): string => `${workspaceId} ${what}`
/** Which parts a task has, once it has ended. */
export const partsOf = ({
  workspaceId,
  completedAt,
}: Pick<TaskRecord, 'workspaceId' | 'completedAt'>): Pick<TaskKept, 'parts'> =>
  completedAt === null ? {} : { parts: TASK_PARTS.map((what) => partOf(workspaceId, what)) }

/**
 * What one commit added to the log of a task; `seq` is the number of its last entry, and `position` that entry's. Without a
 * workspace and a position: clients do not read it, or not any more.
 */
export type LogRow = Pick<LogRecord, 'taskId' | 'position' | 'entries'> & {
  readonly seq: number
  readonly workspaceId: string | null
}
export const LOG = table<LogRow>({
  name: 'log',
  key: ['taskId', 'seq'],
  text: ['entries'],
  indexes: { 'by-position': { fields: ['workspaceId', 'position'] } },
})
/** Up to where a workspace has lost its events to their age or number. */
export const EVENTS_EXPIRED = table<{ readonly workspaceId: string; readonly position: number }>({
  name: 'events_expired',
  key: ['workspaceId'],
})
/** The greatest of them is one that was never given, nor any behind it: who gives them, a shard or the one process, has a few rows. */
export const POSITIONS = table<{ readonly by: string; readonly position: number }>({ name: 'positions', key: ['by'] })

export interface ImageRow {
  readonly taskId: string
  readonly number: number
  readonly image: Uint8Array
}
export const IMAGES = table<ImageRow>({
  name: 'images',
  collection: 'screenshots',
  key: ['taskId', 'number'],
  bytes: 'image',
  large: true,
})

export const TRACES = table<{ readonly taskId: string; readonly kind: string; readonly text: string }>({
  name: 'task_traces',
  collection: 'traces',
  key: ['taskId', 'kind'],
})

export const USAGE = table<UsageRecord>({
  name: 'usage',
  key: ['id'],
  indexes: {
    'by-age': { fields: ['workspaceId', 'at'] },
    // A task's are retired with it.
    'of-requests': { fields: ['at'], only: { taskRunId: null } },
  },
})
/** What a workspace used of a model on a day by one key with one outcome, of records that are removed. */
export interface UsageSum extends Usage {
  readonly id: string
  readonly workspaceId: string
  /** Midnight. */
  readonly at: Ms
  readonly model: string
  /** Absent in sums of earlier versions. */
  readonly apiKeyId?: string
  readonly outcome?: 'complete' | 'error'
  /** How many records were a task's. */
  readonly tasks: number
}
export const USAGE_SUMS = table<UsageSum>({
  name: 'usage_sums',
  key: ['id'],
  indexes: { 'by-age': { fields: ['workspaceId', 'at'] } },
})

export interface LedgerRow {
  readonly workspaceId: string
  readonly credits: number
  /** Free tasks used, by month. */
  readonly free: Readonly<Record<string, number>>
}
export const LEDGER = table<LedgerRow>({ name: 'ledger', key: ['workspaceId'] })
/** What was charged for a task (`task:<id>`), or came by an event of a payment (`event:<id>`). */
export interface ChangeRow {
  readonly id: string
  readonly workspaceId: string
  readonly month: string | null
  readonly took: 'free' | 'credit' | 'event'
  readonly refunded: boolean
  /** When a payment came. */
  readonly at?: Ms
}
export const CHANGES = table<ChangeRow>({
  name: 'ledger_changes',
  key: ['id'],
  indexes: { payments: { fields: ['at'] } },
})

/** `until`: it is removed then, unless its task is there. */
export type FileRow = FileRecord & { readonly until?: Ms | null }
export const FILES = table<FileRow>({
  name: 'files',
  key: ['id'],
  large: true,
  indexes: {
    'of-tasks': { fields: ['taskId', 'createdAt', 'id'] },
    sizes: { fields: ['workspaceId'] },
    expiring: { fields: ['until'] },
  },
})
export interface FilePiece {
  readonly fileId: string
  readonly number: number
  readonly bytes: Uint8Array
}
export const FILE_PIECES = table<FilePiece>({
  name: 'file_pieces',
  key: ['fileId', 'number'],
  bytes: 'bytes',
  large: true,
})

/** The tables of the sign-in library. */
export const AUTH_TABLES = [
  ...['user', 'session', 'account', 'verification', 'rateLimit', 'invitation'],
  ...['oauthCode', 'oauthGrant', 'mailWish'],
]
export const authTable = (name: string): TableSpec<AuthRow> => {
  const known = auth.get(name)
  if (known) return known
  const indexes: [string, IndexSpec<AuthRow>][] = [
    ...(AUTH_UNIQUE[name] ?? []).map((field): [string, IndexSpec<AuthRow>] => [
      field,
      { fields: [field], unique: true },
    ]),
    ...(AUTH_INDEXED[name] ?? []).map((field): [string, IndexSpec<AuthRow>] => [field, { fields: [field] }]),
  ]
  const spec = table<AuthRow>({ name: `auth_${name}`, key: ['id'], indexes: Object.fromEntries(indexes) })
  auth.set(name, spec)
  return spec
}
const auth = new Map<string, TableSpec<AuthRow>>()

export const ALL_TABLES: readonly AnyTable[] = [
  ...[ACTORS, TASKS, LOG, EVENTS_EXPIRED, POSITIONS, IMAGES, TRACES],
  ...[USAGE, USAGE_SUMS, LEDGER, CHANGES, ENDPOINTS, DELIVERIES, FILES, FILE_PIECES],
  ...[
    KEYS,
    WORKSPACES,
    SESSIONS,
    PAIRINGS,
    CLAIMS,
    LIMITS,
    AUDIT,
    RECIPES,
    PROFILES,
    PROFILE_VALUES,
    ...AUTH_TABLES.map(authTable),
  ],
]
