/** Lines over a few places, drawn as SVG. */
export interface Plot {
  readonly file: string
  readonly title: string
  readonly x: string
  readonly y: string
  /** Labels along the bottom, at equal distances. */
  readonly places: readonly string[]
  readonly lines: readonly { readonly name: string; readonly values: readonly number[] }[]
}

const WIDTH = 720
const HEIGHT = 360
const LEFT = 72
const RIGHT = 200
const TOP = 44
const BOTTOM = 52
const COLOURS = ['#0b6e4f', '#c8553d', '#3d5a98', '#8f6b00', '#6b6b6b']
const TICKS = 5
const LABELS_MAX = 12

/** The plot as an SVG that stands by itself, on light and dark pages alike. */
export function svg(plot: Plot): string {
  const { title, x, y, places, lines } = plot
  const top = niceTop(Math.max(...lines.flatMap(({ values }) => values), 0))
  const right = WIDTH - RIGHT
  const bottom = HEIGHT - BOTTOM
  const atX = (n: number) => LEFT + (right - LEFT) * (places.length < 2 ? 0.5 : n / (places.length - 1))
  const atY = (value: number) => bottom - ((bottom - TOP) * value) / top
  const every = Math.ceil(places.length / LABELS_MAX)
  const parts = [
    text(LEFT, 24, title, 'font-size="15" font-weight="600"'),
    ...Array.from({ length: TICKS + 1 }, (_, tick) => {
      const value = (top * tick) / TICKS
      const line = `<line x1="${LEFT}" y1="${at(atY(value))}" x2="${right}" y2="${at(atY(value))}" stroke="#ddd"/>`
      return line + text(LEFT - 8, atY(value) + 4, number(value), 'text-anchor="end"')
    }),
    ...places.map((label, n) => (n % every === 0 ? text(atX(n), bottom + 18, label, 'text-anchor="middle"') : '')),
    text((LEFT + right) / 2, HEIGHT - 12, x, 'text-anchor="middle"'),
    `<g transform="translate(16 ${(TOP + bottom) / 2}) rotate(-90)">${text(0, 0, y, 'text-anchor="middle"')}</g>`,
    ...lines.flatMap(({ name, values }, n) => {
      const colour = COLOURS[n % COLOURS.length] ?? '#000'
      const points = values.map((value, place) => [atX(place), atY(value)] as const)
      return [
        `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.map(([px, py]) => `${at(px)},${at(py)}`).join(' ')}"/>`,
        ...(points.length <= LABELS_MAX
          ? points.map(([px, py]) => `<circle cx="${at(px)}" cy="${at(py)}" r="3.5" fill="${colour}"/>`)
          : []),
        `<line x1="${right + 16}" y1="${TOP + 12 + n * 22}" x2="${right + 36}" y2="${TOP + 12 + n * 22}" stroke="${colour}" stroke-width="3"/>`,
        text(right + 42, TOP + 16 + n * 22, name, ''),
      ]
    }),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${parts.filter((part) => part !== '').join('\n')}
</svg>
`
}

const at = (value: number) => value.toFixed(1)
const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const text = (x: number, y: number, words: string, how: string) =>
  `<text x="${at(x)}" y="${at(y)}" fill="#222" ${how}>${escaped(words)}</text>`
const number = (value: number) => (value >= 1_000 ? Math.round(value).toLocaleString('en') : String(+value.toFixed(3)))

/** The next of 1, 2, 2.5, 5 times a power of ten. */
function niceTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10)
}
