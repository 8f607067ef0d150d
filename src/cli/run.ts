import { ServiceClient } from './client.ts'
import { follow, sayEnding } from './follow.ts'
import { bold, Failed, onInterrupt, say } from './terminal.ts'

export interface RunCommandOptions {
  readonly url?: string
  readonly service: string
  readonly key?: string
  readonly session?: string
}

/** [Q6] Runs one task against a service and prints its steps as they happen. Resolves to whether it completed. */
export async function runCommand(task: string, options: RunCommandOptions): Promise<boolean> {
  const { service, key, session, url = null } = options
  if (!key) throw new Failed('No key given. Use --key or set BROWSER_TASK_KEY.')
  const client = new ServiceClient(service, key)
  const browserSessionId = session ?? (await connectedSession(client))
  const started = await client.start({ task, url, browserSessionId })
  say(`Task ${bold(started.id)} in browser session ${browserSessionId}`)
  say()
  const interrupted = new AbortController()
  const forget = onInterrupt(() => interrupted.abort())
  const ended = await follow(client, started, { cancel: interrupted.signal })
  forget()
  if (ended) sayEnding(ended)
  return ended?.status === 'complete'
}

/** [Q12] Prints the steps of a task from its start on, as they happen. Resolves to whether it completed. */
export async function followCommand(taskId: string, { service, key }: RunCommandOptions): Promise<boolean> {
  if (!key) throw new Failed('No key given. Use --key or set BROWSER_TASK_KEY.')
  const client = new ServiceClient(service, key)
  const task = await client.task(encodeURIComponent(taskId))
  say(bold(task.task))
  say()
  const interrupted = new AbortController()
  const forget = onInterrupt(() => interrupted.abort())
  const ended = await follow(client, task, { leave: interrupted.signal })
  forget()
  if (ended) sayEnding(ended)
  else say(`The task goes on. See it again: npx browser-task follow ${task.id}`)
  return ended?.status === 'complete'
}

/** [I8] Answers what a task asks its user. */
export async function answerCommand(
  [taskId, requestId, action, content]: readonly string[],
  { service, key }: RunCommandOptions,
): Promise<void> {
  if (!key) throw new Failed('No key given. Use --key or set BROWSER_TASK_KEY.')
  const client = new ServiceClient(service, key)
  const [task = '', request = ''] = [taskId, requestId].map((each) => encodeURIComponent(each ?? ''))
  await client.answer(task, request, action ?? '', content ?? null)
  say('Answered.')
}

/** The browser that connected last. */
async function connectedSession(client: ServiceClient): Promise<string> {
  const sessions = await client.sessions()
  const [newest] = sessions
    .filter(({ status }) => status === 'connected')
    .sort((a, b) => (b.connected_at ?? 0) - (a.connected_at ?? 0))
  if (!newest)
    throw new Failed(
      'No browser is connected. Start one: npx browser-task browser --url <service> --token <pairing token>',
    )
  return newest.id
}
