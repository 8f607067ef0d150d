import type { InputAnswer } from '../client/index.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { say } from './terminal.ts'

/** [I8] Answers what a task asks its user. */
export async function answerCommand(
  [taskId = '', requestId = '', action = '', content]: readonly string[],
  { forTask, ...options }: ServiceOptions & { readonly forTask?: boolean },
): Promise<void> {
  // What the action may be, the service says.
  const answer = {
    action: action as InputAnswer['action'],
    ...(content === undefined ? {} : { content }),
    ...(forTask ? { for: 'task' as const } : {}),
  }
  await clientOf(options).tasks.answer(taskId, requestId, answer)
  say('Answered.')
}

/** [I8] Pauses, resumes or ends a task, or says something to it. */
export async function steerCommand(
  what: 'pause' | 'resume' | 'cancel' | 'message',
  taskId: string,
  text: string,
  options: ServiceOptions,
): Promise<void> {
  const { tasks } = clientOf(options)
  await (what === 'message' ? tasks.message(taskId, text) : tasks[what](taskId))
  say({ pause: 'Paused.', resume: 'Resumed.', cancel: 'Cancelled.', message: 'Sent.' }[what])
}
