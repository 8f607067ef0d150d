import * as v from 'valibot'
import { BrowserPool, BrowserPoolBody } from './browsers.ts'
import { AT, KEY, SESSION, TASK } from './example-values.ts'
import {
  absentable,
  browser_session_id,
  count,
  expires_at,
  field,
  ms,
  text,
  uuid,
  words,
  workspace_id,
} from './fields.ts'
import { LABEL_CHARS_MAX, SESSIONS_PAGE_SIZE_MAX, TOKEN_CHARS_MAX } from './limits.ts'
import { listOf, pageCursor, pageLimit } from './list.ts'

const flag = v.boolean('must be true or false')
const allow_tasks = field(flag, 'Whether this browser may start tasks of its own and use the language model.', true)
const POOL = 'The pool that the browser belongs to, for tasks that ask for the pool.'
const pool = field(v.optional(BrowserPool), POOL)

/** [S1, S2] */
export const PairBody = v.object({
  label: field(
    absentable(text(LABEL_CHARS_MAX)),
    'A name for the browser, shown to the person who is asked to agree.',
    'Ann’s laptop',
  ),
  external_user_id: field(
    absentable(text(LABEL_CHARS_MAX)),
    'Your own id of the person whose browser it is.',
    'user-42',
  ),
  allow_tasks: field(absentable(flag), allow_tasks),
  /** [Z1] */
  pool: field(absentable(BrowserPoolBody), POOL),
})
export const Pairing = v.object({
  pairing_token: field(
    v.string(),
    'The token of a pairing link: for one browser, for five minutes.',
    'svc_pair_5f0c1a2b',
  ),
  pairing_url: field(
    v.string(),
    'The page on which a person pairs this browser.',
    'https://svc.example.com/pair/svc_pair_5f0c1a2b',
  ),
  expires_at,
  expires_in_seconds: field(count, 'The same from now, in seconds.', 300),
})
export type Pairing = v.InferOutput<typeof Pairing>

/** [S4] */
export const RegisterBody = v.object({
  pairing_token: field(words(TOKEN_CHARS_MAX), Pairing.entries.pairing_token),
})
export const Registration = v.object({
  browser_session_id: field(uuid, browser_session_id),
  session_token: field(
    v.string(),
    'With this the browser connects to the relay. It is shown once.',
    'svc_sess_5f0c1a2b',
  ),
  workspace_id,
  relay_port: field(count, 'The port of the relay on this host.', 7862),
  pool,
  /** [Z15] */
  public_addresses_only: field(
    v.optional(v.boolean()),
    'Whether the browser of a pool should keep its tasks from private addresses: `true` in production.',
    true,
  ),
})
export type Registration = v.InferOutput<typeof Registration>

/** [S15] */
export const PairingInfoBody = v.strictObject(RegisterBody.entries)
const label = field(v.nullable(v.string()), 'The name that it was given when the link was made.', 'Ann’s laptop')
/** [S15] What a person reads about a pairing link before they agree. */
export const PairingInfo = v.object({
  workspace: field(v.string(), 'The name of the workspace that would use the browser.', 'Acme'),
  created_by: field(v.nullable(v.string()), 'Who made the link.', 'the key “backend”'),
  label,
  allow_tasks,
  expires_at,
})
export type PairingInfo = v.InferOutput<typeof PairingInfo>

/** [S18] */
export const AllowTasksBody = v.strictObject({
  allow_tasks,
})
export const TasksAllowed = v.object({
  id: field(uuid, 'The id.', SESSION),
  allow_tasks,
})

/** [S9, S21] */
export const SessionListQuery = v.object({
  limit: pageLimit(SESSIONS_PAGE_SIZE_MAX, SESSIONS_PAGE_SIZE_MAX),
  status: field(v.optional(v.picklist(['connected', 'disconnected'])), 'Only browsers with this status.', 'connected'),
  cursor: pageCursor,
})

/** [S9] A paired browser. */
export const BrowserSession = v.object({
  id: field(uuid, 'The id that tasks name as `browser_session_id`.', SESSION),
  key_id: field(v.nullable(v.string()), 'The key that paired it; null for a signed-in user.', KEY),
  allow_tasks,
  status: field(v.picklist(['connected', 'disconnected']), 'Whether the browser is connected now.', 'connected'),
  label,
  external_user_id: field(v.nullable(v.string()), PairBody.entries.external_user_id),
  connected_at: field(v.nullable(ms), 'When it connected last, in milliseconds since 1970.', AT),
  last_heartbeat: field(v.nullable(ms), 'When it was last heard of, in milliseconds since 1970.', AT + 20_000),
  expires_at,
  state: field(v.string(), 'What its connection does now. More states may come.', 'connected'),
  tab_id: field(v.nullable(v.number()), 'The tab of its last call.', 17),
  window_id: field(v.nullable(v.number()), 'The window of its last call.', 1),
  pool,
})

/** [S9] */
export const SessionList = listOf('sessions', BrowserSession, 'A page of browsers, newest first.')
export type SessionList = v.InferOutput<typeof SessionList>

/** [S11, K6] */
export const Deleted = v.object({
  id: field(v.string(), 'The id.', TASK),
  deleted: field(v.literal(true), 'It is gone.'),
})
export type Deleted = v.InferOutput<typeof Deleted>
