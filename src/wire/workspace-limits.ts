import * as v from 'valibot'
import { type AllLimits, allLimits, type SetLimits } from '../../machines/workspace-limits.ts'
import { count } from './fields.ts'
import { TASK_COST_USD_MAX } from './limits.ts'

interface Kind {
  readonly field: keyof AllLimits
  readonly min: number
  readonly max: number
  readonly whole: boolean
}
const whole = (field: keyof AllLimits, min: number, max: number): Kind => ({ field, min, max, whole: true })
const dollars = (field: keyof AllLimits): Kind => ({ field, min: 0, max: TASK_COST_USD_MAX, whole: false })

/** [O9] The limits of a workspace by the names under which they are set and read. */
export const LIMITS = {
  starts_per_minute: whole('startsPerMinute', 1, 1_000),
  running_tasks: whole('runningTasks', 0, 1_000),
  queued_tasks: whole('queuedTasks', 0, 10_000),
  browser_sessions: whole('browserSessions', 0, 100_000),
  retention_days: whole('retentionDays', 1, 36_500),
  retention_days_files: whole('retentionDaysFiles', 1, 36_500),
  retention_days_events: whole('retentionDaysEvents', 1, 36_500),
  retention_days_audit: whole('retentionDaysAudit', 1, 36_500),
  max_cost_usd_default: dollars('maxCostUsdDefault'),
  max_cost_usd_max: dollars('maxCostUsdMax'),
} as const satisfies Record<string, Kind>
export type LimitName = keyof typeof LIMITS
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[]

const named = {
  starts_per_minute: count,
  running_tasks: count,
  queued_tasks: count,
  browser_sessions: count,
  retention_days: v.nullable(count),
  retention_days_files: v.nullable(count),
  retention_days_events: v.nullable(count),
  retention_days_audit: v.nullable(count),
  max_cost_usd_default: v.nullable(v.number()),
  max_cost_usd_max: v.nullable(v.number()),
}
/** [O14] What the operator allows. */
export const AllowedLimits = v.object(named)
/** [O14] What the owners have lowered; `null`: not lowered. */
export const OwnLimits = v.object({
  ...named,
  starts_per_minute: v.nullable(count),
  running_tasks: v.nullable(count),
  queued_tasks: v.nullable(count),
  browser_sessions: v.nullable(count),
})
/** How much is used now. */
export const UsedLimits = v.object({ starts_per_minute: count, running_tasks: count, browser_sessions: count })
export type UsedLimits = v.InferOutput<typeof UsedLimits>

/** [O9] `GET /v1/limits`: what is in force, and what that is made of. */
export const Limits = v.object({ ...named, allowed: AllowedLimits, own: OwnLimits, used: UsedLimits })
export type Limits = v.InferOutput<typeof Limits>

/** Limits by their names; `null`: none. */
export const limitsByName = (limits: Partial<AllLimits>): Readonly<Record<LimitName, number | null>> =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, limits[LIMITS[name].field] ?? null])) as Record<
    LimitName,
    number | null
  >

export function limitsJson(set: SetLimits, used: UsedLimits): Limits {
  const { own = {}, ...operators } = set
  const parts = { allowed: limitsByName(allLimits(operators)), own: limitsByName(own), used }
  return { ...limitsByName(allLimits(set)), ...parts } as Limits
}

/**
 * What `name=value` changes of the limits that are set; `default` as the value takes one back.
 * @throws Error in one line that names what is wrong
 */
export function changedLimits(set: SetLimits, changes: readonly string[]): SetLimits {
  const next: Partial<Record<keyof AllLimits, number>> = {}
  const { own, ...operators } = set
  for (const [field, value] of Object.entries(operators)) if (value !== null) next[field as keyof AllLimits] = value
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

/** [O14] The limits that owners may lower. How long the audit log is kept is the decision of the operator. */
export const OWNER_LIMITS: readonly LimitName[] = LIMIT_NAMES.filter((name) => name !== 'retention_days_audit')

/** Changes of the owners' own limits; `null` removes one. */
export type LimitChanges = Partial<Record<LimitName, number | null | undefined>>

/**
 * [O14] The owners' own limits after a change. Each is bounded by what the operator allows.
 * @returns `wrong`: why the change is refused, and of which `limit`
 */
export function loweredLimits(
  set: SetLimits,
  changes: LimitChanges,
): Partial<AllLimits> | { readonly limit: LimitName; readonly wrong: string } {
  const { own = {}, ...operators } = set
  const allowed = allLimits(operators)
  const next = { ...own } as Partial<Record<keyof AllLimits, number>>
  for (const name of LIMIT_NAMES) {
    const value = changes[name]
    if (value === undefined) continue
    const { field, min, max, whole } = LIMITS[name]
    const wrong = (why: string) => ({ limit: name, wrong: `${name} ${why}` })
    if (!OWNER_LIMITS.includes(name)) return wrong('can be changed by the operator of the service alone')
    if (value === null) {
      delete next[field]
      continue
    }
    const isValid = whole ? Number.isInteger(value) && value >= min : value > min
    if (!isValid || value > max)
      return wrong(`must be ${whole ? `a whole number from ${min} to ${max}` : `a number above 0, and at most ${max}`}`)
    const most = name === 'max_cost_usd_default' ? allowed.maxCostUsdMax : allowed[field]
    if (most !== null && value > most)
      return wrong(`must be at most ${most}: only the operator of the service can raise it`)
    next[field] = value
  }
  const { maxCostUsdDefault, maxCostUsdMax } = next
  if (maxCostUsdDefault !== undefined && maxCostUsdMax !== undefined && maxCostUsdDefault > maxCostUsdMax)
    return { limit: 'max_cost_usd_default', wrong: 'max_cost_usd_default must be at most max_cost_usd_max' }
  return next as Partial<AllLimits>
}

const change = v.optional(v.nullable(v.number('must be a number or null')))
/** [O14] A limit that is left out stays as it is. */
export const ChangeLimitsBody = v.strictObject({
  starts_per_minute: change,
  running_tasks: change,
  queued_tasks: change,
  browser_sessions: change,
  retention_days: change,
  retention_days_files: change,
  retention_days_events: change,
  retention_days_audit: change,
  max_cost_usd_default: change,
  max_cost_usd_max: change,
})
