import type { Sentences, Trace } from '../../../../actors/inspection/shown.ts'
import { type Api, messageOf, openApi, type Task, type TaskEvent } from '../api.ts'
import { exactSpan } from '../format.ts'
import { Icon } from '../icons.tsx'
import { Answer } from '../task/answer.tsx'
import { WholeText } from '../task/details.tsx'
import { addressOf, altOf, picturesOf } from '../task/screen.tsx'
import { StepItem } from '../task/steps.tsx'
import type { Step } from '../task/story.ts'
import { DeliveryList } from '../task/webhooks.tsx'
import { CopyButton, Loading } from '../ui.tsx'
import { useEffect, useMemo, useRef, useState } from '../view.ts'
import { cancellerOf } from './canceller.ts'
import { Chart } from './chart.tsx'
import { conversationOf, type Saying } from './conversation.ts'
import { Conversation, conversationTab } from './conversation.tsx'
import { Heading } from './heading.tsx'
import { type Moment, momentsOf } from './moments.ts'
import { Now } from './now.tsx'
import { answerOf, Outcome } from './outcome.tsx'
import { useWidth } from './scroll-box.tsx'
import { Sent } from './sent.tsx'
import { meaningOf, useSentences } from './sentences.ts'
import { type Tab, Tabs, useTab } from './tabs.tsx'
import { fromStart, Scrubber, Spent } from './timeline.tsx'
import { browserName } from './titles.ts'
import { usePlayer } from './use-player.ts'

export interface ReplayProps {
  readonly workspaceId: string
  /** `null`: the task that was recorded for who has none of their own yet. */
  readonly taskId: string | null
}

interface Known {
  readonly task: Task
  readonly moments: readonly Moment[]
  /** Who told whom what. */
  readonly sayings: readonly Saying[]
  /** What its browser is called. */
  readonly browser: string
  /** Who cancelled it. */
  readonly canceller: string | null
}

/** [P18] A finished task, transition by transition: its statechart, what the model said, what its tools did, what was seen. */
export function Replay({ workspaceId, taskId }: ReplayProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const [known, setKnown] = useState<Known | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  const [tab, openTab] = useTab()

  useEffect(() => {
    const read = async () => {
      if (taskId === null) return setKnown(await recorded())
      const [task, moves, events, browsers] = await Promise.all([
        api.tasks.get(taskId),
        movesOf(taskId),
        all(api.tasks.events(taskId)),
        // One that was removed has no name any more.
        api.request('GET /v1/browser-sessions', { query: { limit: 100 } }).catch(() => ({ data: [] })),
      ])
      const id = task.browser_session_id
      const browser = browsers.data.find((each) => each.id === id)?.label ?? browserName(id)
      const canceller = await cancellerOf(api, events, browser)
      setKnown(knownOf({ task, moves, events, browser }, canceller))
    }
    read().catch((error) => setFailed(messageOf(error)))
  }, [taskId])

  if (known === null) return <Loading failed={failed} />
  const { task, moments, browser, canceller } = known
  const props = { known, api, workspaceId, taskId, tab, openTab }
  return (
    <>
      {taskId === null ? <p class="asked">{task.task}</p> : null}
      <WholeText text={task.task} />
      <Outcome task={task} browser={browser} canceller={canceller}>
        {taskId === null ? null : (
          <>
            <a href={`/dashboard/tasks/${taskId}?workspace=${workspaceId}`}>View task</a>
            <a href="/inspector">All actors</a>
          </>
        )}
      </Outcome>
      {moments.length === 0 ? (
        <>
          <p class="empty">No replay was recorded for this task.</p>
          <Tabs label="More of this task" chosen={tab} choose={openTab} tabs={tabsOf(props)} />
        </>
      ) : (
        <Player {...props} />
      )}
    </>
  )
}

/** What a replay is made of. */
export interface Recorded {
  readonly task: Task
  readonly moves: Trace
  readonly events: readonly TaskEvent[]
  readonly browser: string
}
const knownOf = ({ task, moves, events, browser }: Recorded, canceller: string | null): Known => {
  return { task, moments: momentsOf(moves, events), sayings: conversationOf(events), browser, canceller }
}

/** [P44] Where the recorded task is, with its pictures. */
const RECORDED = '/static/example'
async function recorded(): Promise<Known> {
  const answer = await fetch(`${RECORDED}/task.json`)
  if (!answer.ok) throw new Error(`The service answered ${answer.status}.`)
  return knownOf((await answer.json()) as Recorded, null)
}

/** Of the inspector's own, which is no part of the API. */
async function movesOf(taskId: string): Promise<Trace> {
  const answer = await fetch(`/inspector/traces/${taskId}`)
  if (!answer.ok) throw new Error(`The service answered ${answer.status}.`)
  return answer.json()
}

async function all(events: AsyncIterable<TaskEvent>): Promise<TaskEvent[]> {
  const read: TaskEvent[] = []
  for await (const event of events) read.push(event)
  return read
}

interface PlayerProps extends ReplayProps {
  readonly known: Known
  readonly api: Api
  /** The tab that is open. */
  readonly tab: string
  openTab(id: string): void
}

function Player(props: PlayerProps) {
  const { known, workspaceId, taskId, tab, openTab } = props
  const { task, moments } = known
  const isRecorded = taskId === null
  const { at, go, isPlaying, play } = usePlayer(
    moments.length,
    isRecorded ? firstSeen(moments) : task.ended_by === 'cancelled' ? moments.length - 1 : 0,
  )
  const isOver = at === moments.length - 1
  const moment = moments[at] as Moment
  const until = Math.max(task.completed_at ?? 0, moments.at(-1)?.at ?? 0)
  const began = Math.min(task.created_at, moments[0]?.at ?? until)
  const leaf = leafOf(moment)
  const sentences = useSentences().task
  const [now, why] = [meaningOf(sentences, moment.states), sentences?.events[moment.event]]
  const next = (
    <p class="next-step">
      <a class="button main" href={`/dashboard/tasks/${task.id}?workspace=${workspaceId}`}>
        Open the task
      </a>
    </p>
  )
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: no set of fields */}
      <div class="player" role="group" aria-label="Replay">
        <Scrubber {...{ moments, began, until, at, go }} words={`${at + 1} of ${moments.length}: ${leaf}`} />
        <div class="bar">
          <button
            type="button"
            class="plain"
            title="Previous transition (←)"
            disabled={at === 0}
            onClick={() => go(at - 1)}
          >
            <Icon name="left" /> <span class="words">Previous</span>
          </button>
          <button type="button" class="main" title="Play and pause (Space)" onClick={play}>
            <Icon name={isPlaying ? 'pause' : isOver ? 'again' : 'play'} />{' '}
            <span class="words">{isPlaying ? 'Pause' : isOver ? 'Play again' : 'Play'}</span>
          </button>
          <button type="button" class="plain" title="Next transition (→)" disabled={isOver} onClick={() => go(at + 1)}>
            <span class="words">Next</span> <Icon name="right" />
          </button>
          <output id="said" for="position">
            {at + 1} of {moments.length} <span>·</span> <strong>{leaf}</strong>
          </output>
          <CopyButton text={location.href}>
            <span class="words">Copy link</span>
          </CopyButton>
        </div>
      </div>
      <Spent changes={fromStart(moments, began)} until={until} />
      {isOver ? null : (
        <p id="meaning">
          <Now meaning={now} isOver={false} /> {why} <code class="quiet">{moment.event}</code>
        </p>
      )}
      <div class={isOver ? 'replay over' : 'replay'}>
        <div>
          <Heading level={2} name="Statechart" question="Where was it, and where could it go?" />
          <Chart kind="task" states={moment.states} event={moment.event} before={moments[at - 1]?.states ?? []} />
        </div>
        <div>
          {isOver ? <Answer task={{ ...task, answer: answerOf(task) }} next={next} /> : null}
          <section class="seen" aria-labelledby="picture-title">
            <Heading level={2} id="picture-title" name="Picture" question="What was on the page?" />
            <Picture task={task} moment={moment} isRecorded={isRecorded} />
          </section>
          <Doing moment={moment} taskId={taskId} />
        </div>
      </div>
      <Tabs label="More of this task" chosen={tab} choose={openTab} tabs={tabsOf({ ...props, at, go, sentences })} />
    </>
  )
}

interface Parts extends PlayerProps {
  /** Where the replay is, and how it goes on; left out: there is none. */
  readonly at?: number
  readonly sentences?: Sentences | undefined
  go?(to: number): void
}

/** What happened in the whole task. */
function tabsOf({
  known: { sayings, moments, browser },
  api,
  workspaceId,
  taskId,
  at = 0,
  sentences,
  go,
}: Parts): Tab[] {
  const tabs: Tab[] = [
    conversationTab(
      sayings.length,
      <Conversation
        sayings={sayings}
        browser={browser}
        taskId={taskId}
        {...(go && {
          at: at === moments.length - 1 ? Number.POSITIVE_INFINITY : (moments[at] as Moment).at,
          momentOf: (then: number) => momentAt(moments, then),
        })}
      />,
    ),
  ]
  if (go)
    tabs.push({
      ...{ id: 'transitions', name: 'Transitions', count: moments.length, question: 'What happened, and when?' },
      content: <Moments moments={moments} at={at} go={go} sentences={sentences} />,
    })
  if (taskId !== null)
    tabs.push({
      ...{ id: 'webhooks', name: 'Webhook deliveries', count: null, question: 'What did the endpoints answer?' },
      content: <DeliveryList api={api} taskId={taskId} workspaceId={workspaceId} />,
    })
  return tabs
}

/** The first moment in which something that happened then was known. */
const momentAt = (moments: readonly Moment[], then: number): number => {
  const index = moments.findIndex(({ at }) => at >= then)
  return index < 0 ? moments.length - 1 : index
}

/** The first call under way with a picture of its page: who looks at the recorded task sees at once what a replay is. */
const firstSeen = (moments: readonly Moment[]): number =>
  Math.max(
    0,
    moments.findIndex((moment) => leafOf(moment) === 'acting' && picturesOf(moment.story.steps).length > 0),
  )

interface PictureProps extends Pick<Known, 'task'> {
  readonly isRecorded: boolean
  readonly moment: Moment
}

/** What the browser showed last. */
function Picture({ task, moment, isRecorded }: PictureProps) {
  const { story } = moment
  const picture = picturesOf(story.steps).at(-1)
  const address = !picture ? '' : isRecorded ? `${RECORDED}/${picture.number}.jpg` : addressOf(task.id, picture)
  return (
    <figure class="shot">
      {picture ? (
        <>
          <a href={address} target="_blank" rel="noreferrer" title="Open the whole picture in another tab">
            <img id="shot" src={address} alt={altOf(picture)} width={1280} height={800} />
          </a>
          <figcaption class="quiet">
            {[`Step ${picture.step}`, picture.words, story.address ?? task.url].filter(Boolean).join(' · ')}
          </figcaption>
        </>
      ) : (
        <figcaption class="empty">No screenshot before this step.</figcaption>
      )}
    </figure>
  )
}

/** The last step in which tools ran, with their results, and what the model said since. */
function Doing({ moment, taskId }: { readonly moment: Moment; readonly taskId: string | null }) {
  const { steps } = moment.story
  const from = Math.max(
    0,
    steps.findLastIndex(({ calls }) => calls.length > 0),
  )
  const shown = steps.slice(from)
  if (shown.length === 0) return <p class="empty">The model has not been asked yet.</p>
  return (
    <section class="steps" aria-labelledby="step-title">
      <Heading level={2} id="step-title" name="Step" question="What did the model say, and what did its tools do?" />
      <ol style={{ counterReset: `step ${from}` }}>
        {shown.map((step) => (
          <StepItem key={step.number} step={step} until={moment.at} openCall={openCallOf(step)} />
        ))}
      </ol>
      {taskId === null ? null : <Sent taskId={taskId} step={shown.at(-1)?.number ?? 0} />}
    </section>
  )
}

/** The call whose result is open: the last one, but not the end, which badge and answer tell. */
function openCallOf({ calls }: Step): string | null {
  const last = calls.at(-1)
  return last === undefined || last.tool === 'finish' ? null : last.id
}

interface MomentsProps {
  readonly moments: readonly Moment[]
  readonly at: number
  readonly sentences: Sentences | undefined
  go(to: number): void
}

function Moments({ moments, at, sentences, go }: MomentsProps) {
  const list = useRef<HTMLOListElement>(null)
  const began = moments[0]?.at ?? 0
  const width = useWidth(list)
  useEffect(() => {
    const { current } = list
    const shown = current?.children[at]
    if (!current || !(shown instanceof HTMLElement)) return
    current.scrollTop = shown.offsetTop - current.offsetTop - current.clientHeight / 2
    // Rows are higher where there is less room.
  }, [at, width])
  return (
    <>
      <div class="heads quiet" aria-hidden="true">
        {['Since start', 'State', 'Event', 'Meaning'].map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <ol ref={list} class="moves" tabIndex={0} aria-label="Transitions">
        {moments.map((moment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are never moved
          <li key={index}>
            <button
              type="button"
              class="move"
              aria-current={index === at ? 'true' : undefined}
              data-states={moment.states.join(' ')}
              onClick={() => go(index)}
            >
              <span class="quiet">+{exactSpan(moment.at - began)}</span> <strong>{leafOf(moment)}</strong>
              <span class="quiet">{moment.event}</span>
              <span class="quiet">{sentenceOf(moment, sentences)}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}

/** What its event and its state mean. */
function sentenceOf({ event, states }: Moment, sentences: Sentences | undefined): string | undefined {
  const [why, state] = [sentences?.events[event], meaningOf(sentences, states)]
  return [why, state && `It ${state}.`].filter(Boolean).join(' ') || undefined
}

/** The innermost state, without those that it is in. */
const leafOf = ({ states }: Moment): string => states.at(-1)?.split('.').at(-1) ?? ''
