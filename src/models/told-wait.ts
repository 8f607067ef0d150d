import { retryAfterMs } from '../net/retry-after.ts'

type Headers = Readonly<Record<string, string | undefined>>

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * [L20] How long an endpoint asks to wait, in milliseconds, wherever it says so: `Retry-After`, `retry-after-ms`, the reset of a
 * limit that is used up, Google's `RetryInfo`, or its sentence. `null` when it says nothing.
 */
export function toldWaitMs(headers: Headers, body: string, now: number): number | null {
  return (
    milliseconds(headers['retry-after-ms']) ??
    retryAfterMs(headers['retry-after'], now) ??
    durationMs(/"retryDelay"\s*:\s*"([^"]+)"/.exec(body)?.[1]) ??
    sentenceMs(body) ??
    resetMs(headers, now)
  )
}

const milliseconds = (header: string | undefined) =>
  header !== undefined && /^\d{1,12}(\.\d+)?$/.test(header.trim()) ? Math.ceil(Number(header)) : null

/** `1m20s`, `6s`, `120ms`, `1h2m`; a number alone is seconds. */
function durationMs(text: string | undefined): number | null {
  const trimmed = text?.trim().toLowerCase() ?? ''
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Math.ceil(Number(trimmed) * 1_000)
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(trimmed)) return null
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
  return Math.ceil(parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ''] ?? 0), 0))
}

const ASKS = /(?:try again|retry|wait|resets?)(?: again)?(?: after| in| for)?(?: at least| about)?\s+(?=\d)/i
const DURATION =
  /(\d+(?:\.\d+)?)\s*(ms|milli\w*|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)(?![a-z])[,\s]*(?:and\s+)?/iy

/** “Please try again in 1m20s.”, “Please retry in 34.07s.”, “Retry after 20 seconds.” */
function sentenceMs(body: string): number | null {
  const asks = ASKS.exec(body)
  if (!asks) return null
  let sum: number | null = null
  // `1m20s` has no space between its parts.
  const rest = body
    .slice(asks.index + asks[0].length)
    .slice(0, 60)
    .replace(/(\d(?:ms|[smh]))(?=\d)/gi, '$1 ')
  DURATION.lastIndex = 0
  for (let part = DURATION.exec(rest); part; part = DURATION.exec(rest)) {
    sum = (sum ?? 0) + Number(part[1]) * unitMs(part[2] ?? 's')
  }
  return sum === null ? null : Math.ceil(sum)
}

function unitMs(word: string): number {
  const unit = word.toLowerCase()
  if (unit === 'ms' || unit.startsWith('milli')) return 1
  return UNITS[unit[0] ?? 's'] ?? 1_000
}

const LIMITS = ['requests', 'tokens', 'input-tokens', 'output-tokens']
const KINDS = ['x-ratelimit', 'anthropic-ratelimit']

/** When the limit that is used up begins anew: a duration, a moment in seconds or milliseconds, or a date. */
function resetMs(headers: Headers, now: number): number | null {
  const limits = KINDS.flatMap((kind) => [
    { remaining: headers[`${kind}-remaining`], reset: headers[`${kind}-reset`] },
    ...LIMITS.flatMap((limit) => [
      // Written as `x-ratelimit-reset-requests` by some, as `anthropic-ratelimit-requests-reset` by others.
      { remaining: headers[`${kind}-remaining-${limit}`], reset: headers[`${kind}-reset-${limit}`] },
      { remaining: headers[`${kind}-${limit}-remaining`], reset: headers[`${kind}-${limit}-reset`] },
    ]),
  ])
  const waits = limits
    .filter(({ remaining, reset }) => reset !== undefined && (remaining === undefined || Number(remaining) <= 0))
    .map(({ reset }) => momentMs(reset ?? '', now))
    .filter((wait) => wait !== null)
  return waits.length === 0 ? null : Math.max(...waits)
}

function momentMs(text: string, now: number): number | null {
  const number = /^\d{9,14}(\.\d+)?$/.test(text.trim()) ? Number(text) : null
  if (number !== null) return Math.max(0, Math.ceil(number < 1e11 ? number * 1_000 : number) - now)
  const duration = durationMs(text)
  if (duration !== null) return duration
  const at = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
