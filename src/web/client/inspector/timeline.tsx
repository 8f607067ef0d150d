import { span } from '../format.ts'
import { useRef } from '../view.ts'
import { Heading } from './heading.tsx'
import type { Moment } from './moments.ts'

/** What a task spends its time on, by the group of its states. */
const SPENDS: Readonly<Record<string, string>> = {
  starting: 'Starting',
  queued: 'In the queue',
  askingModel: 'Asking the model',
  callingTool: 'Using the browser and tools',
  waitingForPeople: 'Waiting for people',
  paused: 'Paused',
}
const REST = 'rest'
const REST_WORDS = 'Deciding, ending'
/** A press so near to a transition means it: half of the thumb. */
const NEAR_PX = 9

interface Spell {
  readonly what: string
  readonly from: number
  readonly ms: number
}

/** When a task came into which states. */
export type StateChange = Pick<Moment, 'at' | 'states'>

interface TimelineProps {
  readonly changes: readonly StateChange[]
  /** The end, or now. */
  readonly until: number
}

/** What the time of a task went to, and how much of it to each. */
export const Timeline = (props: TimelineProps) => (
  <section class="timeline" aria-labelledby="timeline-title">
    <Heading level={3} id="timeline-title" name="Time" question="What did it spend its time on?" />
    <div
      class="strip"
      role="img"
      aria-label={`Time spent: ${spentOf(props)
        .map(({ ms, words }) => `${words}, ${span(ms)}`)
        .join('; ')}`}
    >
      <Spells {...props} />
    </div>
    <Spent {...props} />
  </section>
)

/** How much time went to what, with the colours of the bar. */
export const Spent = (props: TimelineProps) => (
  <p id="spent" class="spent">
    {spentOf(props).map(({ what, ms, words }) => (
      <span key={what}>
        <i class={what} /> {words} <strong>{span(ms)}</strong>
      </span>
    ))}
  </p>
)

interface ScrubberProps {
  /** Never empty. */
  readonly moments: readonly Moment[]
  readonly at: number
  /** When its task was started, and when it ended. */
  readonly began: number
  readonly until: number
  /** Where it is, in words. */
  readonly words: string
  go(to: number): void
}

/**
 * The time of an ended task as the slider of its replay: what it was spent on, a tick for each transition, and the thumb at
 * the one that is shown. A press leads to what was then, and the thumb can be dragged.
 */
export function Scrubber({ moments, began, until, at, words, go }: ScrubberProps) {
  const slider = useRef<HTMLDivElement>(null)
  const placeOf = (moment: Moment) => partOf(moment.at - began, until - began)
  const seek = ({ clientX }: PointerEvent) => {
    const { left, width } = (slider.current as HTMLElement).getBoundingClientRect()
    const then = began + ((clientX + NEAR_PX - left) / Math.max(1, width)) * (until - began)
    const to = Math.max(
      0,
      moments.findLastIndex((moment) => moment.at <= then),
    )
    if (to !== at) go(to)
  }
  /** Up and down would scroll the page; all other keys are those of the whole page. */
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    go(at + by)
  }
  return (
    <div class="scrubber">
      <span class="quiet">0 s</span>
      <div
        ref={slider}
        id="position"
        class="slider"
        role="slider"
        tabIndex={0}
        aria-label="Transition"
        aria-valuemin={1}
        aria-valuemax={moments.length}
        aria-valuenow={at + 1}
        aria-valuetext={words}
        onKeyDown={press}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          seek(event)
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && seek(event)}
      >
        <div class="strip">
          <Spells changes={fromStart(moments, began)} until={until} />
        </div>
        {moments.map((moment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are never moved
          <i key={index} class="tick" style={{ left: placeOf(moment) }} />
        ))}
        <i class="thumb" style={{ left: placeOf(moments[at] as Moment) }} />
      </div>
      <span class="quiet">{span(until - began)}</span>
    </div>
  )
}

/** The same with what it was in before the first that is known. */
export const fromStart = (changes: readonly StateChange[], began: number): readonly StateChange[] => [
  { at: began, states: ['starting'] },
  ...changes,
]

function Spells({ changes, until }: TimelineProps) {
  const whole = until - (changes[0]?.at ?? 0)
  return spellsOf(changes, until).map(({ what, from, ms }) => (
    <span
      key={from}
      class={what}
      style={{ left: partOf(from, whole), width: partOf(ms, whole) }}
      data-sentence={`${SPENDS[what] ?? REST_WORDS}: ${span(ms)}`}
    />
  ))
}

const partOf = (ms: number, whole: number): string => `${(ms / Math.max(1, whole)) * 100}%`

function spentOf({ changes, until }: TimelineProps) {
  const spells = spellsOf(changes, until)
  return [...Object.keys(SPENDS), REST].flatMap((what) => {
    const ms = spells.reduce((sum, spell) => sum + (spell.what === what ? spell.ms : 0), 0)
    return ms === 0 ? [] : [{ what, ms, words: SPENDS[what] ?? REST_WORDS }]
  })
}

/** What follows each other in the same group is one spell. */
function spellsOf(changes: readonly StateChange[], until: number): readonly Spell[] {
  const began = changes[0]?.at ?? 0
  const spells: Spell[] = []
  changes.forEach(({ at, states }, index) => {
    const ms = (changes[index + 1]?.at ?? until) - at
    const what = groupOf(states)
    const last = spells.at(-1)
    if (ms <= 0) return
    if (last?.what === what) spells[spells.length - 1] = { ...last, ms: last.ms + ms }
    else spells.push({ what, from: at - began, ms })
  })
  return spells
}

const groupOf = (states: readonly string[]): string =>
  states.flatMap((state) => state.split('.')).findLast((name) => Object.hasOwn(SPENDS, name)) ?? REST
