import { messageOf, openApi, type Task } from '../api.ts'
import { nameOf, useBrowsers } from '../browsers/use-browsers.ts'
import { roughly, span, usd } from '../format.ts'
import { Icon } from '../icons.tsx'
import { StateBadge } from '../states.tsx'
import { markPage } from '../tasks/notices.ts'
import { choiceOf, StartForm } from '../tasks/start.tsx'
import { Ago, Button, Failure, Menu, useNow } from '../ui.tsx'
import { type ComponentChildren, useEffect, useMemo, useState } from '../view.ts'
import { Answer, NextStep } from './answer.tsx'
import { Details, type Given } from './details.tsx'
import { Files } from './files.tsx'
import { InputCard } from './input.tsx'
import { MessageBox } from './message.tsx'
import { picturesOf, Screen } from './screen.tsx'
import { ShareButton } from './share.tsx'
import { Steps } from './steps.tsx'
import { StopButton } from './stop-button.tsx'
import { useTask } from './use-task.ts'

export interface TaskPageProps {
  readonly workspaceId: string
  readonly taskId: string
  /** Whether the reader may do more than look on. */
  readonly mayAct: boolean
  readonly maxSteps: number
  readonly models: readonly string[]
  readonly ownPool: string | null
  readonly given: Given
}

/** One task: what it does now, what came of it, and every step. */
export function TaskPage({ workspaceId, taskId, mayAct, maxSteps, models, ownPool, given }: TaskPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { task, story, isAway, failed, readAgain } = useTask(api, taskId)
  const [refused, setRefused] = useState<string | null>(null)
  const { browsers } = useBrowsers(api)
  const now = useNow(task?.status !== 'complete' && task?.status !== 'error')
  const sessionId = task?.browser_session_id
  const needsYou = task?.input_request !== undefined
  useEffect(() => markPage(needsYou ? 1 : 0), [needsYou])

  if (task === null) return failed === null ? <p class="loading">Loading the task …</p> : <Failure message={failed} />
  const isRunning = task.status === 'running'
  const attempt = (act: () => Promise<unknown>) => async () => {
    setRefused(null)
    await act().then(readAgain, (error) => setRefused(messageOf(error)))
  }
  const pictures = picturesOf(story.steps)
  const isSeen = isRunning || pictures.length > 0
  const own = browsers?.find(({ id }) => id === sessionId)
  const browser = own ? nameOf(own) : browsers === null ? null : 'Removed browser'
  const continuing =
    isRunning || browsers === null || !mayAct ? null : (
      <StartForm
        {...{ api, workspaceId, browsers, models, ownPool }}
        title="Continue this task"
        continues={{ id: taskId, browser: choiceOf(task) }}
      />
    )
  const screen = isSeen ? <Screen {...{ api, task, story, pictures, now, mayAct }} /> : null
  // What is to be approved is seen beside it.
  const isApproval = mayAct && task.input_request?.kind === 'approval'
  return (
    <>
      <div class="summary">
        <p class="facts" role="status">
          <StateBadge {...task} />
          {isAway ? <span class="bad">The service does not answer. Connecting again …</span> : null}
        </p>
        <p class="facts quiet">
          {browser === null ? null : <span>{browser}</span>}
          <Ago at={task.created_at} now={now} />
          {task.state === 'paused' ? null : <span>{span((task.completed_at ?? now) - task.created_at)}</span>}
          {task.cost_usd === null ? null : <span>{usd(task.cost_usd)}</span>}
        </p>
        {mayAct ? <Actions task={task} attempt={attempt} api={api} workspaceId={workspaceId} /> : null}
      </div>
      <Held task={task} browser={browser} since={story.state === 'paused' ? story.stateAt : null} now={now}>
        {mayAct && isPaused(task) ? (
          <Button icon="play" kind="main" act={attempt(() => api.tasks.resume(task.id))}>
            Resume
          </Button>
        ) : null}
      </Held>
      <Failure message={refused ?? failed} />
      {task.input_request === undefined || !mayAct ? null : (
        <InputCard
          key={task.input_request.id}
          request={task.input_request}
          task={task}
          api={api}
          now={now}
          names={story.names}
          aside={isApproval ? screen : null}
          done={readAgain}
        />
      )}
      <div class={isSeen && !isApproval ? 'columns' : ''}>
        <div class={isRunning ? 'stage' : ''}>
          {isRunning ? null : (
            <Answer task={task} next={mayAct ? <NextStep task={task} workspaceId={workspaceId} /> : null} />
          )}
          {task.status === 'error' ? continuing : null}
          {isApproval ? null : screen}
          {isRunning && mayAct && task.input_request === undefined ? <MessageBox taskId={taskId} api={api} /> : null}
        </div>
        <Steps task={task} story={story} now={now} maxSteps={maxSteps} />
      </div>
      <Files api={api} task={task} downloads={story.downloads} />
      {task.status === 'error' ? null : continuing}
      <Details api={api} workspaceId={workspaceId} task={task} story={story} browser={browser} given={given} />
    </>
  )
}

interface HeldProps {
  readonly task: Task
  readonly browser: string | null
  /** Since when it is paused; `null`: not known. */
  readonly since: number | null
  readonly now: number
  /** What ends it from here. */
  readonly children: ComponentChildren
}

/** Whether it was paused on the dashboard or by a program: only who has the tab can hand it back. */
const isPaused = ({ paused_by: by = [] }: Task): boolean => by.includes('client')

/** Who has taken over, where and since when. */
function Held({ task, browser, since, now, children }: HeldProps) {
  const { paused_by: by = [] } = task
  if (task.status !== 'running' || by.length === 0) return null
  const ago = since === null ? '' : ` ${roughly(now - since)} ago`
  return (
    <div class="held">
      <p>
        <Icon name={by.includes('browser') ? 'hand' : 'pause'} />{' '}
        {by.includes('browser')
          ? `Someone took over in ${browser ?? 'the browser'}${ago}. The task resumes when they press Hand back there, in the panel of the extension.`
          : `Paused${ago} on the dashboard or by a program. Meanwhile you can work in ${browser ?? 'the browser'}; Resume hands it back.`}
        {by.length > 1 ? ' It is paused on the dashboard or by a program, too.' : ''}
      </p>
      {children}
    </div>
  )
}

interface ActionsProps {
  readonly task: Task
  readonly workspaceId: string
  readonly api: ReturnType<typeof openApi>
  attempt(act: () => Promise<unknown>): () => Promise<void>
}

/** Only secure pages have a clipboard. */
async function copy(text: string): Promise<void> {
  if (!navigator.clipboard) throw new Error('Copying is not allowed on this page.')
  await navigator.clipboard.writeText(text)
}

function Actions({ task, workspaceId, api, attempt }: ActionsProps) {
  if (task.status === 'running') {
    return (
      <div class="actions">
        {task.state === 'queued' || task.state === 'paused' ? null : (
          <Button icon="pause" act={attempt(() => api.tasks.pause(task.id))}>
            Pause
          </Button>
        )}
        <StopButton stop={attempt(() => api.tasks.cancel(task.id))} />
      </div>
    )
  }
  const { answer } = task
  const isDone = task.status === 'complete'
  const again = async () => {
    const { id } = await api.tasks.rerun(task.id)
    location.assign(`/dashboard/tasks/${id}?workspace=${workspaceId}`)
  }
  const remove = async () => {
    await api.tasks.delete(task.id)
    location.assign(`/dashboard?workspace=${workspaceId}`)
  }
  return (
    <div class="actions">
      <Button icon="again" kind={isDone ? 'main' : 'plain'} act={attempt(again)}>
        Run again
      </Button>
      <ShareButton api={api} taskId={task.id} />
      <Menu
        of="this task"
        items={[
          ...(isDone && answer ? [{ words: 'Copy answer', act: attempt(() => copy(answer)) }] : []),
          { words: 'Print', act: () => print() },
          {
            words: 'Delete',
            ends: true,
            question: 'Delete this task with its steps and pictures? This cannot be undone.',
            act: attempt(remove),
          },
        ]}
      />
    </div>
  )
}
