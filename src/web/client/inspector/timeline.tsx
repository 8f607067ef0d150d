import { span } from '../format.ts'
import type { Moment } from './moments.ts'

/** What a task spends its time on, by the group of its states. */
const SPENDS: Readonly<Record<string, string>> = {
  queued: 'In the queue',
  askingModel: 'Asking the model',
  callingTool: 'Using the browser and tools',
  waitingForPeople: 'Waiting for people',
}
const REST = 'rest'
const REST_WORDS = 'Starting, deciding, ending'

interface Spell {
  readonly what: string
  readonly from: number
  readonly ms: number
}

interface TimelineProps {
  readonly moments: readonly Moment[]
  readonly at: number
  go(to: number): void
}

/** What the time of a task went to, and how much of it to each; where the replay is. A press leads to what was then. */
export function Timeline({ moments, at, go }: TimelineProps) {
  const began = moments[0]?.at ?? 0
  const whole = Math.max(1, (moments.at(-1)?.at ?? 0) - began)
  const spells = spellsOf(moments)
  const spent = [...Object.keys(SPENDS), REST].flatMap((what) => {
    const ms = spells.reduce((sum, spell) => sum + (spell.what === what ? spell.ms : 0), 0)
    return ms === 0 ? [] : [{ what, ms, words: SPENDS[what] ?? REST_WORDS }]
  })
  const part = (ms: number) => `${(ms / whole) * 100}%`
  const press = (event: MouseEvent & { readonly currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const then = began + ((event.clientX - left) / Math.max(1, width)) * whole
    go(
      Math.max(
        0,
        moments.findLastIndex((moment) => moment.at <= then),
      ),
    )
  }
  return (
    <figure id="timeline" class="timeline">
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
            title={`${SPENDS[what] ?? REST_WORDS}: ${span(ms)}`}
          />
        ))}
        <i style={{ left: part((moments[at]?.at ?? began) - began) }} />
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

/** Moments that follow each other in the same group are one spell. */
function spellsOf(moments: readonly Moment[]): readonly Spell[] {
  const began = moments[0]?.at ?? 0
  const spells: Spell[] = []
  moments.forEach(({ at, states }, index) => {
    const ms = (moments[index + 1]?.at ?? at) - at
    const what = groupOf(states)
    const last = spells.at(-1)
    if (ms === 0) return
    if (last?.what === what) spells[spells.length - 1] = { ...last, ms: last.ms + ms }
    else spells.push({ what, from: at - began, ms })
  })
  return spells
}

const groupOf = (states: readonly string[]): string =>
  states.flatMap((state) => state.split('.')).find((name) => Object.hasOwn(SPENDS, name)) ?? REST
