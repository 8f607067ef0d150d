import type { TaskQuery } from './api.ts'
import type { IconName } from './icons.tsx'
import { Badge, type Tone } from './ui.tsx'

export type Look = readonly [words: string, tone: Tone, icon: IconName]

/** States of a running task, by the names that its machine and the API have for them. */
export const RUNNING: Readonly<Record<string, Look>> = {
  queued: ['Queued', 'wait', 'clock'],
  waitingForBrowser: ['Waiting for the browser', 'wait', 'browser'],
  waitingForInput: ['Waiting for you', 'wait', 'question'],
  paused: ['Paused', 'wait', 'pause'],
  backingOff: ['Waiting for the model', 'run', 'clock'],
  thinking: ['Thinking', 'run', 'play'],
  acting: ['Working', 'run', 'play'],
} satisfies Record<NonNullable<TaskQuery['state']>, Look>

const ENDED: Readonly<Record<string, string>> = {
  cancelled: 'Stopped',
  gave_up: 'Not achieved',
  signed_out: 'Signed out',
  no_finish: 'No result',
  step_limit: 'Out of steps',
  no_progress: 'No progress',
  budget: 'Budget used up',
  output_invalid: 'No fitting output',
  time_limit: 'Out of time',
  queue_timeout: 'Waited too long',
  browser_lost: 'Browser lost',
  model_failure: 'Model failed',
}

/** The state of a task in words. */
export function stateOf(task: {
  readonly status: string
  readonly state: string
  readonly ended_by: string | null
}): Look {
  if (task.status === 'complete') return ['Done', 'good', 'check']
  if (task.status === 'error') return [ENDED[task.ended_by ?? ''] ?? 'Failed', 'bad', 'cross']
  return RUNNING[task.state] ?? ['Running', 'run', 'play']
}

/** Whether it goes on by itself: it waits for nobody. */
export const isAtWork = (task: Parameters<typeof stateOf>[0]): boolean => stateOf(task)[1] === 'run'

export function StateBadge(task: Parameters<typeof stateOf>[0]) {
  const [words, tone, icon] = stateOf(task)
  return (
    <Badge tone={tone} icon={icon}>
      {words}
    </Badge>
  )
}
