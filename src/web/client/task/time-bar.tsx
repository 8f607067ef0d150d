import { span } from '../format.ts'
import { type Story, timesOf } from './story.ts'

interface TimeBarProps {
  readonly story: Pick<Story, 'steps' | 'waits'>
  readonly from: number
  readonly until: number
}

/** Where the time went: the model's and the tools' from the first step on, in the order in which they took it. */
export function TimeBar({ story, from, until }: TimeBarProps) {
  const { steps, waits } = story
  const times = timesOf(story, from, until)
  const first = steps[0]?.at ?? from
  const whole = Math.max(1, until - first)
  const x = (at: number) => ((at - first) / whole) * 1_000
  const part = (kind: 'model' | 'tool' | 'other', at: number, ms: number, key: string) => (
    <rect key={key} class={kind} x={x(at)} y={0} width={Math.max(1, (ms / whole) * 1_000)} height={14} />
  )
  return (
    <figure class="time-bar">
      <svg viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">
        {steps.map(({ number, at, repliedAt, calls }) => [
          part('model', at, (repliedAt ?? until) - at, `m${number}`),
          ...calls.map((call) => part('tool', call.at, call.durationMs ?? until - call.at, call.id)),
        ])}
        {waits.map((wait) => part('other', wait.from, (wait.to ?? until) - wait.from, `w${wait.from}`))}
      </svg>
      <figcaption>
        <span class="model">Model {span(times.model)}</span> <span class="tool">Tools {span(times.tools)}</span>{' '}
        <span class="other">Waiting {span(times.other)}</span>
      </figcaption>
    </figure>
  )
}
