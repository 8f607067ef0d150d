import { DAY_MS } from '../../machines/limits.ts'

/** The numbers of webhook endpoints, unit last. */

/** What the log of a delivery keeps of an answer. */
export const DELIVERY_ANSWER_BYTES_MAX = 2 * 1024
/** How long the former secret still signs after a rotation, beside the new one. */
export const SECRET_ROTATION_MS = DAY_MS
/** Of former secrets the newest so many sign: each costs a signature of every body. */
export const FORMER_SECRETS_MAX = 10
export const ENDPOINTS_PER_WORKSPACE_MAX = 20
/** Deliveries that one `recover` begins. */
export const RECOVERED_AT_ONCE_MAX = 1_000
/** Of the WEBHOOKS_AT_ONCE_MAX deliveries that are under way, those of one workspace. */
export const DELIVERIES_PER_WORKSPACE_MAX = 20
