import * as v from 'valibot'
import { absentable, ms, text, uuid, words } from './fields.ts'
import { KEY_NAME_CHARS_MAX } from './limits.ts'
import { listOf } from './list.ts'

const PASSWORD_CHARS_MAX = 200

const type = v.picklist(['secret', 'publishable'], 'must be secret or publishable')

/** [K1, K2] */
export const CreateKeyBody = v.object({
  name: words(KEY_NAME_CHARS_MAX),
  type: absentable(type),
  password: absentable(text(PASSWORD_CHARS_MAX)),
})

/** The only answer that shows the key itself. */
export const KeyCreated = v.object({
  id: uuid,
  key: v.string(),
  name: v.string(),
  type,
  workspace_id: v.string(),
  created_at: ms,
})
export type KeyCreated = v.InferOutput<typeof KeyCreated>

/** [K5] A key, without its text. */
export const ApiKey = v.object({
  id: uuid,
  name: v.string(),
  type,
  key_prefix: v.string(),
  created_at: ms,
  last_used_at: v.nullable(ms),
})

/** [K5] The same list under both names. */
export const KeyList = v.object({ ...listOf('api_keys', ApiKey).entries, keys: v.array(ApiKey) })
export type KeyList = v.InferOutput<typeof KeyList>
