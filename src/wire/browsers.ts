import * as v from 'valibot'
import type { BrowserRequest, ContextOptions } from '../../machines/records.ts'
import { PROFILE } from './example-values.ts'
import { absentable, field, integer, objectOf, text, uuid } from './fields.ts'
import { LOCALE_CHARS_MAX, PLACES_MAX, VIEWPORT_PX_MAX, VIEWPORT_PX_MIN } from './limits.ts'
import { profileName } from './profiles.ts'

/** [Z1] The name of a pool of browsers. */
export const poolName = v.pipe(
  v.string('must be a string'),
  v.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must be 1 to 40 of a–z, 0–9, _ and -, and begin with a letter or digit'),
)

const places = field(integer(1, PLACES_MAX), 'How many tasks the browser takes at a time.', 4)
/** [Z1] The pool that a browser belongs to, and how many tasks it takes at a time. */
export const BrowserPool = v.object({
  name: field(poolName, 'The name of the pool.', 'default'),
  places,
})
export const BrowserPoolBody = v.strictObject(
  {
    name: field(poolName, 'The name of the pool: a–z, 0–9, _ and -.', 'default'),
    places,
  },
  objectOf('name and places'),
)

const pixels = integer(VIEWPORT_PX_MIN, VIEWPORT_PX_MAX)
const size = {
  width: field(pixels, 'The width, in CSS pixels.', 390),
  height: field(pixels, 'The height, in CSS pixels.', 844),
}
const degrees = (max: number) => {
  const wrong = `must be a number from -${max} to ${max}`
  return v.pipe(v.number(wrong), v.minValue(-max, wrong), v.maxValue(max, wrong))
}
const meters = v.pipe(v.number('must be a number, 0 or more'), v.minValue(0, 'must be a number, 0 or more'))
const place = {
  latitude: field(degrees(90), 'Degrees north.', 52.52),
  longitude: field(degrees(180), 'Degrees east.', 13.405),
  accuracy: field(absentable(meters), 'In meters.', 10),
}

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
    pool: field(absentable(poolName), 'The pool; left out with a `browser_session_id`.', 'default'),
    profile: field(
      absentable(profileName),
      'The profile that signs the task in to sites: its name or id. Needs a `pool`.',
      'acme',
    ),
    save: field(absentable(v.boolean('must be true or false')), '`false` leaves the profile as it was.', true),
    viewport: field(
      absentable(v.strictObject(size, objectOf('width and height'))),
      'The size of its pages, in CSS pixels.',
    ),
    locale: field(absentable(locale), 'The language, as a BCP 47 tag.', 'de-DE'),
    time_zone: field(absentable(timeZone), 'The IANA time zone.', 'Europe/Berlin'),
    geolocation: field(
      absentable(v.strictObject(place, objectOf('latitude, longitude and accuracy'))),
      'Where pages think that they are.',
    ),
    permissions: field(
      absentable(
        v.array(v.picklist(PERMISSIONS, `must be of ${PERMISSIONS.join(', ')}`), 'must be a list of permissions'),
      ),
      'What pages may without asking.',
      ['geolocation'],
    ),
    touch: field(absentable(v.boolean('must be true or false')), 'Whether pages see a touch screen.', true),
  },
  objectOf('pool, profile, save, viewport, locale, time_zone, geolocation, permissions and touch'),
)
type BrowserGiven = v.InferOutput<typeof BrowserBody>

const asked = BrowserBody.entries
/** As tasks show what they asked of their browser. */
export const TaskBrowser = v.object({
  pool: field(v.nullable(poolName), 'The pool; null when the browser was named.', 'default'),
  profile: field(v.optional(uuid), 'The id of the profile.', PROFILE),
  save: field(v.optional(v.boolean()), 'Whether its end saves the profile.', true),
  viewport: field(v.optional(v.object(size)), asked.viewport),
  locale: field(v.optional(v.string()), asked.locale),
  time_zone: field(v.optional(v.string()), asked.time_zone),
  geolocation: field(
    v.optional(v.object({ ...place, accuracy: field(v.optional(v.number()), place.accuracy) })),
    asked.geolocation,
  ),
  permissions: field(v.optional(v.array(v.string())), asked.permissions),
  touch: field(v.optional(v.boolean()), asked.touch),
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
