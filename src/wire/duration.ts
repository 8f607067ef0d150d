/** A duration for people: `412 ms`, `3.4 s`, `2 min 5 s`, `1 h 5 min`. */
export function durationOf(ms: number): string {
  const whole = Math.max(0, Math.round(ms))
  if (whole < 1_000) return `${whole} ms`
  if (whole < 60_000) return `${(whole / 1_000).toFixed(1)} s`
  const minutes = Math.floor(whole / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.floor((whole % 60_000) / 1_000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
