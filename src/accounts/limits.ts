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
