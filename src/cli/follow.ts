import type { BrowserTasks, Task, TaskEvent } from '../client/index.ts'
import { durationOf } from '../wire/duration.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { EXIT } from './exit-codes.ts'
import { onInterrupt } from './interrupt.ts'
import { invocation } from './invocation.ts'
import { StepPrinter } from './steps.ts'
import { bold, dim, green, pairs, red, say } from './terminal.ts'

/** How a task is followed. */
export interface FollowOptions {
  /** When it aborts, the task is cancelled. */
  readonly cancel?: AbortSignal
  /** Aborting it ends the following; the task goes on. */
  readonly leave?: AbortSignal
  /** Ends the following when the task needs an answer. */
  readonly leaveWhenAsked?: boolean
  /** Each event, after it was printed. */
  readonly onEvent?: (event: TaskEvent) => Promise<void>
}

/**
 * Prints a task's steps as they happen until it has ended, and resolves to the finished task; over restarts of the
 * service, too. `null` when it was left.
 */
export async function follow(
  { tasks }: BrowserTasks,
  task: { readonly id: string; readonly created_at: number },
  { cancel, leave, leaveWhenAsked = false, onEvent = async () => {} }: FollowOptions,
): Promise<Task | null> {
  const stop = new AbortController()
  const left = () => stop.abort()
  const cancelled = () => {
    // It may have ended by itself; who cannot be reached cannot be told.
    tasks
      .cancel(task.id)
      .catch(() => tasks.get(task.id))
      .catch(() => stop.abort())
  }
  leave?.addEventListener('abort', left, { once: true })
  if (cancel?.aborted) cancelled()
  else cancel?.addEventListener('abort', cancelled, { once: true })
  const printer = new StepPrinter(task.created_at)
  let away = false
  const onAway = (isAway: boolean) => {
    if (isAway !== away) say(dim(isAway ? '   The service is not responding. Reconnecting…' : '   Connected again.'))
    away = isAway
  }
  try {
    for await (const event of tasks.events(task.id, { signal: stop.signal, onAway })) {
      printer.print(event)
      await onEvent(event)
      if (!leaveWhenAsked || event.type !== 'input.requested') continue
      const asking = await tasks.get(task.id)
      if (asking.state === 'waitingForInput') return asking
    }
  } finally {
    leave?.removeEventListener('abort', left)
    cancel?.removeEventListener('abort', cancelled)
  }
  return leave?.aborted ? null : tasks.get(task.id)
}

/** Prints how a task ended: answer, duration, usage, and what `more` tells. */
export function sayEnding(task: Task, more: readonly (readonly [name: string, value: string])[] = []): void {
  const complete = task.status === 'complete'
  const { inputTokens, outputTokens, apiCalls } = task.usage
  say()
  say(`${complete ? green('✔') : red('✘')} ${bold(task.answer ?? '')}`)
  say()
  say(
    pairs([
      ['Status', complete ? 'complete' : `${task.status} (${task.ended_by ?? 'unknown'})`],
      ['Took', `${durationOf((task.completed_at ?? task.created_at) - task.created_at)}, ${steps(task.steps)}`],
      ['Usage', `${inputTokens} tokens in, ${outputTokens} out, ${apiCalls} model calls`],
      ...(task.recipe ? [['Recipe', recipeWords(task.recipe)] as const] : []),
      ...more,
    ]),
  )
}

/** How the recipe of a task was used: it was made, played to its end, or left at a step. */
const recipeWords = ({ id, version, played, deviation }: NonNullable<Task['recipe']>): string =>
  deviation
    ? `${id}: ${steps(played)} played; at step ${deviation.step} the page was another one`
    : played > 0
      ? `${id}, version ${version}: ${steps(played)} played`
      : `made: ${id}, version ${version}`

const steps = (count: number): string => (count === 1 ? '1 step' : `${count} steps`)

/** Whether somebody is there who can answer what a task asks. */
export const isAttended = (): boolean => process.stdin.isTTY === true

/** Says how a task ended, or how to go on with one that asks. Gives the exit code. */
export function sayOutcome(task: Task): number {
  if (task.state === 'waitingForInput') {
    say(`The task waits for this answer. Then: ${invocation.command} follow ${task.id}`)
    return EXIT.needsInput
  }
  sayEnding(task)
  return task.status === 'complete' ? EXIT.done : EXIT.failed
}

/** [Q12 Q15] Prints the steps of a task from its start on, as they happen. Resolves to the exit code. */
export async function followCommand(taskId: string, options: ServiceOptions): Promise<number> {
  const client = clientOf(options)
  const task = await client.tasks.get(taskId)
  say(bold(task.task))
  say()
  const interrupted = new AbortController()
  const forget = onInterrupt(() => interrupted.abort())
  const followed = await follow(client, task, { leave: interrupted.signal, leaveWhenAsked: !isAttended() })
  forget()
  if (followed !== null) return sayOutcome(followed)
  say(`The task goes on. See it again: ${invocation.command} follow ${task.id}`)
  return EXIT.failed
}
