import { SECOND_MS } from '../../machines/limits.ts'

/** The numbers of this module alone, unit last. */

// Sign-in
/** For how long a verified session cookie is believed without asking the store. A sign-out in this process is honoured at once. */
export const SIGN_IN_CACHE_MS = 5 * SECOND_MS
export const SIGN_IN_CACHE_MAX = 10_000
/** What one client address may ask of sign-in in production, in a window. */
export const SIGN_IN_WINDOW_S = 60
export const SIGN_IN_ATTEMPTS_MAX = 20
export const SIGN_IN_REQUESTS_MAX = 600
/** For how long a link to set a new password is good. */
export const RESET_LINK_S = 3_600
/** Links sent to one account in an hour, no matter who asks for them. */
export const RESET_LINKS_PER_HOUR_MAX = 5
/** Every request for such a link takes at least this long, so that its time does not tell whether there is an account. */
export const RESET_ANSWER_MS = 400
