// biome-ignore-all lint/a11y/noRedundantRoles: a table whose layout is not one is none to screen readers
import { Scrolling } from './ui.tsx'
import { type ComponentChildren, Fragment } from './view.ts'

export interface Column<Row> {
  readonly head: string
  cell(row: Row): ComponentChildren
  /** Long words may be broken. */
  readonly words?: boolean
  /** Is a number: aligned to the right. */
  readonly number?: boolean
  /** What is in it says what it is: on a phone it stands without its head. */
  readonly bare?: boolean
}

const ACTIONS = 'Actions'

export interface TableProps<Row> {
  readonly label: string
  readonly caption: string
  /** The first names the row; one called `Actions` has its buttons. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  /** What is said of a row below it; `null`: nothing. */
  detail?(row: Row): ComponentChildren
}

/** [P35] A table whose rows become cards on a phone. Roles are said, for readers that go by the layout. */
export function Table<Row>({ label, caption, columns, rows, keyOf, detail }: TableProps<Row>) {
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
            {rows.map((row) => {
              const more = detail?.(row) ?? null
              return (
                <Fragment key={keyOf(row)}>
                  <tr role="row">
                    <th role="rowheader" scope="row" class="words">
                      {first?.cell(row)}
                    </th>
                    {others.map(({ head, cell, words, number, bare }) => (
                      <td
                        key={head}
                        role="cell"
                        class={words ? 'words' : number ? 'number' : undefined}
                        data-label={bare || head === ACTIONS ? undefined : head}
                      >
                        {head === ACTIONS ? <div class="actions">{cell(row)}</div> : cell(row)}
                      </td>
                    ))}
                  </tr>
                  {more === null ? null : (
                    <tr role="row">
                      <td role="cell" class="detail-cell" colSpan={columns.length}>
                        {more}
                      </td>
                    </tr>
                  )}
                </Fragment>
              )
            })}
          </tbody>
        </table>
      </Scrolling>
    </div>
  )
}
