import type { Task } from '../api.ts'
import { clockTime, count, roughly, span } from '../format.ts'
import { Icon, type IconName } from '../icons.tsx'
import { isAtWork } from '../states.tsx'
import { Button, Pre } from '../ui.tsx'
import { useEffect, useState } from '../view.ts'
import type { Call, Note, Step, Story } from './story.ts'
import { TimeBar } from './time-bar.tsx'

interface StepsProps {
  readonly task: Task
  readonly story: Story
  readonly now: number
  readonly maxSteps: number
}

/** So many steps of a task that has ended or waits are shown at once: on a wide page as many as fit beside the picture. */
const LAST_STEPS = 3
const LAST_STEPS_WIDE = 8
const WIDE = '(min-width: 60.01rem)'

/** Every step: what the model said, each call with what came of it, and how long it took. */
export function Steps({ task, story, now, maxSteps }: StepsProps) {
  const end = story.endedAt ?? now
  const pause = story.pauses.at(-1)
  // Nothing goes on while somebody else has the tab.
  const until = pause?.to === null ? pause.from : end
  const isActing = isAtWork(task)
  const [isWhole, setWhole] = useState(isActing)
  // Who has watched it goes on to see all of it.
  useEffect(() => {
    if (isActing) setWhole(true)
  }, [isActing])
  const last = matchMedia(WIDE).matches ? LAST_STEPS_WIDE : LAST_STEPS
  const earlier = isWhole || story.steps.length <= last + LAST_STEPS ? 0 : story.steps.length - last
  return (
    <section class={isActing ? 'steps at-work' : 'steps'} aria-labelledby="steps-title">
      <h2 id="steps-title">
        Steps{' '}
        <span class="quiet">
          {story.steps.length} of at most {maxSteps}
        </span>
      </h2>
      {story.steps.length === 0 ? null : <TimeBar story={story} from={task.created_at} until={end} />}
      {story.notes.map((note) => (
        <NoteLine key={note.seq} note={note} />
      ))}
      {story.steps.length === 0 ? <p class="empty">No steps yet. The model works on the first one.</p> : null}
      {earlier === 0 ? null : <Button act={() => setWhole(true)}>Show {count(earlier, 'earlier step')}</Button>}
      <ol class={earlier === 0 ? '' : last === LAST_STEPS ? 'folded' : 'folded wide'}>
        {story.steps.map((step) => (
          <StepItem
            key={step.number}
            step={step}
            until={until}
            isFolded={story.endedAt !== null}
            stopped={isActing ? null : task.state === 'paused' ? 'interrupted' : ''}
          />
        ))}
      </ol>
    </section>
  )
}

interface StepItemProps {
  readonly step: Step
  readonly until: number
  /** The call whose result is open. */
  readonly openCall?: string | null
  /** What is said of a call that does not go on at present, instead of its time; `null`: all go on. */
  readonly stopped?: string | null
  /** Whether many calls are folded after the first ones. */
  readonly isFolded?: boolean
}

const SHOWN_CALLS = 3

export function StepItem({ step, until, openCall = null, stopped = null, isFolded = false }: StepItemProps) {
  const { number, at, repliedAt, text, calls, notes } = step
  // One more alone is no shorter behind a button.
  const shown = isFolded && calls.length > SHOWN_CALLS + 1 ? SHOWN_CALLS : calls.length
  const rest = calls.slice(shown)
  const listed = (part: typeof calls) => (
    <ul class="calls">
      {part.map((call) => (
        <CallItem key={call.id} {...{ call, until, stopped }} isOpen={call.id === openCall} />
      ))}
    </ul>
  )
  const said = text || (repliedAt === null ? 'Thinks …' : calls.length === 0 && notes.length === 0 ? 'No text' : null)
  return (
    <li id={`step-${number}`} value={number}>
      {said === null ? null : (
        <p class="said">
          <span>{said}</span>{' '}
          <span class="quiet" title={clockTime(at)}>
            model {repliedAt === null ? roughly(until - at) : span(repliedAt - at)}
          </span>
        </p>
      )}
      {calls.length === 0 ? null : listed(calls.slice(0, shown))}
      {rest.length === 0 ? null : (
        <details open={rest.some(({ state }) => state === 'failed')}>
          <summary class="quiet">{rest.length} more</summary>
          {listed(rest)}
        </details>
      )}
      {notes.map((note) => (
        <NoteLine key={note.seq} note={note} />
      ))}
    </li>
  )
}

const LOOKS = {
  doing: ['clock', 'under way'],
  done: ['check', 'done'],
  failed: ['cross', 'failed'],
  skipped: ['skip', 'not run'],
} as const satisfies Record<Call['state'], readonly [IconName, string]>

interface CallItemProps extends Required<Pick<StepItemProps, 'until' | 'stopped'>> {
  readonly call: Call
  readonly isOpen: boolean
}

function CallItem({ call, until, stopped, isOpen }: CallItemProps) {
  const [icon, spoken] = LOOKS[call.state]
  // An error is said whole in its line.
  const result = call.output === call.error ? '' : call.output
  const ms = call.durationMs ?? until - call.at
  const took = call.state === 'doing' ? (stopped ?? roughly(ms)) : ms < 1 ? '' : span(ms)
  return (
    <li class={`call ${call.state}`}>
      <details open={isOpen}>
        <summary>
          <Icon name={icon} />
          <span class="hidden">{spoken}: </span>
          <span class="words">{call.words}</span> {took === '' ? null : <span class="quiet">{took}</span>}
          {call.error === null ? null : (
            <span class={call.state === 'failed' ? 'why bad words' : 'why quiet words'}>{call.error}</span>
          )}
        </summary>
        {result === '' ? null : <Pre label={`Result of ${call.tool}`}>{result}</Pre>}
        <details>
          <summary class="quiet">
            Input of <code>{call.tool}</code>
          </summary>
          <Pre label={`Input of ${call.tool}`}>{JSON.stringify(call.input, null, 2)}</Pre>
        </details>
      </details>
    </li>
  )
}

const NOTE_ICONS = {
  message: 'chat',
  browser: 'browser',
  input: 'question',
  budget: 'warning',
  file: 'file',
  check: 'eye',
} as const

const NoteLine = ({ note }: { readonly note: Note }) => (
  <p class={`note words ${note.kind}`} title={clockTime(note.at)}>
    <Icon name={NOTE_ICONS[note.kind]} /> {note.words}
  </p>
)
