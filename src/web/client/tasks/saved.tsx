import { Button } from '../ui.tsx'
import { useState } from '../view.ts'
import { FIELDS, NO_QUERY, type Query } from './query.ts'

/** Enough for the searches that somebody comes back to. */
const SAVED_MAX = 12

/** Searches that a reader has saved in this browser, by their workspace. */
const read = (workspaceId: string): readonly Query[] => {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(keyOf(workspaceId)) ?? '[]')
    return Array.isArray(saved) ? saved.map((each) => ({ ...NO_QUERY, ...each })) : []
  } catch {
    return []
  }
}
const keyOf = (workspaceId: string): string => `searches ${workspaceId}`
const isSame = (one: Query, other: Query): boolean => FIELDS.every((name) => one[name] === other[name])

interface SavedProps {
  readonly workspaceId: string
  readonly query: Query
  /** Whether the search may be saved. */
  readonly isUseful: boolean
  /** What a browser is called. */
  nameOf(browser: string): string
  choose(query: Query): void
}

/** [P40] Saved searches, each one press away. */
export function SavedSearches({ workspaceId, query, isUseful, nameOf, choose }: SavedProps) {
  const [saved, setSaved] = useState(() => read(workspaceId))
  const keep = (queries: readonly Query[]) => {
    localStorage.setItem(keyOf(workspaceId), JSON.stringify(queries))
    setSaved(queries)
  }
  const current = saved.find((each) => isSame(each, query))
  const isEmpty = isSame(query, NO_QUERY)
  if (isEmpty && saved.length === 0) return null
  const titleOf = ({ q, status, browser, metadata }: Query): string =>
    [q, STATUSES[status] ?? status, browser && nameOf(browser), metadata].filter(Boolean).join(', ')
  return (
    // biome-ignore lint/a11y/useSemanticElements: no set of fields
    <div class="saved" role="group" aria-label="Saved searches">
      {saved.map((each) => (
        <button
          key={titleOf(each)}
          type="button"
          class="plain"
          aria-pressed={each === current}
          onClick={() => choose(each === current ? NO_QUERY : each)}
        >
          {titleOf(each)}
        </button>
      ))}
      {isEmpty ? null : current ? (
        <Button act={() => keep(saved.filter((each) => each !== current))}>Forget this search</Button>
      ) : !isUseful || saved.length >= SAVED_MAX ? null : (
        <Button act={() => keep([...saved, query])}>Save this search</Button>
      )}
    </div>
  )
}

const STATUSES: Readonly<Record<string, string>> = {
  running: 'Running',
  waiting: 'Needs you',
  complete: 'Done',
  error: 'Failed',
}
