import { useState } from './view.ts'

/**
 * What a list is narrowed by, as the address of the page has it: it can be kept and shared. Empty texts: by nothing.
 */
export function useQuery<Name extends string>(names: readonly Name[]) {
  const [query, setQuery] = useState(() => {
    const asked = new URLSearchParams(location.search)
    return Object.fromEntries(names.map((name) => [name, asked.get(name) ?? ''])) as Readonly<Record<Name, string>>
  })
  const change = (changed: Partial<Record<Name, string>>) => {
    const next = { ...query, ...changed }
    const address = new URL(location.href)
    for (const name of names) {
      if (next[name] === '') address.searchParams.delete(name)
      else address.searchParams.set(name, next[name])
    }
    history.replaceState(null, '', address)
    setQuery(next)
  }
  const clear = () => change(Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>)
  return { query, change, clear, chosen: names.filter((name) => query[name] !== '') }
}
