/** The innermost state of a machine without parallel regions. */
export function leafOf(value: unknown): string {
  let at = value
  while (typeof at === 'object' && at !== null) at = Object.values(at)[0]
  return String(at)
}
