import { type Html, html, trusted } from '../html.ts'

export interface Bar {
  /** The day's UTC midnight. */
  readonly at: number
  readonly value: number
  /** Said beside the value. */
  readonly note: string
}

const WIDTH = 720
const HEIGHT = 180
const LEFT = 36
const BOTTOM = 24
const TOP = 10
const MARKS = 4

/** Bars by day, with the same numbers as a table for those who cannot see them. */
export function plot(title: string, bars: readonly Bar[]): Html {
  const top = roundUp(Math.max(1, ...bars.map(({ value }) => value)))
  const width = (WIDTH - LEFT) / bars.length
  const inner = HEIGHT - TOP - BOTTOM
  const y = (value: number) => TOP + inner * (1 - value / top)
  const marks = Array.from({ length: MARKS + 1 }, (_, index) => (top / MARKS) * index)
  const grid = marks.map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH}" y1="${y(value)}" y2="${y(value)}"/><text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
  )
  const columns = bars.map(({ at, value, note }, index) => {
    const x = LEFT + index * width
    const bar = `<rect class="bar" x="${(x + 2).toFixed(1)}" y="${y(value).toFixed(1)}" width="${(width - 4).toFixed(1)}" height="${(inner * (value / top)).toFixed(1)}" rx="2"/>`
    const label =
      index % 7 === bars.length % 7
        ? `<text x="${(x + width / 2).toFixed(1)}" y="${HEIGHT - 6}" text-anchor="middle">${day(at).slice(5)}</text>`
        : ''
    return `<g><title>${day(at)}: ${value}, ${note}</title>${bar}${label}</g>`
  })
  const rows = bars
    .filter(({ value }) => value > 0)
    .map(
      ({ at, value, note }) =>
        html`<tr><th scope="row">${day(at)}</th><td class="number">${value}</td><td class="number">${note}</td></tr>`,
    )
  return html`<figure class="plot">
${trusted(`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${grid.join('')}${columns.join('')}</svg>`)}
<figcaption>${title}</figcaption>
</figure>
<details><summary>Show as a table</summary>
<table><thead><tr><th scope="col">Day</th><th scope="col" class="number">Tasks</th><th scope="col" class="number">Cost</th></tr></thead><tbody>${rows}</tbody></table>
</details>`
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

/** The next number that divides well into MARKS parts. */
function roundUp(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1) * MARKS
  return Math.ceil(value / unit) * unit
}
