import { useEffect, useState } from '../view.ts'

/** What is looked for; empty texts: anything. */
export interface Query {
  readonly q: string
  readonly status: string
  /** `key=value`. */
  readonly metadata: string
}

const TYPING_MS = 250
const FIELDS = ['q', 'status', 'metadata'] as const

/** The query that the page's address names. */
export function queryOfAddress(): Query {
  const asked = new URLSearchParams(location.search)
  return { q: asked.get('q') ?? '', status: asked.get('status') ?? '', metadata: asked.get('metadata') ?? '' }
}

/** The search. Its address can be kept and shared. */
export function Filters({ query, change }: { readonly query: Query; change(query: Query): void }) {
  const [typed, setTyped] = useState(query)
  useEffect(() => {
    const timer = setTimeout(() => {
      if (FIELDS.every((name) => typed[name] === query[name])) return
      const address = new URL(location.href)
      for (const name of FIELDS) {
        if (typed[name] === '') address.searchParams.delete(name)
        else address.searchParams.set(name, typed[name])
      }
      history.replaceState(null, '', address)
      change(typed)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, query])
  return (
    <search>
      <form class="filters row" onSubmit={(event) => event.preventDefault()}>
        <label for="search">
          Search
          <input
            id="search"
            type="search"
            maxLength={200}
            placeholder="task or answer ( / )"
            value={typed.q}
            onInput={({ currentTarget }) => setTyped({ ...typed, q: currentTarget.value })}
          />
        </label>
        <label for="status">
          Status
          <select
            id="status"
            value={typed.status}
            onChange={({ currentTarget }) => setTyped({ ...typed, status: currentTarget.value })}
          >
            <option value="">All</option>
            <option value="running">Running</option>
            <option value="complete">Done</option>
            <option value="error">Failed</option>
          </select>
        </label>
        <label for="metadata">
          Metadata
          <input
            id="metadata"
            placeholder="key=value"
            value={typed.metadata}
            onInput={({ currentTarget }) => setTyped({ ...typed, metadata: currentTarget.value })}
          />
        </label>
      </form>
    </search>
  )
}
