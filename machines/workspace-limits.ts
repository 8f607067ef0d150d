import { QUEUED_STARTS_MAX, RUNNING_TASKS_MAX, STARTS_PER_WINDOW_MAX } from './limits.ts'

/** [O9] What one workspace may. The numbers of the specification hold where its operator has set no others. */
export interface WorkspaceLimits {
  readonly startsPerMinute: number
  /** At the same time. */
  readonly runningTasks: number
  readonly queuedTasks: number
  /** Paired browsers whose sessions have not expired. */
  readonly browserSessions: number
  /** How long ended tasks are kept at most; `null`: as long as the retention of the service. */
  readonly retentionDays: number | null
  /** The limit of a task that sets none, and the highest that a task may set. */
  readonly maxCostUsdDefault: number | null
  readonly maxCostUsdMax: number | null
}

/** [O13] How long parts of ended tasks and the audit log are kept, in days; `null`: as long as the service keeps them. */
export interface Retention {
  /** Screenshots, pictures and files. */
  readonly retentionDaysFiles: number | null
  /** The logs of events. */
  readonly retentionDaysEvents: number | null
  readonly retentionDaysAudit: number | null
}
export type AllLimits = WorkspaceLimits & Retention

/** Only the limits that the operator has set; `own`: those to which the owners of the workspace have lowered them. */
export type SetLimits = Partial<AllLimits> & { readonly own?: Partial<AllLimits> }

export const DEFAULT_LIMITS: WorkspaceLimits = {
  startsPerMinute: STARTS_PER_WINDOW_MAX,
  runningTasks: RUNNING_TASKS_MAX,
  queuedTasks: QUEUED_STARTS_MAX,
  browserSessions: 1_000,
  retentionDays: null,
  maxCostUsdDefault: null,
  maxCostUsdMax: null,
}

const DEFAULT_RETENTION: Retention = { retentionDaysFiles: null, retentionDaysEvents: null, retentionDaysAudit: null }

/** The limits in force: of what the operator allows and what the owners want, the smaller. */
export function allLimits({ own = {}, ...set }: SetLimits): AllLimits {
  const allowed: AllLimits = { ...DEFAULT_LIMITS, ...DEFAULT_RETENTION, ...set }
  const names = Object.keys(allowed) as (keyof AllLimits)[]
  const limits = Object.fromEntries(names.map((name) => [name, smaller(allowed[name], own[name] ?? null)]))
  // A default is not a bound: owners choose any that the highest cost allows.
  const wanted = own.maxCostUsdDefault ?? allowed.maxCostUsdDefault
  return { ...limits, maxCostUsdDefault: wanted } as AllLimits
}

/** `null`: no limit. */
const smaller = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b)

/** The limits that the actors of a workspace apply. */
export function withDefaults(set: SetLimits): WorkspaceLimits {
  const { retentionDaysFiles, retentionDaysEvents, retentionDaysAudit, ...limits } = allLimits(set)
  return limits
}

/** What a task may cost: what it asks for, else the default, never more than the most; `null`: no limit. */
export function costLimitOf(
  asked: number | null | undefined,
  { maxCostUsdDefault, maxCostUsdMax }: Pick<WorkspaceLimits, 'maxCostUsdDefault' | 'maxCostUsdMax'>,
): number | null {
  const wanted = asked ?? maxCostUsdDefault ?? maxCostUsdMax
  return wanted === null || maxCostUsdMax === null ? wanted : Math.min(wanted, maxCostUsdMax)
}
