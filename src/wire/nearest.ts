/** How many letters have to be changed, added or left out (Levenshtein). */
export function typosBetween(one: string, other: string): number {
  let row = [...other, ''].map((_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const above = row
    row = [index + 1]
    for (const [at, wanted] of [...other].entries())
      row.push(Math.min((above[at] ?? 0) + (letter === wanted ? 0 : 1), (above[at + 1] ?? 0) + 1, (row[at] ?? 0) + 1))
  }
  return row.at(-1) ?? 0
}

/** Letters that may be wrong in a name that is recognised. */
const TYPOS_MAX = 3

/** The known name that was most likely meant: in another spelling, longer or shorter, or with few wrong letters. */
export function nearestName(given: string, names: readonly string[]): string | null {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const wanted = plain(given)
  if (wanted === '' || given.length > NAME_CHARS_MAX) return null
  const [nearest] = names
    .map((name) => ({ name, typos: typosBetween(wanted, plain(name)) }))
    .sort((one, other) => one.typos - other.typos)
  if (nearest && nearest.typos <= TYPOS_MAX && nearest.typos < wanted.length / 2) return nearest.name
  const longer = names.filter((name) => plain(name).startsWith(wanted) || wanted.startsWith(plain(name)))
  return longer.length === 1 && wanted.length > TYPOS_MAX ? (longer[0] ?? null) : null
}
const NAME_CHARS_MAX = 100
