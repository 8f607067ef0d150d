import { span } from '../format.ts'
import { Heading } from './heading.tsx'
import type { Moment } from './moments.ts'

/** What a task spends its time on, by the group of its states. */
const SPENDS: Readonly<Record<string, string>> = {
  queued: 'In the queue',
  askingModel: 'Asking the model',
  callingTool: 'Using the browser and tools',
  waitingForPeople: 'Waiting for people',
  paused: 'Paused',
}
const REST = 'rest'
const REST_WORDS = 'Starting, deciding, ending'

interface Spell {
  readonly what: string
  readonly from: number
  readonly ms: number
}

/** When a task came into which states. */
export type StateChange = Pick<Moment, 'at' | 'states'>

interface TimelineProps {
  readonly level: 2 | 3
  readonly changes: readonly StateChange[]
  /** The end, or now. */
  readonly until: number
  /** Where a replay is, and how it goes to a change; left out while the task runs. */
  readonly at?: number
  go?(to: number): void
}

/** What the time of a task went to, and how much of it to each. In a replay, a press leads to what was then. */
export function Timeline({ level, changes, until, at, go }: TimelineProps) {
  const began = changes[0]?.at ?? 0
  const whole = Math.max(1, until - began)
  const spells = spellsOf(changes, until)
  const spent = [...Object.keys(SPENDS), REST].flatMap((what) => {
    const ms = spells.reduce((sum, spell) => sum + (spell.what === what ? spell.ms : 0), 0)
    return ms === 0 ? [] : [{ what, ms, words: SPENDS[what] ?? REST_WORDS }]
  })
  const part = (ms: number) => `${(ms / whole) * 100}%`
  const press = (event: MouseEvent & { readonly currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const then = began + ((event.clientX - left) / Math.max(1, width)) * whole
    go?.(
      Math.max(
        0,
        changes.findLastIndex((change) => change.at <= then),
      ),
    )
  }
  return (
    <figure id="timeline" class={go ? 'timeline' : 'timeline live'}>
      <Heading level={level} name="Time" question="What did it spend its time on?" />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider beside it does the same by keyboard */}
      <div
        class="strip"
        role="img"
        aria-label={`Time spent: ${spent.map(({ ms, words }) => `${words}, ${span(ms)}`).join('; ')}`}
        onClick={press}
      >
        {spells.map(({ what, from, ms }) => (
          <span
            key={from}
            class={what}
            style={{ left: part(from), width: part(ms) }}
            data-sentence={`${SPENDS[what] ?? REST_WORDS}: ${span(ms)}`}
          />
        ))}
        {at === undefined ? null : <i style={{ left: part((changes[at]?.at ?? began) - began) }} />}
      </div>
      <figcaption>
        {spent.map(({ what, ms, words }) => (
          <span key={what}>
            <i class={what} /> {words} <strong>{span(ms)}</strong>
          </span>
        ))}
      </figcaption>
    </figure>
  )
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
