import type { LimitName } from '../../../wire/workspace-limits.ts'
import { count, usd } from '../format.ts'

export interface LimitWords {
  readonly group: 'Throughput' | 'Retention' | 'Cost'
  readonly name: string
  readonly unit?: 'days' | 'USD'
  /** What it means that there is none. */
  readonly none?: string
}

/** What the limits of a workspace are called, in the order in which they are shown. */
export const LIMIT_WORDS: Readonly<Record<LimitName, LimitWords>> = {
  starts_per_minute: { group: 'Throughput', name: 'Task starts per minute' },
  running_tasks: { group: 'Throughput', name: 'Running tasks' },
  queued_tasks: { group: 'Throughput', name: 'Queued tasks' },
  browser_sessions: { group: 'Throughput', name: 'Paired browsers' },
  retention_days: {
    ...{ group: 'Retention', name: 'Ended tasks are kept' },
    ...{ unit: 'days', none: 'as long as the service keeps them' },
  },
  retention_days_files: {
    ...{ group: 'Retention', name: 'Screenshots and files are kept' },
    ...{ unit: 'days', none: 'as long as their task' },
  },
  retention_days_events: {
    ...{ group: 'Retention', name: 'Events are kept' },
    ...{ unit: 'days', none: 'as long as their task' },
  },
  retention_days_audit: {
    ...{ group: 'Retention', name: 'The audit log is kept' },
    ...{ unit: 'days', none: 'as long as the service keeps it' },
  },
  max_cost_usd_default: {
    ...{ group: 'Cost', name: 'Cost of a task without a limit of its own' },
    ...{ unit: 'USD', none: 'no limit' },
  },
  max_cost_usd_max: { group: 'Cost', name: 'Highest cost of a task', unit: 'USD', none: 'no limit' },
}

/** The value of a limit: `5`, `30 days`, `$2.00`. */
export function withUnit({ unit, none = 'none' }: LimitWords, value: number | null): string {
  if (value === null) return none
  return unit === 'USD' ? usd(value) : unit === 'days' ? count(value, 'day') : value.toLocaleString('en')
}
