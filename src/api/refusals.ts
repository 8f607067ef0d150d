import type { Refusal } from '../../actors/task-service.ts'
import { REFUSALS, type RefusalCode } from '../../machines/texts.ts'
import type { Response } from '../net/transport.ts'
import { errorBody, type Path } from '../wire/errors.ts'
import { json } from './replies.ts'

/** [E1] Every refusal that the surface itself makes: its status and its sentence. Those of a field are made where it is parsed. */
export const ERRORS = {
  unauthorized: [401, 'Authentication required: send "Authorization: Bearer <API_KEY>", or sign in at /dashboard'],
  key_invalid: [
    401,
    'The API key is wrong or was deleted. Send "Authorization: Bearer <API_KEY>" with a valid key, or sign in at /dashboard',
  ],
  not_signed_in: [401, 'Not signed in'],
  confirmation_required: [
    403,
    'Confirm with your password or, signed in with a key, a secret key of the workspace. If you have no password, sign in again first.',
  ],
  too_many_passwords: [429, 'Too many wrong passwords. Wait a minute, then try again.'],
  too_many_pairings: [429, 'Too many pairing links were created in the last minute. Wait a minute, then try again.'],
  too_many_browsers: [409, 'This workspace has reached its limit of paired browsers. Remove one first.'],
  too_many_keys: [409, 'This workspace has reached its limit of 100 keys. Delete one first.'],
  pairing_token_rejected: [401, 'The pairing token is invalid, expired or already used'],
  role_not_allowed: [403, 'Your role in this workspace does not allow this. Ask an owner of the workspace.'],
  account_required: [403, 'Only people who are signed in with an account can do this. A key cannot.'],
  app_not_found: [404, 'You have connected no such application'],
  member_not_found: [404, 'This workspace has no such member'],
  last_owner: [409, 'A workspace needs an owner: make somebody else an owner first.'],
  already_member: [409, 'They are a member of this workspace already.'],
  too_many_members: [409, 'This workspace has reached its limit of 100 members and open invitations.'],
  too_many_invitations: [429, 'You have sent 30 invitations within an hour. Try again later.'],
  invitation_not_found: [404, 'This invitation was used already, taken back, or is older than a week.'],
  has_owner: [409, 'This workspace has an owner already. Ask the owner to invite you.'],
  no_password: [409, 'You have no password here. Ask for a link by which you can set one.'],
  foreign_origin: [
    403,
    'Requests that change data by a sign-in cookie, or sign in or out, are not accepted from this origin',
  ],
  origin_not_allowed: [403, 'Requests of pages from this origin are not accepted'],
  host_not_allowed: [421, 'This Host is not allowed. Add its name to HOSTS'],
  not_found: [404, 'Not found'],
  task_not_found: [404, 'Task not found'],
  browser_session_not_found: [404, 'Browser session not found'],
  api_key_not_found: [404, 'API key not found'],
  screenshot_not_found: [404, 'Screenshot not found'],
  file_not_found: [404, 'File not found'],
  tasks_not_allowed: [403, 'This browser may not start tasks. The operator of the service can allow it.'],
  files_full: [409, 'There is no room for more files. Delete tasks that are no longer needed.'],
  too_many_files: [429, 'Too many files were uploaded in the last minute. Wait a minute, then try again.'],
  too_many_fetches: [429, 'Files of other starts are still being fetched. Try again in a moment.'],
  too_many_schemas: [429, 'Checking the schemas of this workspace takes too long. Wait a minute, then try again.'],
  schema_not_checked: [
    503,
    'The output_schema could not be checked in time. Try again in a moment, or make it simpler.',
  ],
  body_too_large: [413, 'The body is too large: a file may have 25 MB, a start with files 12 MB, a profile 2 MB'],
  too_many_uploads: [503, 'Too many large requests are under way. Try again in a moment.'],
  too_many_downloads: [429, 'Too many downloads of clients in the last minute. Wait a minute, then try again.'],
  archives_not_built: [503, 'The clients could not be built here: the log of the service says why.'],
  session_token_invalid: [401, 'The session token of the browser is wrong, expired or revoked'],
  recipe_missing: [409, 'There is no recipe for this task that can be played. Run it once with recipe "auto"'],
  recipe_not_found: [404, 'Recipe not found'],
  profile_not_found: [404, 'Profile not found'],
  profile_exists: [409, 'This workspace has a profile of this name already'],
  too_many_profiles: [409, 'This workspace has reached its limit of 100 profiles. Delete one first.'],
  profile_invalid: [400, 'The body must be the JSON of cookies and origins'],
  task_running: [409, 'The task is still running. Cancel it first'],
  webhook_endpoint_not_found: [404, 'Webhook endpoint not found'],
  webhook_delivery_not_found: [404, 'Webhook delivery not found'],
  too_many_endpoints: [409, 'This workspace has reached its limit of 20 webhook endpoints. Delete one first.'],
  endpoint_disabled: [409, 'The webhook endpoint is disabled. Enable it first.'],
  secrets_not_configured: [503, 'Secrets cannot be kept: SECRETS_KEY is not set'],
  task_ended: [409, 'The task has ended.'],
  task_not_waiting: [409, 'The task works in this page now. Pause it first.'],
  no_live_input: [409, 'Nobody can click or type in this browser from here now.'],
  input_not_found: [404, 'The task does not wait for this input.'],
  input_answered: [409, 'This input was answered already.'],
  picture_not_found: [404, 'Picture not found'],
  share_not_found: [404, 'The link is not valid, has expired, or was ended'],
  task_not_running: [400, 'Task is not running'],
  payment_signature_required: [400, 'The payment-signature header is missing'],
  idempotency_key_invalid: [400, 'Idempotency-Key must be 1 to 255 visible ASCII characters, with or without quotes'],
  idempotency_key_reused: [422, 'This Idempotency-Key was used for another request'],
  idempotency_in_progress: [409, 'A request with this Idempotency-Key is still under way'],
  too_many_idempotency_keys: [
    429,
    'Too many requests with a new Idempotency-Key in the last minute. Wait a minute, then try again.',
  ],
  last_event_id_invalid: [400, 'Last-Event-ID must be the id of an event'],
  too_many_viewers: [503, 'Too many viewers read this already. Try again in a moment.'],
  read_token_invalid: [401, 'The token is not valid for this task, or has expired'],
  cursor_invalid: [400, 'cursor must be a next_cursor returned by this list'],
  auth_error: [500, 'Auth error: the error says which'],
  auth_not_configured: [503, 'Sign-in is not configured'],
  billing_not_configured: [503, 'Billing is not configured'],
  store_away: [503, REFUSALS.store_away],
  owner_away: [503, 'The node that owns this workspace cannot be reached. Try again in a moment.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>
export type ErrorCode = keyof typeof ERRORS

/** A refusal of the surface itself. Failed authentication has one code; the sentence says whether a key was sent. */
export function refuse(code: ErrorCode): Response {
  const [status, error] = ERRORS[code]
  if (code === 'cursor_invalid') return badParameter(code, error, 'cursor')
  return json(status, errorBody(code === 'key_invalid' ? 'unauthorized' : code, error), headersOf(code, status))
}

/** What is over in a moment, most likely. */
const SOON: ReadonlySet<ErrorCode> = new Set([
  'schema_not_checked',
  'idempotency_in_progress',
  'too_many_fetches',
  'too_many_uploads',
  'too_many_viewers',
  'owner_away',
  'store_away',
])

function headersOf(code: ErrorCode, status: number): Response['headers'] {
  if (status === 401) return [['WWW-Authenticate', 'Bearer']]
  if (SOON.has(code)) return [['Retry-After', '1']]
  return status === 429 ? [['Retry-After', '60']] : []
}

/** [V3] What is behind the cursor is not kept any more; `oldest` is. */
export const eventsExpired = (oldest: number): Response =>
  json(410, {
    ...errorBody('events_expired', 'Some of the events after this cursor are not kept any more'),
    oldest,
  })

/** [T1–T6, E31] What is wrong with a value of the body; `path` leads to it, else the code has the name of its field. */
export const badField = (
  code: string,
  message: string,
  path: Path = [code.replace(/_(required|invalid)$/, '')],
): Response => json(400, errorBody(code, message, path))

/** [E12, E31] What is wrong with a parameter of the query: it has a name, and no place in a body. */
export function badParameter(code: string, message: string, param: string): Response {
  const { error, doc_url } = errorBody(code, message)
  return json(400, { error, code, param, doc_url })
}

/** [E6] `request_id` equals the answer's X-Request-Id. */
export const internalError = (requestId: string): Response =>
  json(500, { ...errorBody('internal', 'Internal server error'), request_id: requestId })

/** [T7–T13] The status of each refusal of the task service. */
export const REFUSAL_STATUS = {
  no_allowance: 402,
  places_held: 402,
  rate_limited: 429,
  too_many_running: 429,
  queue_full: 429,
  session_not_found: 404,
  session_forbidden: 403,
  session_not_connected: 409,
  session_expired: 409,
  pool_empty: 409,
  pool_busy: 409,
  profile_busy: 409,
  model_not_configured: 503,
  service_stopping: 503,
  workspace_failed: 503,
  store_away: 503,
  internal: 500,
} as const satisfies Record<RefusalCode, number>

/** [T7, E13] A refusal of the task service: 402 says what is left, 429 when to come again. */
export function refusedStart({ code, message, allowance, retryAfterSeconds }: Refusal): Response {
  const status = REFUSAL_STATUS[code]
  const body = errorBody(code, message)
  if (status === 402) {
    return json(status, {
      ...body,
      free_remaining: allowance?.freeRemaining ?? null,
      credit_balance: allowance?.creditBalance ?? 0,
    })
  }
  const isSoon = status === 429 || code === 'store_away' || code === 'service_stopping'
  return json(status, body, isSoon ? [['Retry-After', String(retryAfterSeconds ?? 1)]] : [])
}
