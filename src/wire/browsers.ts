import * as v from 'valibot'
import type { BrowserRequest, ContextOptions } from '../../machines/records.ts'
import { absentable, integer, text, uuid } from './fields.ts'
import { LOCALE_CHARS_MAX, PLACES_MAX, VIEWPORT_PX_MAX, VIEWPORT_PX_MIN } from './limits.ts'
import { profileName } from './profiles.ts'

/** [Z1] The name of a pool of browsers. */
export const poolName = v.pipe(
  v.string('must be a string'),
  v.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must be 1 to 40 of a–z, 0–9, _ and -, and begin with a letter or digit'),
)

/** [Z1] The pool that a browser belongs to, and how many tasks it takes at a time. */
export const BrowserPool = v.object({ name: poolName, places: integer(1, PLACES_MAX) })
export const BrowserPoolBody = v.strictObject(
  { name: poolName, places: integer(1, PLACES_MAX) },
  'must be an object of name and places',
)

const pixels = integer(VIEWPORT_PX_MIN, VIEWPORT_PX_MAX)
const degrees = (max: number) => {
  const wrong = `must be a number from -${max} to ${max}`
  return v.pipe(v.number(wrong), v.minValue(-max, wrong), v.maxValue(max, wrong))
}
const meters = v.pipe(v.number('must be a number, 0 or more'), v.minValue(0, 'must be a number, 0 or more'))

const isAccepted = (use: () => unknown): boolean => {
  try {
    use()
    return true
  } catch {
    return false
  }
}
const locale = v.pipe(
  text(LOCALE_CHARS_MAX),
  v.check((tag) => isAccepted(() => Intl.getCanonicalLocales(tag)), 'must be a language tag such as en-GB'),
)
const timeZone = v.pipe(
  text(LOCALE_CHARS_MAX),
  v.check(
    (zone) => isAccepted(() => new Intl.DateTimeFormat('en', { timeZone: zone })),
    'must be an IANA time zone such as Europe/Paris',
  ),
)

/** The clipboard is none of them: the tasks of a browser share it. */
const PERMISSIONS = ['geolocation', 'notifications', 'camera', 'microphone'] as const

/** [Z2, Z8] The pool that a task takes its browser from, and how the context of the task in there is. */
export const BrowserBody = v.strictObject(
  {
    pool: absentable(poolName),
    profile: absentable(profileName),
    save: absentable(v.boolean('must be true or false')),
    viewport: absentable(v.strictObject({ width: pixels, height: pixels }, 'must be an object of width and height')),
    locale: absentable(locale),
    time_zone: absentable(timeZone),
    geolocation: absentable(
      v.strictObject(
        { latitude: degrees(90), longitude: degrees(180), accuracy: absentable(meters) },
        'must be an object of latitude, longitude and accuracy',
      ),
    ),
    permissions: absentable(
      v.array(v.picklist(PERMISSIONS, `must be of ${PERMISSIONS.join(', ')}`), 'must be a list of permissions'),
    ),
    touch: absentable(v.boolean('must be true or false')),
  },
  'must be an object of pool, profile, save, viewport, locale, time_zone, geolocation, permissions and touch',
)
type BrowserGiven = v.InferOutput<typeof BrowserBody>

/** As tasks show what they asked of their browser. */
export const TaskBrowser = v.object({
  pool: v.nullable(poolName),
  profile: v.optional(uuid),
  save: v.optional(v.boolean()),
  viewport: v.optional(v.object({ width: pixels, height: pixels })),
  locale: v.optional(v.string()),
  time_zone: v.optional(v.string()),
  geolocation: v.optional(
    v.object({ latitude: degrees(90), longitude: degrees(180), accuracy: v.optional(v.number()) }),
  ),
  permissions: v.optional(v.array(v.string())),
  touch: v.optional(v.boolean()),
})
export type TaskBrowser = v.InferOutput<typeof TaskBrowser>

/** What is given alone: absent and `null` are the same. */
function given<Of extends object>(of: Of): { [Name in keyof Of]?: NonNullable<Of[Name]> } {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null && value !== undefined)) as never
}

export function browserRequestOf(body: BrowserGiven): BrowserRequest {
  const { pool, profile: _, save: __, time_zone: timeZone, geolocation, ...rest } = body
  const context = given({ ...rest, timeZone, geolocation: geolocation && given(geolocation) }) as ContextOptions
  return { pool, ...(Object.keys(context).length > 0 ? { context } : {}) }
}

export function browserJson(request: BrowserRequest): TaskBrowser {
  const { timeZone, permissions, ...rest } = request.context ?? {}
  return {
    pool: request.pool,
    ...(request.profile ? { profile: request.profile.id, save: request.profile.save } : {}),
    ...rest,
    ...(permissions ? { permissions: [...permissions] } : {}),
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
  }
}
