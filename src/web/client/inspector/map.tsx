import { useSentences } from './sentences.ts'

type Point = readonly [x: number, y: number]
/** An arrow, and where its words are. */
type Way = readonly [path: string, x: number, y: number, anchor?: 'start']

interface Layout {
  readonly name: 'wide' | 'narrow'
  readonly width: number
  readonly height: number
  readonly box: { readonly width: number; readonly height: number }
  readonly places: Readonly<Record<string, Point>>
  /** By the numbers of the talks. */
  readonly ways: readonly Way[]
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
/** Outside of the service: no actors. */
const OUTSIDE: ReadonlySet<string> = new Set(['client', 'model', 'browser'])

const LAYOUTS: readonly Layout[] = [
  {
    ...{ name: 'wide', width: 660, height: 360, box: { width: 128, height: 44 } },
    places: {
      ...{ client: [74, 40], workspace: [330, 40], delivery: [586, 40] },
      ...{ closing: [74, 175], task: [330, 175], model: [586, 175] },
      ...{ call: [74, 315], session: [330, 315], browser: [586, 315] },
    },
    ways: [
      ['M138 40H266', 202, 32],
      ['M394 40H522', 458, 32],
      ['M330 62V153', 338, 112, 'start'],
      ['M296 62V107H74V153', 185, 99],
      ['M394 175H522', 458, 167],
      ['M330 197V293', 338, 249, 'start'],
      ['M74 293V245H296V197', 185, 237],
      ['M266 315H138', 202, 307],
      ['M394 315H522', 458, 307],
    ],
  },
  {
    ...{ name: 'narrow', width: 360, height: 404, box: { width: 112, height: 40 } },
    places: {
      ...{ client: [58, 26], workspace: [302, 26], delivery: [58, 98], closing: [58, 162] },
      ...{ model: [58, 234], task: [302, 234], call: [58, 306], browser: [58, 378], session: [302, 378] },
    },
    ways: [
      ['M114 26H246', 180, 19],
      ['M258 46V98H114', 182, 91],
      ['M290 46V214', 297, 134, 'start'],
      ['M274 46V162H114', 190, 155],
      ['M246 234H114', 180, 227],
      ['M290 254V358', 297, 310, 'start'],
      ['M114 299H258V254', 182, 292],
      ['M274 358V313H114', 190, 328],
      ['M246 378H114', 180, 371],
    ],
  },
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
        {LAYOUTS.map(({ name, width, height, box, places, ways }) => (
          // biome-ignore lint/a11y/noSvgWithoutTitle: the region is named
          <svg key={name} class={name} viewBox={`0 0 ${width} ${height}`}>
            <marker
              id={`tip-${name}`}
              viewBox="0 0 8 8"
              refX="8"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path class="tip" d="M0 0l8 4l-8 4z" />
            </marker>
            {ways.map(([path, x, y, anchor = 'middle'], index) => (
              <g key={path} class="talk">
                <path class="line" d={path} marker-end={`url(#tip-${name})`} />
                <text x={x} y={y} text-anchor={anchor}>
                  {TALKS[index]?.[2]}
                </text>
              </g>
            ))}
            {Object.entries(places).map(([kind, place]) => (
              <Box
                key={kind}
                {...{ kind, place, box, list }}
                count={countOf(kind)}
                about={sentences[kind]?.about ?? 'Outside of the service.'}
              />
            ))}
          </svg>
        ))}
      </div>
    </>
  )
}

interface BoxProps extends Pick<MapProps, 'list'>, Pick<Layout, 'box'> {
  readonly kind: string
  readonly place: Point
  readonly count: number
  readonly about: string
}

/** Who talks; a kind of actors is pressed to list them alone. */
function Box({ kind, place: [x, y], box: { width, height }, count, about, list }: BoxProps) {
  const isOutside = OUTSIDE.has(kind)
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
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx={8} />
      <text x={x} y={y + 5} text-anchor="middle">
        {isOutside ? kind : `${kind} · ${count.toLocaleString('en')}`}
      </text>
    </g>
  )
}

const LABEL = `Who talks to whom: ${TALKS.map(([from, to, words]) => `the ${from} ${words}: ${to}`).join('; ')}`
