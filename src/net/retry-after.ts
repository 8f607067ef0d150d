const SECOND_MS = 1_000

/** What a `Retry-After` header asks for, in milliseconds from `now`: seconds, or a date of HTTP. `null` when it says neither. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * SECOND_MS)
  // Dates of HTTP begin with the day's name; `Date.parse` would read far more than dates.
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
