import * as v from 'valibot'
import { absentable, httpUrl, ms, REQUIRED, uuid } from './fields.ts'
import { URL_CHARS_MAX } from './limits.ts'
import { listOf } from './list.ts'

/** [Z10] The name of a profile; as part of a start its id will do. */
export const profileName = v.pipe(
  v.string('must be a string'),
  v.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must be 1 to 40 of a–z, 0–9, _ and -, and begin with a letter or digit'),
)

/** [Z10] */
export const CreateProfileBody = v.strictObject({ name: profileName })
export const Profile = v.object({ id: uuid, name: v.string(), created_at: ms, saved_at: v.nullable(ms) })
export type Profile = v.InferOutput<typeof Profile>
export const ProfileList = listOf('profiles', Profile)

/** [Z13] */
export const SignInBody = v.strictObject({
  url: v.pipe(httpUrl(URL_CHARS_MAX), v.nonEmpty(REQUIRED)),
  pool: absentable(profileName),
})

/** [Z12] Where a browser reads the profile of its running task, and saves that of an ended one. */
export const BROWSER_PROFILES_PATH = '/v1/browser-profiles'

const values = v.array(v.looseObject({}))
/** [Z12] Cookies and storage, as Playwright's `storageState` has them. */
export const ProfileValues = v.looseObject({ cookies: values, origins: values })
export type ProfileValues = v.InferOutput<typeof ProfileValues>
/** [Z12] For the browser of a task. `values: null`: nothing was saved yet. */
export const TaskProfile = v.object({ save: v.boolean(), values: v.nullable(ProfileValues) })
export type TaskProfile = v.InferOutput<typeof TaskProfile>
