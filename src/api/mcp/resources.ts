import type { BrowserTasks } from '../../client/index.ts'
import { type McpServer, ResourceTemplate } from './protocol.ts'

const LOG = 'browser-task://tasks/{task_id}/events'
const SCREENSHOT = 'browser-task://tasks/{task_id}/screenshots/{step}'
const EVENTS_MAX = 1_000

/** [Y15] What can be read of a task: the log of its events, and its screenshots. */
export function registerResources(server: McpServer, client: Pick<BrowserTasks, 'tasks' | 'request'>): void {
  server.registerResource(
    'task-events',
    new ResourceTemplate(LOG, { list: undefined }),
    {
      title: 'The events of a task',
      description: `What happened in a task, in order: its first ${EVENTS_MAX} events as JSON.`,
      mimeType: 'application/json',
    },
    async ({ href }, { task_id }) => {
      const path = { id: String(task_id) }
      const page = await client.request('GET /v1/tasks/{id}/events', { path, query: { limit: EVENTS_MAX } })
      return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(page.data) }] }
    },
  )
  server.registerResource(
    'task-screenshot',
    new ResourceTemplate(SCREENSHOT, { list: undefined }),
    { title: 'A screenshot of a task', description: 'What the browser showed at a step.', mimeType: 'image/jpeg' },
    async ({ href }, { task_id, step }) => {
      const image = await client.tasks.screenshot(String(task_id), Number(step))
      if (image === null) throw new Error('There is no screenshot of this step.')
      const blob = Buffer.from(await image.arrayBuffer()).toString('base64')
      return { contents: [{ uri: href, mimeType: 'image/jpeg', blob }] }
    },
  )
}

/** Links to what can be read of a task. */
export const linksTo = ({ task_id }: { readonly task_id: string }) => [
  {
    type: 'resource_link' as const,
    uri: LOG.replace('{task_id}', task_id),
    name: 'task-events',
    title: 'What happened in the task',
    mimeType: 'application/json',
  },
]

/** A link to the screenshot of a step. */
export const screenshotLink = (taskId: string, step: number) => ({
  type: 'resource_link' as const,
  uri: SCREENSHOT.replace('{task_id}', taskId).replace('{step}', String(step)),
  name: 'task-screenshot',
  title: `Screenshot of step ${step}`,
  mimeType: 'image/jpeg',
})
