// biome-ignore-all lint/a11y/noRedundantRoles: a table whose layout is not one is none to screen readers
import { Scrolling } from './ui.tsx'
import type { ComponentChildren } from './view.ts'

export interface Column<Row> {
  readonly head: string
  cell(row: Row): ComponentChildren
  /** Long words may be broken. */
  readonly words?: boolean
  /** Is a number: aligned to the right. */
  readonly number?: boolean
}

const ACTIONS = 'Actions'

interface TableProps<Row> {
  readonly label: string
  readonly caption: string
  /** The first names the row; one called `Actions` has its buttons. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
}

/** [P35] A table whose rows become cards on a phone. Roles are said, for readers that go by the layout. */
export function Table<Row>({ label, caption, columns, rows, keyOf }: TableProps<Row>) {
  const [first, ...others] = columns
  return (
    <div class="cards">
      <Scrolling label={label}>
        <table role="table">
          <caption>{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ head, number }) => (
                <th key={head} role="columnheader" scope="col" class={number ? 'number' : undefined}>
                  {head === ACTIONS ? <span class="hidden">{head}</span> : head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={keyOf(row)} role="row">
                <th role="rowheader" scope="row" class="words">
                  {first?.cell(row)}
                </th>
                {others.map(({ head, cell, words, number }) => (
                  <td
                    key={head}
                    role="cell"
                    class={words ? 'words' : number ? 'number' : undefined}
                    data-label={head === ACTIONS ? undefined : head}
                  >
                    {head === ACTIONS ? <div class="actions">{cell(row)}</div> : cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </div>
  )
}
