import * as v from 'valibot'
import { AT, KEY } from './example-values.ts'
import { absentable, created_at, field, ms, text, uuid, words, workspace_id } from './fields.ts'
import { KEY_NAME_CHARS_MAX } from './limits.ts'
import { listOf } from './list.ts'

const PASSWORD_CHARS_MAX = 200

const kind = v.picklist(['secret', 'publishable'], 'must be secret or publishable')
const type = field(kind, 'Publishable keys may pair browsers and nothing else.', 'secret')
const name = field(v.string(), 'Its name.', 'backend')

/** [K1, K2] */
export const CreateKeyBody = v.object({
  name: field(words(KEY_NAME_CHARS_MAX), 'A name to know the key by.', 'backend'),
  type: field(absentable(kind), type),
  password: field(
    absentable(text(PASSWORD_CHARS_MAX)),
    'Of who asks by a cookie: the password or, signed in with a key, a secret key of the workspace.',
    'correct horse battery staple',
  ),
})

/** The only answer that shows the key itself. */
export const KeyCreated = v.object({
  id: field(uuid, 'The id.', KEY),
  key: field(v.string(), 'The key itself. It is shown once.', 'svc_live_5f0c1a2b3c4d'),
  name,
  type,
  workspace_id,
  created_at,
})
export type KeyCreated = v.InferOutput<typeof KeyCreated>

/** [K5] A key, without its text. */
export const ApiKey = v.object({
  id: field(uuid, 'The id.', KEY),
  name,
  type,
  key_prefix: field(v.string(), 'The first characters of the key.', 'svc_live_5f0c1a2'),
  created_at,
  last_used_at: field(
    v.nullable(ms),
    'When it was last used, in milliseconds since 1970, to the minute; null when it never was.',
    AT,
  ),
})

/** [K5] The same list under both names. */
export const KeyList = v.object({
  ...listOf('api_keys', ApiKey, 'The keys, oldest first.').entries,
  keys: field(v.array(ApiKey), 'The same list under its earlier name.'),
})
export type KeyList = v.InferOutput<typeof KeyList>
