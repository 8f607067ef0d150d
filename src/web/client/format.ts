/** How long, in a few characters. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${String(Math.floor((ms % 60_000) / 1_000)).padStart(2, '0')} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d`
}

/** How long, to the millisecond. */
export function exactSpan(ms: number): string {
  if (ms < 1_000) return span(ms)
  const minutes = Math.floor(ms / 60_000)
  return `${minutes === 0 ? '' : `${minutes} min `}${((ms % 60_000) / 1_000).toFixed(3)} s`
}

/** How long, without what changes every moment. */
export function roughly(ms: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1_000))} s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : span(ms)
}

/** The time of day to the millisecond. */
export function clockTime(at: number): string {
  const date = new Date(at)
  return `${date.toLocaleTimeString('en-GB')}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** How long ago, in words: `2 minutes ago`. */
export function ago(at: number, now: number): string {
  const ms = at - now
  const unit = UNITS.find(([, length]) => Math.abs(ms) >= length)
  if (!unit) return ms > 0 ? 'in a moment' : 'just now'
  return RELATIVE.format(Math.round(ms / unit[1]), unit[0])
}

/** A moment in the reader's own time zone. */
export const localTime = (at: number): string =>
  new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** The time of day in the reader's own time zone: `18:54:32`. */
export const localClock = (at: number): string => new Date(at).toLocaleTimeString('en-GB')

/** A day in the reader's own time zone: `3 Dec 2026`. */
export const localDay = (at: number): string => new Date(at).toLocaleDateString('en-GB', { dateStyle: 'medium' })

export const usd = (amount: number): string =>
  amount > 0 && amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`

/** `1 step`, `2 steps`. */
export const count = (number: number, name: string): string =>
  `${number.toLocaleString('en')} ${name}${number === 1 ? '' : 's'}`

/** `owner` as `Owner`. */
export const capitalized = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

/** `budget_exceeded` as `budget exceeded`. */
export const spaced = (name: string): string => name.replaceAll('_', ' ')

/** `Ann (ann@example.com)`: the name, and the address where there is one. */
export function nameAndAddress(text: string): readonly [name: string, address: string | null] {
  const [, name = text, address = null] = /^(.*) \(([^()]+@[^()]+)\)$/.exec(text) ?? []
  return [name, address]
}
