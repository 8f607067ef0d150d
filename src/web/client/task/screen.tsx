import type { Api, Task } from '../api.ts'
import { roughly } from '../format.ts'
import { Icon } from '../icons.tsx'
import { isAtWork, stateOf } from '../states.tsx'
import { Badge } from '../ui.tsx'
import { useRef, useState } from '../view.ts'
import type { Call, Step, Story } from './story.ts'
import { isForHands, useHands } from './use-hands.ts'
import { useLive } from './use-live.ts'

/** A picture of the page, and the call after which it was taken. */
export interface Picture {
  readonly number: number
  readonly step: number
  readonly words: string
}

export const picturesOf = (steps: readonly Step[]): Picture[] =>
  steps.flatMap(({ number: step, calls }) =>
    calls.flatMap(({ picture, words }) => (picture === null ? [] : [{ number: picture, step, words }])),
  )

const HANDS = 'Type in the page of the browser. Escape leaves it.'
/** Nothing of the reader's own browser helps in what goes to another one. */
const UNAIDED = { autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', spellcheck: false } as const

interface ScreenProps {
  readonly api: Api
  readonly task: Task
  readonly story: Story
  readonly pictures: readonly Picture[]
  readonly now: number
  /** Whether the reader may do more than look on. */
  readonly mayAct: boolean
}

/** What the browser shows, and what is done in it. */
export function Screen({ api, task, story, pictures, now, mayAct }: ScreenProps) {
  /** The picture that was chosen; `null`: what is shown now, or the newest. */
  const [chosen, setChosen] = useState<number | null>(null)
  const dialog = useRef<HTMLDialogElement>(null)
  const isRunning = task.status === 'running'
  const { canvas, isShown } = useLive(api, task.id, isRunning && task.state !== 'queued' && chosen === null)
  const takesHands = isShown && mayAct && isForHands(task)
  const { field, refused } = useHands(api, task.id, canvas, takesHands)
  const at = chosen ?? pictures.length - 1
  const picture = pictures[at]
  const go = (by: number) => setChosen(Math.min(pictures.length - 1, Math.max(0, at + by)))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') go(-1)
    else if (event.key === 'ArrowRight') go(1)
    else return
    event.preventDefault()
  }
  return (
    <section class="screen" aria-labelledby="screen-title">
      <h2 id="screen-title">Browser</h2>
      <p class="address quiet">
        {isShown ? (
          <Badge tone="bad" icon="eye">
            Live
          </Badge>
        ) : null}{' '}
        {story.address ?? task.url ?? 'No page yet'}
      </p>
      <div class="view">
        {picture ? (
          <button
            type="button"
            class="picture"
            aria-label={`Enlarge the picture of step ${picture.step}`}
            onClick={() => dialog.current?.showModal()}
            onKeyDown={onKeyDown}
          >
            <img src={addressOf(task.id, picture)} alt={altOf(picture)} width={1280} height={800} />
          </button>
        ) : (
          <p class="empty">{isRunning ? 'The page appears here' : 'No picture was taken'}</p>
        )}
        <canvas ref={canvas} role="img" aria-label="What the browser shows now" hidden={!isShown} />
        {takesHands ? <textarea ref={field} class="hands" aria-label={HANDS} {...UNAIDED} /> : null}
      </div>
      {takesHands ? (
        <p class={refused === null ? 'doing quiet' : 'doing bad'} role="status">
          {refused ?? 'Click and type in the picture. Escape leaves it.'}
        </p>
      ) : null}
      <Stepper at={at} pictures={pictures} go={go} live={isRunning && chosen !== null ? () => setChosen(null) : null} />
      {isAtWork(task) ? <Doing task={task} story={story} now={now} /> : null}
      <dialog ref={dialog} class="lightbox" aria-label="Picture" onKeyDown={onKeyDown}>
        {picture ? <img src={addressOf(task.id, picture)} alt={altOf(picture)} /> : null}
        <div class="row">
          <Stepper at={at} pictures={pictures} go={go} live={null} />
          <button type="button" class="plain" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </dialog>
    </section>
  )
}

interface StepperProps {
  readonly at: number
  readonly pictures: readonly Picture[]
  go(by: number): void
  /** Goes back to what is shown now. */
  readonly live: (() => void) | null
}

function Stepper({ at, pictures, go, live }: StepperProps) {
  const picture = pictures[at]
  return (
    <div class="stepper">
      <button type="button" class="plain" disabled={at <= 0} aria-label="Previous picture" onClick={() => go(-1)}>
        <Icon name="left" />
      </button>
      <span>
        {picture ? `${at + 1} of ${pictures.length} · step ${picture.step} · ${picture.words}` : 'Pictures appear here'}
      </span>
      <button
        type="button"
        class="plain"
        disabled={at >= pictures.length - 1}
        aria-label="Next picture"
        onClick={() => go(1)}
      >
        <Icon name="right" />
      </button>
      {live === null ? null : (
        <button type="button" class="plain" onClick={live}>
          Back to live
        </button>
      )}
    </div>
  )
}

/** What is done at this moment, in words. */
function Doing({ task, story, now }: Pick<ScreenProps, 'task' | 'story' | 'now'>) {
  const step = story.steps.at(-1)
  const call = step?.calls.find(({ state }) => state === 'doing')
  const since = call?.at ?? lastMoment(step) ?? task.created_at
  const words = call?.words ?? stateOf(task)[0]
  return (
    <p class="doing">
      <span class="pulse" aria-hidden="true" /> <strong role="status">{words}</strong>{' '}
      <span class="quiet">{roughly(now - since)}</span>
    </p>
  )
}

function lastMoment(step: Step | undefined): number | undefined {
  const last: Call | undefined = step?.calls.at(-1)
  return last ? last.at + (last.durationMs ?? 0) : step?.at
}

export const addressOf = (taskId: string, { number }: Picture): string =>
  `/dashboard/tasks/${taskId}/screenshots/${number}`
export const altOf = ({ step, words }: Picture): string => `The page at step ${step}, after: ${words}`
