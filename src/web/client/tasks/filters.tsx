import type { BrowserSession } from '../api.ts'
import { nameOf } from '../browsers/use-browsers.ts'
import { useEffect, useState } from '../view.ts'
import { FIELDS, type Query, WAITING } from './query.ts'
import { SavedSearches } from './saved.tsx'

const TYPING_MS = 250

interface FiltersProps {
  readonly workspaceId: string
  readonly query: Query
  readonly browsers: readonly BrowserSession[]
  change(query: Query): void
}

/** The search. Its address can be kept and shared. */
export function Filters({ workspaceId, query, browsers, change }: FiltersProps) {
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
  const browserName = (id: string): string => {
    const browser = browsers.find((each) => each.id === id)
    return browser ? nameOf(browser) : `Browser ${id.slice(0, 8)}`
  }
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
              <option value={typed.browser}>{browserName(typed.browser)}</option>
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
      <SavedSearches workspaceId={workspaceId} query={query} nameOf={browserName} choose={setTyped} />
    </search>
  )
}
