import type { Spread } from '../parts/numbers.ts'
import type { Plot } from './plot.ts'

/** What one measure found. */
export interface Section {
  readonly title: string
  readonly tables: readonly Table[]
  /** One sentence each. */
  readonly notes: readonly string[]
  readonly plots: readonly Plot[]
  /** Every figure, for the JSON. */
  readonly figures: unknown
}

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A number with about three digits that tell something, thousands set apart. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (Number.isInteger(value)) return value.toLocaleString('en')
  if (size >= 1_000) return Math.round(value).toLocaleString('en')
  if (size >= 100) return value.toFixed(0)
  if (size >= 10) return value.toFixed(1)
  return value.toFixed(size >= 1 ? 2 : 3)
}

/** The median, and its extremes when there were several rounds. */
export const spreadText = ({ median, min, max }: Spread): string =>
  min === max ? short(median) : `${short(median)} (${short(min)}–${short(max)})`

export const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`

/** A section as Markdown: it is what is printed, too. */
export function markdown({ title, tables, notes, plots }: Section): string {
  const parts = [
    `## ${title}`,
    ...tables.map(tableText),
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
    ...plots.map(({ file, title: name }) => `![${name}](bench/${file})`),
  ]
  return `${parts.join('\n\n')}\n`
}

function tableText({ head, rows }: Table): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0), 3))
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => pad(row[column] ?? '', width, column)).join(' | ')} |`
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

const pad = (text: string, width: number, column: number) => (column === 0 ? text.padEnd(width) : text.padStart(width))
