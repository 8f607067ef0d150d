import type { AuditRecord } from '../../../machines/audit-records.ts'
import type {
  ActorRow,
  ClaimRecord,
  JournalEntry,
  KeyRecord,
  PairingRecord,
  SessionRecord,
  StepRecord,
  TaskRecord,
  UsageRecord,
  WorkspaceRecord,
} from '../../../machines/records.ts'
import type { LogEvent } from '../../../machines/task-log.ts'
import type { DeliveryRecord, EndpointRecord } from '../../../machines/webhook-records.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import type { AuthRow } from '../auth-tables.ts'
import type { LmdbFile } from './database.ts'

/** What a charge took, and whether it was given back. */
export interface ChargeRow {
  readonly workspaceId: string
  readonly month: string
  readonly took: 'free' | 'credit'
  readonly refunded: boolean
}

/** What was used, and by how many tasks. Rows of earlier versions end before the cached tokens. */
export type UsageRow = readonly [
  model: string,
  input: number,
  output: number,
  calls: number,
  tasks: number,
  cached?: number,
  cacheWrite?: number,
]

/** What a list of tasks is filtered by, so that it reads only the records that it returns: [status, session]. */
export type TaskFacet = readonly [status: TaskRecord['status'], browserSessionId: string]

/** An event, after its position in the log of its workspace. */
export type EventRow = readonly [position: number, event: LogEvent]
export type EventKey = readonly [taskId: string, seq: number]

/** Every table of the main file, with its key. An index holds the key of its record, or what its record is filtered by. */
export function tablesOf(file: LmdbFile) {
  return {
    /** address */
    actors: file.table<ActorRow>('actors'),
    /** [task, seq]: an entry; in folders of an earlier version several that follow each other, at the seq of the first */
    journal: file.table<JournalEntry | readonly JournalEntry[]>('journal'),

    /** id */
    tasks: file.table<TaskRecord>('tasks'),
    /** [workspace, createdAt, id] */
    tasksByAge: file.table<TaskFacet>('tasks.by-age'),
    /** [workspace, createdAt, id], only those that run */
    tasksRunning: file.table<string>('tasks.running'),
    /** [completedAt, id] */
    tasksEnded: file.table<string>('tasks.ended'),
    /** [task, number of the write] */
    steps: file.table<StepRecord | readonly StepRecord[]>('steps'),
    /** [task, seq] */
    events: file.table<EventRow>('events'),
    /** [workspace, position] */
    eventsByPosition: file.table<EventKey>('events.by-position'),
    /** workspace: the greatest position that was removed because of its age or number */
    eventsExpired: file.table<number>('events.expired'),
    /** The greatest position, under LAST_POSITION. */
    eventsLast: file.table<number>('events.last'),
    /** [task, kind] */
    traces: file.table<string>('traces'),

    /** id */
    sessions: file.table<SessionRecord>('sessions'),
    /** token hash */
    sessionTokens: file.table<string>('sessions.tokens'),
    /** [workspace, createdAt, id] */
    sessionsByAge: file.table<string>('sessions.by-age'),
    /** token hash */
    pairings: file.table<PairingRecord>('pairings'),

    /** hash: every request reads one */
    keys: file.table<KeyRecord>('keys'),
    /** id */
    keyHashes: file.table<string>('keys.hashes'),
    /** [workspace, createdAt, id] */
    keysByAge: file.table<string>('keys.by-age'),

    /** id */
    claims: file.table<ClaimRecord>('claims'),
    /** [expiresAt, id] */
    claimsByExpiry: file.table<1>('claims.by-expiry'),

    /** id */
    workspaces: file.table<WorkspaceRecord>('workspaces'),
    /** workspace */
    limits: file.table<SetLimits>('limits'),
    /** [workspace or SERVICE, at, id] */
    audit: file.table<AuditRecord>('audit'),
    /** [at, id]: its workspace or SERVICE */
    auditByTime: file.table<string>('audit.by-time'),
    /** [user, workspace] */
    members: file.table<string>('workspaces.members'),

    /** id */
    usage: file.table<UsageRecord>('usage'),
    /** [at, id], only those of no task: a task's are retired with it */
    usageOfRequests: file.table<1>('usage.of-requests'),
    /** [workspace, at, id], or [workspace, midnight, a model's sum] for those that were rolled up */
    usageByTime: file.table<UsageRow>('usage.by-time'),

    /** workspace */
    credits: file.table<number>('ledger.credits'),
    /** [workspace, month] */
    freeUsed: file.table<number>('ledger.free'),
    /** task */
    charges: file.table<ChargeRow>('ledger.charges'),
    /** event id */
    creditEvents: file.table<1>('ledger.events'),
    /** [at, event id]; those of earlier versions are not in it, and stay */
    creditEventsByTime: file.table<1>('ledger.events.by-time'),

    /** id */
    endpoints: file.table<EndpointRecord>('endpoints'),
    /** [workspace, createdAt, id] */
    endpointsByAge: file.table<string>('endpoints.by-age'),
    /** id */
    deliveries: file.table<DeliveryRecord>('deliveries'),
    /** [endpoint, message] */
    deliveryMessages: file.table<string>('deliveries.messages'),
    /** [endpoint, createdAt, id] */
    deliveriesByAge: file.table<DeliveryRecord['status']>('deliveries.by-age'),
    /** [task, id] */
    deliveriesByTask: file.table<string>('deliveries.by-task'),
    /** [createdAt, id] */
    deliveriesByTime: file.table<string>('deliveries.by-time'),

    /** name */
    settings: file.table<string>('settings'),

    /** [table, id] */
    authRows: file.table<AuthRow>('auth.rows'),
    /** [table, field, value, id] */
    authIndex: file.table<1>('auth.index'),
  }
}
export type Tables = ReturnType<typeof tablesOf>
