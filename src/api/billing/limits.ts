/** The numbers of this module alone, unit last. */

// Payments
/** A signed payment event older than this is not believed. */
export const PAYMENT_TOLERANCE_S = 300
/** What one payment event may add. */
export const CREDITS_PER_EVENT_MAX = 999_999_999
