import { sentenceOf } from '../../../../machines/approval.ts'
import type { Api, TaskSummary } from '../api.ts'
import { roughly } from '../format.ts'
import { Icon } from '../icons.tsx'
import { InputCard } from '../task/input.tsx'
import { Button } from '../ui.tsx'
import { useState } from '../view.ts'
import type { Notices } from './notices.ts'

interface NeedsYouProps {
  readonly api: Api
  readonly workspaceId: string
  /** The tasks that need an answer. */
  readonly tasks: readonly TaskSummary[]
  /** Whether the reader may answer. */
  readonly mayAct: boolean
  readonly now: number
  done(): Promise<unknown>
}

/** The tasks that wait for a person: what each asks, and its answer, without leaving the list. */
export const NeedsYou = ({ tasks, ...rest }: NeedsYouProps) =>
  tasks.length === 0 ? null : (
    <section class="needs-you" aria-labelledby="needs-you-title">
      <h2 id="needs-you-title">
        <Icon name="question" /> Needs you <span class="quiet">{tasks.length}</span>
      </h2>
      <ul>
        {tasks.map((task) => (
          <Asking key={task.id} task={task} {...rest} />
        ))}
      </ul>
    </section>
  )

interface AskingProps extends Omit<NeedsYouProps, 'tasks'> {
  readonly task: TaskSummary
}

function Asking({ api, workspaceId, task, mayAct, now, done }: AskingProps) {
  const [isOpen, setOpen] = useState(false)
  const { id, input_request: request } = task
  if (request === undefined) return null
  const verb = request.kind === 'approval' ? 'Review' : 'Answer'
  return (
    <li>
      <p class="asked">
        <a href={`/dashboard/tasks/${id}?workspace=${workspaceId}`}>{task.task}</a>
      </p>
      {isOpen ? null : (
        <p class="words">{request.call === null ? request.message : <strong>{sentenceOf(request.call)}</strong>}</p>
      )}
      {isOpen ? (
        <InputCard request={request} task={task} api={api} now={now} done={done} />
      ) : (
        <p class="facts">
          {mayAct ? (
            <Button kind="main" label={`${verb}: ${task.task}`} act={() => setOpen(true)}>
              {verb}
            </Button>
          ) : null}
          <span class="quiet">{roughly(Math.max(0, request.expires_at - now))} left</span>
        </p>
      )}
    </li>
  )
}

/** Turns notifications of this browser on and off. */
export function NoticeSwitch({ notices: { state, turnOn, turnOff } }: { readonly notices: Notices }) {
  if (state === 'unavailable') return null
  if (state === 'blocked')
    return <p class="quiet">Notifications are blocked in this browser. Allow them in its settings for this site.</p>
  return (
    <p class="facts quiet">
      <Button act={state === 'on' ? turnOff : turnOn}>
        {state === 'on' ? 'Turn off notifications' : 'Notify me when a task needs me'}
      </Button>
      {state === 'on' ? <span>This page notifies you while it is open, also in the background.</span> : null}
      <a href="/dashboard/account">By e-mail</a>
    </p>
  )
}
