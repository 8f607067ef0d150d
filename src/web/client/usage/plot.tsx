export interface Bar {
  /** `2026-02-03`. */
  readonly day: string
  readonly value: number
  /** Said beside the value. */
  readonly rest: string
}

interface PlotProps {
  readonly title: string
  readonly bars: readonly Bar[]
  /** A value in words. */
  said(value: number): string
}

const WIDTH = 720
const HEIGHT = 180
const LEFT = 48
const BOTTOM = 24
const TOP = 10
const MARKS = 4
const DAYS_BETWEEN_NAMES = 7

/** Bars by day, with the same numbers as a table for those who cannot see them. */
export function Plot({ title, bars, said }: PlotProps) {
  const top = roundUp(Math.max(...bars.map(({ value }) => value)))
  const width = (WIDTH - LEFT) / bars.length
  const gap = Math.min(4, width / 4)
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top)
  const marks = Array.from({ length: MARKS + 1 }, (_, index) => (top / MARKS) * index)
  const named =
    bars.length > DAYS_BETWEEN_NAMES ? Math.ceil(bars.length / DAYS_BETWEEN_NAMES / 4) * DAYS_BETWEEN_NAMES : 1
  return (
    <>
      <figure class="plot">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
          {marks.map((value) => (
            <g key={value}>
              <line x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
              <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
                {said(value)}
              </text>
            </g>
          ))}
          {bars.map(({ day, value, rest }, index) => (
            <g key={day}>
              <title>{`${day}: ${rest}`}</title>
              {value === 0 ? null : (
                <rect
                  class="bar"
                  x={LEFT + index * width + gap / 2}
                  y={y(value)}
                  width={width - gap}
                  height={y(0) - y(value)}
                  rx={2}
                />
              )}
              {index % named === (bars.length - 1) % named ? (
                <text
                  x={index === bars.length - 1 ? WIDTH : LEFT + (index + 0.5) * width}
                  y={HEIGHT - 6}
                  text-anchor={index === bars.length - 1 ? 'end' : 'middle'}
                >
                  {shortDay(day)}
                </text>
              ) : null}
            </g>
          ))}
        </svg>
        <figcaption>{title}</figcaption>
      </figure>
      <details>
        <summary>Show as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Used</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter(({ value }) => value > 0)
              .map(({ day, rest }) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  <td>{rest}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

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
