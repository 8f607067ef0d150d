/**
 * Whether a JSON value is nested deeper than `levels`. Visits each value once, without recursion: a value that is nested
 * thousands of levels deep would overflow the stack.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    const next: unknown[] = []
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue
      for (const inner of Object.values(each)) if (typeof inner === 'object' && inner !== null) next.push(inner)
    }
    level = next
  }
  return false
}
