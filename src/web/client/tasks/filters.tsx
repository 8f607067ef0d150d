import type { BrowserSession } from '../api.ts'
import { nameOf } from '../browsers/use-browsers.ts'
import { useEffect, useState } from '../view.ts'

/** What is looked for; empty texts: anything. */
export interface Query {
  readonly q: string
  readonly status: string
  /** The id of a paired browser. */
  readonly browser: string
  /** `key=value`. */
  readonly metadata: string
}

/** As a status that is looked for: running tasks that need an answer. */
export const WAITING = 'waiting'
const TYPING_MS = 250
const FIELDS = ['q', 'status', 'browser', 'metadata'] as const

/** The query that the page's address names. */
export function queryOfAddress(): Query {
  const asked = new URLSearchParams(location.search)
  const [q = '', status = '', browser = '', metadata = ''] = FIELDS.map((name) => asked.get(name) ?? '')
  return { q, status, browser, metadata }
}

interface FiltersProps {
  readonly query: Query
  readonly browsers: readonly BrowserSession[]
  change(query: Query): void
}

/** The search. Its address can be kept and shared. */
export function Filters({ query, browsers, change }: FiltersProps) {
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
            placeholder="Task or answer (press /)"
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
            <option value={WAITING}>Needs you</option>
            <option value="complete">Done</option>
            <option value="error">Failed</option>
          </select>
        </label>
        <label for="browser">
          Browser
          <select
            id="browser"
            value={typed.browser}
            onChange={({ currentTarget }) => setTyped({ ...typed, browser: currentTarget.value })}
          >
            <option value="">All</option>
            {browsers.map((browser) => (
              <option key={browser.id} value={browser.id}>
                {nameOf(browser)}
              </option>
            ))}
            {typed.browser === '' || browsers.some(({ id }) => id === typed.browser) ? null : (
              <option value={typed.browser}>Browser {typed.browser.slice(0, 8)}</option>
            )}
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
