import { roughly } from '../../web/client/format.ts'
import { Icon, type IconName } from '../../web/client/icons.tsx'
import { Markdown } from '../../web/client/markdown.tsx'
import { Badge, Button, type Tone, useNow } from '../../web/client/ui.tsx'
import { useEffect, useState } from '../../web/client/view.ts'
import type { PanelStep, PanelTask } from '../panel-state.ts'
import { MessageForm } from './message-form.tsx'
import type { Act } from './panel.tsx'
import { Request } from './request.tsx'

/** Of what runs, the last steps are in sight; the others are one click away. */
const STEPS_SHOWN = 4

interface TaskCardProps {
  readonly task: PanelTask
  /** Of the service. */
  readonly origin: string | null
  readonly act: Act
  goOn?(task: PanelTask): void
}

/** One task: its text, status, steps with pictures and answer, and what the user can do about it. */
export function TaskCard({ task, origin, act, goOn }: TaskCardProps) {
  const { taskId, steps, status } = task
  const isRunning = status === 'running'
  const now = useNow(isRunning)
  const titleId = `title-${taskId}`
  const older = steps.slice(0, isRunning ? Math.max(0, steps.length - STEPS_SHOWN) : steps.length)
  const recent = steps.slice(older.length)
  const [words, tone, icon] = standing(task)
  return (
    <article class="card" aria-labelledby={titleId}>
      <h3 id={titleId}>{task.task || 'A task'}</h3>
      <p class="facts">
        <span role="status">
          <Badge tone={tone} icon={icon}>
            {words}
          </Badge>
        </span>
        <span class="quiet">{roughly((task.endedAt ?? now) - task.startedAt)}</span>
      </p>
      {isRunning && task.input ? <Request taskId={taskId} request={task.input} /> : null}
      {task.answer === null ? null : <Markdown text={task.answer} />}
      {older.length === 0 ? null : (
        <details>
          <summary>{isRunning ? `${count(older.length).replace(' ', ' earlier ')}` : count(older.length)}</summary>
          <Steps steps={older} />
        </details>
      )}
      <Steps steps={recent} />
      {isRunning ? (
        <>
          <div class="actions">
            <Button icon="eye" act={() => act({ type: 'show', taskId })}>
              Show tab
            </Button>
          </div>
          {task.input ? null : <MessageForm taskId={taskId} />}
        </>
      ) : null}
      <p class="facts quiet">
        {isRunning || !goOn ? null : (
          <Button icon="right" act={() => goOn(task)}>
            Continue
          </Button>
        )}
        {origin === null ? null : (
          <a href={`${origin}/dashboard/tasks/${taskId}`} target="_blank" rel="noreferrer">
            Details
          </a>
        )}
      </p>
    </article>
  )
}

const WAITS = {
  question: 'Waiting for your answer',
  approval: 'Waiting for your approval',
  takeover: 'Waiting for you',
} as const

const count = (actions: number): string => (actions === 1 ? '1 action' : `${actions} actions`)

/** Its state in words, and who has the tab. */
function standing({ status, paused, pausedElsewhere, input }: PanelTask): readonly [string, Tone, IconName] {
  if (status === 'complete') return ['Done', 'good', 'check']
  if (status === 'error') return ['Ended without success', 'bad', 'cross']
  if (paused) return ['You have taken over', 'wait', 'hand']
  if (pausedElsewhere) return ['Paused on the dashboard or by a program', 'wait', 'pause']
  if (input !== null) return [WAITS[input.kind], 'wait', 'question']
  return ['Running in this browser', 'run', 'play']
}

const LOOKS = {
  doing: ['clock', 'under way'],
  done: ['check', 'done'],
  failed: ['cross', 'failed'],
  said: ['chat', 'you said'],
} as const satisfies Record<PanelStep['state'], readonly [IconName, string]>

const Steps = ({ steps }: { readonly steps: readonly PanelStep[] }) =>
  steps.length === 0 ? null : (
    <ol class="steps">
      {steps.map((step, at) => {
        const [icon, spoken] = LOOKS[step.state]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no ids, and their order stays
          <li key={at} class={step.state}>
            <Icon name={icon} />
            <span class="hidden">{spoken}: </span>
            <span class="words">{step.words}</span>
            {step.thumbnail === null ? null : <Picture of={step.thumbnail} words={step.words} />}
          </li>
        )
      })}
    </ol>
  )

/** A picture that the worker keeps beside the steps. */
function Picture({ of, words }: { readonly of: string; readonly words: string }) {
  const [jpeg, setJpeg] = useState<string | null>(null)
  useEffect(() => {
    void chrome.storage.session.get(of).then(({ [of]: kept }) => {
      if (typeof kept === 'string') setJpeg(kept)
    })
  }, [of])
  return jpeg === null ? null : <img src={`data:image/jpeg;base64,${jpeg}`} alt={`The page after: ${words}`} />
}
