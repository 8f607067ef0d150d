import type { BrowserTasks, InputAnswer } from '../client/index.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { uploaded } from './files.ts'
import { follow, sayEnding } from './follow.ts'
import { type SecretOptions, secretsOf } from './secrets.ts'
import { bold, Failed, onInterrupt, say } from './terminal.ts'

export interface RunCommandOptions extends ServiceOptions, SecretOptions {
  readonly url?: string
  readonly session?: string
  /** [Q13] Paths or URLs of files for the task. */
  readonly file?: readonly string[]
  /** [I10] The ended task to continue. */
  readonly continue?: string
  /** [I5] What it may be, the service says. */
  readonly approvals?: string
  readonly askUser?: boolean
  readonly allow?: readonly string[]
}

/** [Q6] Runs one task against a service and prints its steps as they happen. Resolves to whether it completed. */
export async function runCommand(task: string, options: RunCommandOptions): Promise<boolean> {
  const { session, url = null, continue: continued = null } = options
  const secrets = secretsOf(options, url)
  const client = clientOf(options)
  const before = continued === null ? null : await client.tasks.get(continued)
  const browserSessionId = session ?? before?.browser_session_id ?? (await newestBrowser(client))
  const started = await client.tasks.create({
    task,
    url,
    browser_session_id: browserSessionId,
    continue_task_id: continued,
    secrets,
    files: await uploaded(client, options.file ?? []),
    ...heldTo(options),
  })
  say(`Task ${bold(started.id)} in browser session ${browserSessionId}`)
  say()
  const interrupted = new AbortController()
  const forget = onInterrupt(() => interrupted.abort())
  const ended = await follow(client, started, { cancel: interrupted.signal })
  forget()
  if (ended) sayEnding(ended)
  return ended?.status === 'complete'
}

/** [F1, I3, I5] What was left out is left to the service. */
function heldTo({ approvals, askUser, allow = [] }: RunCommandOptions) {
  return {
    ...(approvals === undefined ? {} : { approvals: approvals as 'always' }),
    ...(askUser ? { ask_user: true } : {}),
    ...(allow.length > 0 ? { allowed_domains: [...allow] } : {}),
  }
}

/** [Q12] Prints the steps of a task from its start on, as they happen. Resolves to whether it completed. */
export async function followCommand(taskId: string, options: ServiceOptions): Promise<boolean> {
  const client = clientOf(options)
  const task = await client.tasks.get(taskId)
  say(bold(task.task))
  say()
  const interrupted = new AbortController()
  const forget = onInterrupt(() => interrupted.abort())
  const ended = await follow(client, task, { leave: interrupted.signal })
  forget()
  if (ended) sayEnding(ended)
  else say(`The task goes on. See it again: npx browser-task-service follow ${task.id}`)
  return ended?.status === 'complete'
}

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

async function newestBrowser({ browsers }: BrowserTasks): Promise<string> {
  const browser = await browsers.newest()
  if (browser) return browser.id
  throw new Failed(
    'No browser is connected. Start one: npx browser-task-service browser --url <service> --token <pairing token>',
  )
}
