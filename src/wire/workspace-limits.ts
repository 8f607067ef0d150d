import * as v from 'valibot'
import { type AllLimits, allLimits, type SetLimits } from '../../machines/workspace-limits.ts'
import { count, field } from './fields.ts'
import { TASK_COST_USD_MAX } from './limits.ts'

interface Kind {
  readonly field: keyof AllLimits
  readonly min: number
  readonly max: number
  readonly whole: boolean
  readonly shown: v.GenericSchema
}
const whole = <const Shown extends v.GenericSchema>(of: keyof AllLimits, min: number, max: number, shown: Shown) =>
  ({ field: of, min, max, whole: true, shown }) as const
const dollars = (of: keyof AllLimits, meaning: string, example: number) =>
  ({
    ...{ field: of, min: 0, max: TASK_COST_USD_MAX, whole: false },
    shown: field(v.nullable(v.number()), meaning, example),
  }) as const

/** [O9] The limits of a workspace by the names under which they are set and read. */
export const LIMITS = {
  starts_per_minute: whole(
    'startsPerMinute',
    1,
    1_000,
    field(count, 'Tasks that may be started within 60 seconds.', 10),
  ),
  running_tasks: whole('runningTasks', 0, 1_000, field(count, 'Tasks that may run at the same time.', 5)),
  queued_tasks: whole('queuedTasks', 0, 10_000, field(count, 'Tasks that may wait in the queue.', 1_000)),
  browser_sessions: whole('browserSessions', 0, 100_000, field(count, 'Browsers that may be paired.', 1_000)),
  retention_days: whole(
    'retentionDays',
    1,
    36_500,
    field(
      v.nullable(count),
      'Ended tasks are removed after so many days; null: when the service removes those of all.',
      30,
    ),
  ),
  retention_days_files: whole(
    'retentionDaysFiles',
    1,
    36_500,
    field(
      v.nullable(count),
      'Screenshots, pictures and files are removed after so many days; null: with their task.',
      7,
    ),
  ),
  retention_days_events: whole(
    'retentionDaysEvents',
    1,
    36_500,
    field(v.nullable(count), 'Events of ended tasks are removed after so many days; null: with their task.', 14),
  ),
  retention_days_audit: whole(
    'retentionDaysAudit',
    1,
    36_500,
    field(
      v.nullable(count),
      'Entries of the audit log are removed after so many days; null: when the service removes those of all.',
      365,
    ),
  ),
  max_cost_usd_default: dollars(
    'maxCostUsdDefault',
    'The max_cost_usd of a task that has none of its own; null: none.',
    1,
  ),
  max_cost_usd_max: dollars('maxCostUsdMax', 'The highest max_cost_usd that a task may have; null: none.', 5),
} satisfies Record<string, Kind>
export type LimitName = keyof typeof LIMITS
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[]

const fieldsOf = <Entries extends Readonly<Record<LimitName, v.GenericSchema>>>(
  schemaOf: (name: LimitName) => v.GenericSchema,
) => Object.fromEntries(LIMIT_NAMES.map((name) => [name, schemaOf(name)])) as Entries

const named = fieldsOf<{ [Name in LimitName]: (typeof LIMITS)[Name]['shown'] }>((name) => LIMITS[name].shown)
const { starts_per_minute, running_tasks, browser_sessions } = named
/** [O14] What the operator allows. */
export const AllowedLimits = v.object(named)
/** [O14] What the owners have lowered; `null`: not lowered. */
export const OwnLimits = v.object(
  fieldsOf<Record<LimitName, v.NullableSchema<v.NumberSchema<undefined>, undefined>>>((name) =>
    field(v.nullable(LIMITS[name].whole ? count : v.number()), LIMITS[name].shown),
  ),
)
/** How much is used now. */
export const UsedLimits = v.object({ starts_per_minute, running_tasks, browser_sessions })
export type UsedLimits = v.InferOutput<typeof UsedLimits>

/** [O9] `GET /v1/limits`: what is in force, and what that is made of. */
export const Limits = v.object({
  ...named,
  allowed: field(AllowedLimits, 'What the operator of the service allows.'),
  own: field(OwnLimits, 'What the owners have lowered; null: not lowered.'),
  used: field(UsedLimits, 'How much is used now.'),
})
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
export const ChangeLimitsBody = v.strictObject(
  fieldsOf<Record<LimitName, typeof change>>((name) => field(change, LIMITS[name].shown)),
)
