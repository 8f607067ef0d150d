import { setTimeout } from 'node:timers/promises'
import { durationOf } from '../wire/duration.ts'
import type { Task } from '../wire/tasks.ts'
import type { ServiceClient } from './client.ts'
import { StepPrinter } from './steps.ts'
import { bold, green, pairs, red, say } from './terminal.ts'

const LOOK_EVERY_MS = 150

/**
 * Prints a task's steps as they happen until it has ended, and resolves to the finished task.
 * When `signal` aborts, the task is cancelled first. `onLook` is given the task each time that it was looked at.
 */
export async function follow(
  client: ServiceClient,
  task: { readonly id: string; readonly created_at: number },
  signal: AbortSignal,
  onLook: (task: Task) => Promise<void> = async () => {},
): Promise<Task> {
  const printer = new StepPrinter(task.created_at)
  for (;;) {
    if (signal.aborted) await client.cancel(task.id).catch(() => {}) // it may have ended by itself
    const now = await client.task(task.id)
    // Asked for after the task: of a finished one these are all.
    printer.print(await client.steps(task.id))
    if (now.status !== 'running') return now
    await onLook(now)
    await setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
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
      ['Took', `${durationOf((task.completed_at ?? task.created_at) - task.created_at)}, ${task.steps} steps`],
      ['Usage', `${inputTokens} tokens in, ${outputTokens} out, ${apiCalls} model calls`],
      ...more,
    ]),
  )
}
