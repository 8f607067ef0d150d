import * as v from 'valibot'
import { AT, PROFILE } from './example-values.ts'
import { absentable, created_at, field, httpUrl, ms, REQUIRED, uuid } from './fields.ts'
import { URL_CHARS_MAX } from './limits.ts'
import { listOf } from './list.ts'

/** [Z10] The name of a profile; as part of a start its id will do. */
export const profileName = v.pipe(
  v.string('must be a string'),
  v.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must be 1 to 40 of a–z, 0–9, _ and -, and begin with a letter or digit'),
)

/** [Z10] */
export const CreateProfileBody = v.strictObject({ name: field(profileName, 'Its name: a–z, 0–9, _ and -.', 'acme') })
export const Profile = v.object({
  id: field(uuid, 'The id.', PROFILE),
  name: field(v.string(), 'Its name.', 'acme'),
  created_at,
  saved_at: field(v.nullable(ms), 'When it was last saved, in ms since 1970; null: it is empty.', AT),
})
export type Profile = v.InferOutput<typeof Profile>
export const ProfileList = listOf('profiles', Profile, 'The profiles.')

/** [Z13] */
export const SignInBody = v.strictObject({
  url: field(
    v.pipe(httpUrl(URL_CHARS_MAX), v.nonEmpty(REQUIRED)),
    'The page on which a person signs in.',
    'https://acme.example/login',
  ),
  pool: field(absentable(profileName), 'The pool that lends the browser.', 'default'),
})

/** [Z12] Where a browser reads the profile of its running task, and saves that of an ended one. */
export const BROWSER_PROFILES_PATH = '/v1/browser-profiles'

const values = v.array(v.looseObject({}))
/** [Z12] Cookies and storage, as Playwright's `storageState` has them. */
export const ProfileValues = v.looseObject({
  cookies: field(values, 'Cookies.', []),
  origins: field(values, 'Storage by origin.', []),
})
export type ProfileValues = v.InferOutput<typeof ProfileValues>
/** [Z12] For the browser of a task. `values: null`: nothing was saved yet. */
export const TaskProfile = v.object({
  save: field(v.boolean(), 'Whether it is to be saved at the end of the task.', true),
  values: field(v.nullable(ProfileValues), 'Cookies and storage; null: nothing was saved yet.'),
})
export type TaskProfile = v.InferOutput<typeof TaskProfile>
