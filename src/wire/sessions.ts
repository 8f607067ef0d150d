import * as v from 'valibot'
import { BrowserPool, BrowserPoolBody } from './browsers.ts'
import { absentable, count, integer, ms, text, uuid, words } from './fields.ts'
import { LABEL_CHARS_MAX, SESSIONS_PAGE_SIZE_MAX, TOKEN_CHARS_MAX } from './limits.ts'
import { listOf } from './list.ts'

const flag = v.boolean('must be true or false')

/** [S1, S2] */
export const PairBody = v.object({
  label: absentable(text(LABEL_CHARS_MAX)),
  external_user_id: absentable(text(LABEL_CHARS_MAX)),
  allow_tasks: absentable(flag),
  /** [Z1] */
  pool: absentable(BrowserPoolBody),
})
export const Pairing = v.object({
  pairing_token: v.string(),
  pairing_url: v.string(),
  expires_at: ms,
  expires_in_seconds: count,
})
export type Pairing = v.InferOutput<typeof Pairing>

/** [S4] */
export const RegisterBody = v.object({ pairing_token: words(TOKEN_CHARS_MAX) })
export const Registration = v.object({
  browser_session_id: uuid,
  session_token: v.string(),
  workspace_id: v.string(),
  relay_port: count,
  pool: v.optional(BrowserPool),
})
export type Registration = v.InferOutput<typeof Registration>

/** [S15] */
export const PairingInfoBody = v.strictObject(RegisterBody.entries)
/** [S15] What a person reads about a pairing link before they agree. */
export const PairingInfo = v.object({
  workspace: v.string(),
  created_by: v.nullable(v.string()),
  label: v.nullable(v.string()),
  allow_tasks: v.boolean(),
  expires_at: ms,
})
export type PairingInfo = v.InferOutput<typeof PairingInfo>

/** [S18] */
export const AllowTasksBody = v.strictObject({ allow_tasks: flag })
export const TasksAllowed = v.object({ id: uuid, allow_tasks: v.boolean() })

/** [S9, S21] */
export const SessionListQuery = v.object({
  limit: v.optional(integer(1, SESSIONS_PAGE_SIZE_MAX), SESSIONS_PAGE_SIZE_MAX),
  status: v.optional(v.picklist(['connected', 'disconnected'])),
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[\w-]+$/, 'must be a next_cursor returned by this list'))),
})

/** [S9] A paired browser. */
export const BrowserSession = v.object({
  id: uuid,
  key_id: v.nullable(v.string()),
  allow_tasks: v.boolean(),
  status: v.picklist(['connected', 'disconnected']),
  label: v.nullable(v.string()),
  external_user_id: v.nullable(v.string()),
  connected_at: v.nullable(ms),
  last_heartbeat: v.nullable(ms),
  expires_at: ms,
  state: v.string(),
  tab_id: v.nullable(v.number()),
  window_id: v.nullable(v.number()),
  pool: v.optional(BrowserPool),
})

/** [S9] */
export const SessionList = listOf('sessions', BrowserSession)
export type SessionList = v.InferOutput<typeof SessionList>

/** [S11, K6] */
export const Deleted = v.object({ id: v.string(), deleted: v.literal(true) })
export type Deleted = v.InferOutput<typeof Deleted>
