import { Filters } from './filters.tsx'
import { count } from './format.ts'
import { Table, type TableProps } from './table.tsx'
import { Button, SearchField } from './ui.tsx'
import { useQuery } from './use-query.ts'
import { type ComponentChildren, useState } from './view.ts'

/** So many rows are shown at first, and with each press more. */
const SHOWN = 50
/** From so many rows on they are searched. */
const SEARCHED_MIN = 6

interface LongTableProps<Row, Name extends string> extends TableProps<Row> {
  /** What one row is: `key`. */
  readonly what: string
  /** What is searched for words. */
  textOf(row: Row): string
  /** By what else the rows are narrowed, as the address of the page has it. */
  readonly narrowed?: {
    readonly by: Name
    fits(row: Row, value: string): boolean
    field(value: string, change: (value: string) => void): ComponentChildren
  }
}

/** [P35] A table of all that a workspace has of a kind: many rows are searched, and shown some at a time. */
export function LongTable<Row, Name extends string = never>(props: LongTableProps<Row, Name>) {
  const { what, textOf, narrowed, rows, ...table } = props
  const { query, change, clear } = useQuery<'q' | Name>(narrowed === undefined ? ['q'] : ['q', narrowed.by])
  const [shown, setShown] = useState(SHOWN)
  const words = query.q.toLowerCase()
  const value = narrowed === undefined ? '' : query[narrowed.by]
  const fitting = rows.filter(
    (row) => (value === '' || narrowed?.fits(row, value)) && textOf(row).toLowerCase().includes(words),
  )
  const isNarrowed = words !== '' || value !== ''
  return (
    <>
      {rows.length < SEARCHED_MIN && !isNarrowed ? null : (
        <Filters
          chosen={value === '' ? 0 : 1}
          clear={clear}
          before={
            <SearchField
              label={`Search ${what}s`}
              id="search"
              placeholder={`Search ${what}s`}
              value={query.q}
              change={(q) => change({ q } as Partial<Record<'q' | Name, string>>)}
            />
          }
          found={isNarrowed ? `${fitting.length} of ${count(rows.length, what)}` : count(rows.length, what)}
        >
          {narrowed?.field(value, (next) =>
            change({ [narrowed.by]: next } as unknown as Partial<Record<'q' | Name, string>>),
          )}
        </Filters>
      )}
      {fitting.length === 0 ? (
        <p class="empty">No {what} matches this search.</p>
      ) : (
        <Table {...table} rows={fitting.slice(0, shown)} />
      )}
      {fitting.length > shown ? (
        <p>
          <Button act={() => setShown(shown + SHOWN)}>Show more</Button>
        </p>
      ) : null}
    </>
  )
}
