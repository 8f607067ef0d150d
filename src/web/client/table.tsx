// biome-ignore-all lint/a11y/noRedundantRoles: a table whose layout is not one is none to screen readers
import { Icon } from './icons.tsx'
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
  /** Rows of one group follow one another, below its name. */
  groupOf?(row: Row): string
  /** What a row opens below it when it is pressed. */
  readonly opens?: {
    /** The row that is open. */
    readonly key: string | null
    /** What its button is called. */
    label(row: Row): string
    detail(row: Row): ComponentChildren
    toggle(key: string): void
  }
}

/** [P35] A table whose rows become cards on a phone. Roles are said, for readers that go by the layout. */
export function Table<Row>({ label, caption, columns, rows, keyOf, groupOf, opens }: TableProps<Row>) {
  const [first, ...others] = columns
  const width = columns.length + (opens === undefined ? 0 : 1)
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
              {opens === undefined ? null : (
                <th role="columnheader" scope="col">
                  <span class="hidden">Details</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row, at) => {
              const key = keyOf(row)
              const isOpen = opens?.key === key
              const [group, before] = [groupOf?.(row), rows[at - 1]]
              return (
                <Fragment key={key}>
                  {group === undefined || (before && groupOf?.(before) === group) ? null : (
                    <tr role="row" class="group">
                      <th role="rowheader" scope="row" colSpan={width}>
                        {group}
                      </th>
                    </tr>
                  )}
                  <tr
                    role="row"
                    class={opens && (isOpen ? 'opens open' : 'opens')}
                    onClick={opens && (() => opens.toggle(key))}
                  >
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
                    {opens === undefined ? null : (
                      <td role="cell" class="opener">
                        <button type="button" class="link" aria-label={opens.label(row)} aria-expanded={isOpen}>
                          <Icon name="right" />
                        </button>
                      </td>
                    )}
                  </tr>
                  {isOpen ? (
                    <tr role="row" class="open">
                      <td role="cell" class="detail-cell" colSpan={width}>
                        {opens?.detail(row)}
                      </td>
                    </tr>
                  ) : null}
                </Fragment>
              )
            })}
          </tbody>
        </table>
      </Scrolling>
    </div>
  )
}
