import type { Sentences } from '../../../../actors/inspection/shown.ts'
import { KINDS } from './actor-rows.ts'
import { useSentences } from './sentences.ts'

interface Place {
  readonly x: number
  readonly y: number
  /** Outside of the service: no actor. */
  readonly isOutside?: boolean
}

const WIDTH = 660
const HEIGHT = 360
const BOX = { width: 128, height: 44 }
const LEFT = 74
const MIDDLE = 330
const RIGHT = 586
/** A line that turns begins or ends beside the one that does not. */
const ASIDE = 34
const PLACES: Readonly<Record<string, Place>> = {
  client: { x: LEFT, y: 40, isOutside: true },
  workspace: { x: MIDDLE, y: 40 },
  delivery: { x: RIGHT, y: 40 },
  closing: { x: LEFT, y: 175 },
  task: { x: MIDDLE, y: 175 },
  model: { x: RIGHT, y: 175, isOutside: true },
  call: { x: LEFT, y: 315 },
  session: { x: MIDDLE, y: 315 },
  browser: { x: RIGHT, y: 315, isOutside: true },
}
/** Who talks to whom, and what about. */
const TALKS: readonly (readonly [from: string, to: string, words: string])[] = [
  ['client', 'workspace', 'asks to start'],
  ['workspace', 'delivery', 'sends events'],
  ['workspace', 'task', 'starts'],
  ['workspace', 'closing', 'has it end a task'],
  ['task', 'model', 'asks what to do'],
  ['task', 'session', 'has a call'],
  ['call', 'task', 'tells the outcome'],
  ['session', 'call', 'opens'],
  ['session', 'browser', 'has its socket'],
]

interface MapProps {
  /** How many actors of a kind there are. */
  countOf(kind: string): number
  /** Lists the actors of a kind. */
  list(kind: string): void
}

/** [P38] Who talks to whom: what is shown while no actor is chosen. */
export function ActorMap({ countOf, list }: MapProps) {
  const sentences = useSentences()
  return (
    <>
      <p>
        Each task, browser and webhook delivery is an actor: it runs a statechart of its own and talks to others by
        messages. Select one in the list to see its statechart, the events it accepts, and what it did.
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: what scrolls can be reached by keyboard */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <div class="drawing map" tabIndex={0} role="region" aria-label={LABEL}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the region is named */}
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
          {TALKS.map(([from, to, words]) => (
            <Talk key={`${from} ${to}`} from={from} to={to} words={words} />
          ))}
          {Object.entries(PLACES).map(([kind, place]) => (
            <Box
              key={kind}
              {...place}
              kind={kind}
              count={countOf(kind)}
              about={sentences[kind]?.about ?? 'Outside of the service.'}
              list={list}
            />
          ))}
        </svg>
      </div>
      <ul class="kinds">
        {KINDS.filter((kind) => sentences[kind] && (PLACES[kind] || countOf(kind) > 0)).map((kind) => (
          <KindItem key={kind} kind={kind} sentences={sentences[kind] as Sentences} count={countOf(kind)} list={list} />
        ))}
      </ul>
    </>
  )
}

interface BoxProps extends Place, Pick<MapProps, 'list'> {
  readonly kind: string
  readonly count: number
  readonly about: string
}

/** Who talks; a kind of actors is pressed to list them alone. */
function Box({ kind, x, y, isOutside = false, count, about, list }: BoxProps) {
  const isListed = !isOutside && count > 0
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    list(kind)
  }
  return (
    <g
      class={isOutside ? 'outside' : count === 0 ? 'kind none' : 'kind'}
      data-sentence={about}
      {...(isListed && { role: 'button', tabindex: 0, onClick: () => list(kind), onKeyDown: press })}
    >
      <rect x={x - BOX.width / 2} y={y - BOX.height / 2} width={BOX.width} height={BOX.height} rx={8} />
      <text x={x} y={y + 5} text-anchor="middle">
        {isOutside ? kind : `${kind} · ${count.toLocaleString('en')}`}
      </text>
    </g>
  )
}

const LABEL = `Who talks to whom: ${TALKS.map(([from, to, words]) => `the ${from} ${words}: ${to}`).join('; ')}`

interface KindItemProps {
  readonly kind: string
  readonly sentences: Sentences
  readonly count: number
  list(kind: string): void
}

const KindItem = ({ kind, sentences, count, list }: KindItemProps) => (
  <li>
    <button type="button" class="plain" disabled={count === 0} onClick={() => list(kind)}>
      {kind} <span class="quiet">{count.toLocaleString('en')}</span>
    </button>
    <span>{sentences.about}</span>
  </li>
)

function Talk({ from, to, words }: { readonly from: string; readonly to: string; readonly words: string }) {
  const [a, b] = [PLACES[from], PLACES[to]]
  if (!a || !b) return null
  const down = Math.sign(b.y - a.y)
  const side = Math.sign(b.x - a.x)
  const end = {
    x: down === 0 ? b.x - (side * BOX.width) / 2 : side > 0 ? b.x - ASIDE : b.x,
    y: b.y - (down * BOX.height) / 2,
  }
  const start = {
    x: down === 0 ? a.x + (side * BOX.width) / 2 : side < 0 ? a.x - ASIDE : a.x,
    y: a.y + (down * BOX.height) / 2,
  }
  const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 }
  const isUpright = down !== 0 && side === 0
  return (
    <g class="talk">
      <path class="line" d={`M${start.x} ${start.y}${down === 0 ? '' : `V${middle.y}`}H${end.x}V${end.y}`} />
      <path
        d="M0 0l-8 -4v8z"
        transform={`translate(${end.x} ${end.y}) rotate(${down === 0 ? 90 - side * 90 : down * 90})`}
      />
      <text
        x={middle.x + (isUpright ? 8 : 0)}
        y={middle.y + (isUpright ? 4 : -8)}
        text-anchor={isUpright ? 'start' : 'middle'}
      >
        {words}
      </text>
    </g>
  )
}
