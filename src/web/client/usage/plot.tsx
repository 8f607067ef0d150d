import { type ComponentChildren, useEffect, useRef, useState } from '../view.ts'

export interface Bar {
  /** `2026-02-03`. */
  readonly day: string
  /** The value of each series: the first is at the bottom. */
  readonly values: readonly number[]
  /** Said beside the value. */
  readonly rest: string
}

interface PlotProps {
  readonly title: string
  readonly bars: readonly Bar[]
  /** What the parts of the bars are called: at most `SERIES_MAX`. */
  readonly series: readonly string[]
  /** What is said of the last day. */
  readonly today: string
  /** Said in the frame of bars that have no values. */
  readonly empty: ComponentChildren
  /** A value in words. */
  said(value: number): string
}

const HEIGHT = 220
const BOTTOM = 26
const TOP = 10
const MARKS = 4
/** Of a label, at the size of its letters: a letter, and a day with the gap beside it. */
const LETTER_PX = 7.5
const DAY_PX = 64

/** So many colours are told apart. */
export const SERIES_MAX = 5

/** Stacked bars by day with their legend, and the same numbers as a table for those who cannot see them. */
export function Plot({ title, bars, series, today, empty, said }: PlotProps) {
  const figure = useRef<HTMLElement>(null)
  // Drawn at the width that it has: letters are as large on a phone as on a wide screen.
  const [wide, setWide] = useState(720)
  useEffect(() => {
    if (!figure.current) return
    const observer = new ResizeObserver(([entry]) => entry && setWide(Math.max(200, entry.contentRect.width)))
    observer.observe(figure.current)
    return () => observer.disconnect()
  }, [])
  const highest = Math.max(...bars.map(({ values }) => sum(values)))
  const top = roundUp(highest)
  const marks = Array.from({ length: MARKS + 1 }, (_, index) => (top / MARKS) * index)
  const left = 8 + LETTER_PX * Math.max(...marks.map((value) => said(value).length))
  const width = (wide - left) / bars.length
  const gap = Math.min(4, width / 4)
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top)
  const named = Math.ceil(DAY_PX / width)
  return (
    <>
      <figure ref={figure} class="plot">
        <figcaption>
          {title} {highest === 0 ? null : <span class="quiet">{today}</span>}
          <ul class="legend">
            {series.map((name, n) => (
              <li key={name}>
                <span class={`series-${n}`} /> {name}
              </li>
            ))}
          </ul>
        </figcaption>
        <svg viewBox={`0 0 ${wide} ${HEIGHT}`} height={HEIGHT} role="img" aria-label={title}>
          {(highest === 0 ? [] : marks).map((value) => (
            <g key={value}>
              <line x1={left} x2={wide} y1={y(value)} y2={y(value)} />
              <text x={left - 6} y={y(value) + 4} text-anchor="end">
                {said(value)}
              </text>
            </g>
          ))}
          {(highest === 0 ? [] : bars).map(({ day, values, rest }, index) => (
            <g key={day}>
              <title>{`${day}: ${rest}`}</title>
              {values.map((value, n) =>
                value === 0 ? null : (
                  <rect
                    key={series[n]}
                    class={`bar series-${n}`}
                    x={left + index * width + gap / 2}
                    y={y(sum(values.slice(0, n + 1)))}
                    width={width - gap}
                    height={y(0) - y(value)}
                  />
                ),
              )}
              {index % named === (bars.length - 1) % named ? (
                <text
                  x={index === bars.length - 1 ? wide : left + (index + 0.5) * width}
                  y={HEIGHT - 6}
                  text-anchor={index === bars.length - 1 ? 'end' : index === 0 ? 'start' : 'middle'}
                >
                  {index === bars.length - 1 ? 'Today' : shortDay(day)}
                </text>
              ) : null}
            </g>
          ))}
        </svg>
        {highest === 0 ? <div class="over">{empty}</div> : null}
      </figure>
      {highest === 0 ? null : (
        <details>
          <summary>Show as a table</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {series.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                <th scope="col">Used</th>
              </tr>
            </thead>
            <tbody>
              {bars
                .filter(({ values }) => sum(values) > 0)
                .map(({ day, values, rest }) => (
                  <tr key={day}>
                    <th scope="row">{day}</th>
                    {values.map((value, n) => (
                      <td key={series[n]}>{said(value)}</td>
                    ))}
                    <td>{rest}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  )
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

/** `29 Oct`. */
const shortDay = (day: string): string =>
  new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** The next number that divides well into MARKS parts: counts stay whole, and so do cents. */
function roundUp(value: number): number {
  if (value === 0 || (Number.isInteger(value) && value < MARKS)) return MARKS
  const unit = MARKS * 10 ** (Math.floor(Math.log10(value)) - 1)
  const part = value < MARKS ? unit : Math.max(MARKS, unit)
  return Math.ceil(value / part) * part
}
