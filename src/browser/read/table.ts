import { collapse, truncate } from './dom.ts'
import { everyItem, type Item, textOf, withoutLabels } from './item.ts'
import { says } from './lines.ts'
import * as raw from './raw.ts'

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
  if (!isPlain) return make({ name: '', children: withoutLabels(children.flatMap(inBare)) })
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
    columns.push(saidIn(cell) + titleOf(cell) + (sorted ? ` (${sorted})` : ''))
    if (rowSpan > 1) covered[columns.length - 1] = rowSpan - 1
    for (let more = 1; more < Math.min(colSpan, 50); more += 1) columns.push('')
  }
  skipCovered()
  return make({ name: columns.join(' | '), children: cells.flatMap(usable) })
}

/** What stands in a cell, without what is only pressed there: that has lines of its own. */
const saidIn = (cell: Item): string => (nameIn(cell) || textIn(cell) || collapse(cell.name)).replaceAll('|', '¦')

const textIn = (cell: Item): string => collapse(textOf(cell.children.filter((item) => !isOnlyPressed(item))))

/** A title is no name of what has words of its own. */
function nameIn(cell: Item): string {
  const name = collapse(cell.name)
  const isTitle =
    name === collapse(raw.getAttribute(cell.element, 'title') ?? '') && !raw.hasAttribute(cell.element, 'aria-label')
  return isTitle && raw.textContent(cell.element)?.trim() ? '' : name
}

/** What the cell's title says beside its text: all of a text that is cut, for one. */
function titleOf(cell: Item): string {
  const said = saidIn(cell)
  const title = collapse(raw.getAttribute(cell.element, 'title') ?? '').replaceAll('|', '¦')
  return title === '' || said === '' || says(said, title) ? '' : ` (${truncate(title, CELL_CHARS_MAX)})`
}

const isOnlyPressed = ({ role, actionable, element }: Item): boolean =>
  actionable && (/^(button|checkbox|radio|switch)$/.test(role) || raw.textContent(element)?.trim() === '')

/** What is in a cell that has no text and no other use, in its place; nothing of one with only the label of a field. */
const inBare = (cell: Item): readonly Item[] => {
  if (cell.name || cell.actionable || cell.states.length > 0) return [cell]
  return cell.children.length > 0 || raw.querySelector(cell.element, 'label') ? cell.children : [cell]
}

/** What can be used in a cell; the cell itself when it can be clicked. */
const usable = (cell: Item): Item[] => [
  ...(cell.actionable ? [{ ...cell, children: [] }] : []),
  ...[...everyItem(cell.children)].filter((item) => item.actionable),
]
