import * as v from 'valibot'
import type { SetLimits, WorkspaceLimits } from '../../machines/workspace-limits.ts'
import { count } from './fields.ts'
import { TASK_COST_USD_MAX } from './limits.ts'

interface Kind {
  readonly field: keyof WorkspaceLimits
  readonly min: number
  readonly max: number
  readonly whole: boolean
}
const whole = (field: keyof WorkspaceLimits, min: number, max: number): Kind => ({ field, min, max, whole: true })
const dollars = (field: keyof WorkspaceLimits): Kind => ({ field, min: 0, max: TASK_COST_USD_MAX, whole: false })

/** [O9] The limits of a workspace by the names under which they are set and read. */
export const LIMITS = {
  starts_per_minute: whole('startsPerMinute', 1, 1_000),
  running_tasks: whole('runningTasks', 0, 1_000),
  queued_tasks: whole('queuedTasks', 0, 10_000),
  browser_sessions: whole('browserSessions', 0, 100_000),
  retention_days: whole('retentionDays', 1, 36_500),
  max_cost_usd_default: dollars('maxCostUsdDefault'),
  max_cost_usd_max: dollars('maxCostUsdMax'),
} as const satisfies Record<string, Kind>
export type LimitName = keyof typeof LIMITS
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[]

/** [O9] `GET /v1/limits`. */
export const Limits = v.object({
  starts_per_minute: count,
  running_tasks: count,
  queued_tasks: count,
  browser_sessions: count,
  retention_days: v.nullable(count),
  max_cost_usd_default: v.nullable(v.number()),
  max_cost_usd_max: v.nullable(v.number()),
})
export type Limits = v.InferOutput<typeof Limits>

export const limitsJson = (limits: WorkspaceLimits): Limits =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, limits[LIMITS[name].field]])) as Limits

/**
 * What `name=value` changes of the limits that are set; `default` as the value takes one back.
 * @throws Error in one line that names what is wrong
 */
export function changedLimits(set: SetLimits, changes: readonly string[]): SetLimits {
  const next: Partial<Record<keyof WorkspaceLimits, number>> = {}
  for (const [field, value] of Object.entries(set)) if (value !== null) next[field as keyof WorkspaceLimits] = value
  for (const change of changes) {
    const [name = '', text = ''] = change.split('=')
    if (!(name in LIMITS)) throw new Error(`Unknown limit ${JSON.stringify(name)}: expected ${LIMIT_NAMES.join(', ')}`)
    const { field, min, max, whole } = LIMITS[name as LimitName]
    if (text === 'default') {
      delete next[field]
      continue
    }
    const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
    const isAllowed = whole ? Number.isInteger(value) && value >= min && value <= max : value > min && value <= max
    if (!isAllowed) {
      const range = whole ? `a whole number from ${min} to ${max}` : `a number above 0, and at most ${max}`
      throw new Error(`${name} ${JSON.stringify(text)} is not valid: expected ${range}, or default`)
    }
    next[field] = value
  }
  const { maxCostUsdDefault, maxCostUsdMax } = next
  if (maxCostUsdDefault !== undefined && maxCostUsdMax !== undefined && maxCostUsdDefault > maxCostUsdMax)
    throw new Error('max_cost_usd_default is more than max_cost_usd_max')
  return next
}
