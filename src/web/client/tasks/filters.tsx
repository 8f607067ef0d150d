import type { BrowserSession } from '../api.ts'
import { nameOf } from '../browsers/use-browsers.ts'
import { Filters } from '../filters.tsx'
import { SearchField, Select } from '../ui.tsx'
import { type ComponentChildren, useEffect, useState } from '../view.ts'
import { FIELDS, NO_QUERY, type Query, WAITING } from './query.ts'
import { SavedSearches } from './saved.tsx'

const TYPING_MS = 250

interface TaskFiltersProps {
  readonly workspaceId: string
  readonly query: Query
  readonly browsers: readonly BrowserSession[]
  /** Whether anything was found: otherwise the search is not worth saving. */
  readonly isUseful: boolean
  change(query: Query): void
  /** What stands before the search. */
  readonly children: ComponentChildren
}

/** [P40] The search, and all else that narrows the list behind one button. Its address can be kept and shared. */
export function TaskFilters({ workspaceId, query, browsers, isUseful, change, children }: TaskFiltersProps) {
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
  // The one that is looked for may have been removed.
  const chosen = FIELDS.filter((name) => name !== 'q' && typed[name] !== '').length
  const ids = [...new Set([...browsers.map(({ id }) => id), ...(typed.browser === '' ? [] : [typed.browser])])]
  return (
    <Filters
      chosen={chosen}
      clear={() => setTyped({ ...NO_QUERY, q: typed.q })}
      before={
        <>
          {children}
          <SearchField
            label="Search"
            id="search"
            placeholder="Task or answer (press /)"
            value={typed.q}
            change={(q) => setTyped({ ...typed, q })}
          />
        </>
      }
      after={<SavedSearches {...{ workspaceId, query, isUseful }} nameOf={browserName} choose={setTyped} />}
    >
      <Select
        label="Status"
        id="status"
        value={typed.status}
        options={[
          ['', 'Any status'],
          ['running', 'Running'],
          [WAITING, 'Needs you'],
          ['complete', 'Done'],
          ['error', 'Failed'],
        ]}
        change={(status) => setTyped({ ...typed, status })}
      />
      <Select
        label="Browser"
        id="browser"
        value={typed.browser}
        options={[['', 'Any browser'], ...ids.map((id) => [id, browserName(id)] as const)]}
        change={(browser) => setTyped({ ...typed, browser })}
      />
      <label for="metadata">
        Metadata
        <input
          id="metadata"
          placeholder="key=value"
          value={typed.metadata}
          onInput={({ currentTarget }) => setTyped({ ...typed, metadata: currentTarget.value })}
        />
      </label>
    </Filters>
  )
}
