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

/** Only the limits that were set. */
export type SetLimits = Partial<WorkspaceLimits>

export const DEFAULT_LIMITS: WorkspaceLimits = {
  startsPerMinute: STARTS_PER_WINDOW_MAX,
  runningTasks: RUNNING_TASKS_MAX,
  queuedTasks: QUEUED_STARTS_MAX,
  browserSessions: 1_000,
  retentionDays: null,
  maxCostUsdDefault: null,
  maxCostUsdMax: null,
}

export const withDefaults = (set: SetLimits): WorkspaceLimits => ({ ...DEFAULT_LIMITS, ...set })

/** What a task may cost: what it asks for, else the default, never more than the most; `null`: no limit. */
export function costLimitOf(
  asked: number | null | undefined,
  { maxCostUsdDefault, maxCostUsdMax }: Pick<WorkspaceLimits, 'maxCostUsdDefault' | 'maxCostUsdMax'>,
): number | null {
  const wanted = asked ?? maxCostUsdDefault ?? maxCostUsdMax
  return wanted === null || maxCostUsdMax === null ? wanted : Math.min(wanted, maxCostUsdMax)
}
