import { collapse } from './dom.ts'
import { everyItem, type Item, textOf } from './item.ts'

/** The cells of a table that reach down into rows to come: by column, how many rows they still cover. */
export interface RowState {
  readonly covered: number[]
}

/** A row whose cells say more than this is shown cell by cell. */
const CELL_CHARS_MAX = 200
const CELL = /^(cell|gridcell|columnheader|rowheader)$/
const SIMPLE = /^(text|link|button|image|checkbox|radio|switch|clickable|deletion|insertion)$/

/**
 * A row as one line, a column for each cell, empty ones too, so that values stand under their heading. What can be used
 * in it follows. A row with much in its cells keeps them.
 */
export function rowItem(
  children: readonly Item[],
  table: RowState | null,
  make: (cells: { name: string; children: readonly Item[] }) => Item,
): Item {
  const cells = children.filter((child) => CELL.test(child.role))
  const isPlain =
    cells.length > 0 &&
    cells.length === children.length &&
    cells.every(
      (cell) =>
        saidIn(cell).length <= CELL_CHARS_MAX && [...everyItem(cell.children)].every((item) => SIMPLE.test(item.role)),
    )
  if (!isPlain) return make({ name: '', children })
  const columns: string[] = []
  const covered = table?.covered ?? []
  const skipCovered = () => {
    while ((covered[columns.length] ?? 0) > 0) {
      covered[columns.length] = (covered[columns.length] ?? 0) - 1
      columns.push('↑')
    }
  }
  for (const cell of cells) {
    skipCovered()
    const { colSpan = 1, rowSpan = 1 } = cell.element as HTMLTableCellElement
    const sorted = cell.states.find((state) => state.startsWith('sorted'))
    columns.push(saidIn(cell) + (sorted ? ` (${sorted})` : ''))
    if (rowSpan > 1) covered[columns.length - 1] = rowSpan - 1
    for (let more = 1; more < Math.min(colSpan, 50); more += 1) columns.push('')
  }
  skipCovered()
  return make({ name: columns.join(' | '), children: cells.flatMap(usable) })
}

const saidIn = (cell: Item): string => collapse(cell.name || textOf(cell.children)).replaceAll('|', '¦')

/** What can be used in a cell; the cell itself when it can be clicked. */
const usable = (cell: Item): Item[] => [
  ...(cell.actionable ? [{ ...cell, children: [] }] : []),
  ...[...everyItem(cell.children)].filter((item) => item.actionable),
]
