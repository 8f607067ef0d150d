import type { TaskView } from '../../../actors/task-service.ts'
import { MINUTE_MS, STEPS_MAX } from '../../../machines/limits.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../net/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { may, type Viewer } from '../viewer.ts'
import { app } from './app.ts'
import { framed } from './frame.ts'

type Deps = Pick<PagesDeps, 'store' | 'taskService' | 'ownPool'>

/** [P10] One task: its page reads the API and follows the log of events. */
export async function taskPage(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  task: TaskView,
  { store, taskService, ownPool }: Deps,
): Promise<Response> {
  const [kept, keys, starter] = await Promise.all([
    task.webhookUrl === null ? null : store.traces.get(task.id, 'webhook'),
    store.keys.list(workspace.id),
    starterOf(task, store),
  ])
  const key = keys.find(({ id }) => id === task.apiKeyId)
  return framed(
    task.task,
    { viewer, workspace, tab: '/dashboard', script: 'task.js' },
    app({
      page: 'task',
      workspaceId: workspace.id,
      mayAct: may(viewer, workspace, 'act'),
      models: taskService.models(),
      ownPool,
      taskId: task.id,
      maxSteps: task.maxSteps ?? STEPS_MAX,
      given: {
        startedBy: STARTED_BY[task.door] ?? starter,
        billedTo: key ? `the key “${key.name}”` : 'the workspace',
        webhook: task.webhookUrl === null ? null : { url: task.webhookUrl, said: webhookLine(task, kept) },
        context: task.context,
        approvals: task.approvals ?? 'never',
        askUser: task.asksUser ?? (task.approvals ?? 'never') !== 'never',
        allowedDomains: task.allowedDomains ?? null,
        secrets: (task.secrets ?? []).map(({ name }) => name),
        maxTokens: task.maxTokens ?? null,
        maxCostUsd: task.maxCostUsd ?? null,
      },
    }),
  )
}

/** Entries of the audit log that are looked through for the one of a start. */
const ENTRIES_READ = 100

/** Who started a task, as the audit log has it, which is written a moment later; `null`: not known. */
async function starterOf({ id, workspaceId, createdAt }: TaskView, { audit }: Deps['store']): Promise<string | null> {
  const after = { createdAt: createdAt + MINUTE_MS, id: '' }
  const records = await audit.list({ workspaceId, after, limit: ENTRIES_READ })
  const start = records.findLast(({ resource }) => resource === id)
  return start ? start.actor.name : null
}

const STARTED_BY: Readonly<Partial<Record<TaskView['door'], string>>> = {
  relay: 'the browser itself',
  internal: 'the schedule',
}

function webhookLine(task: TaskView, kept: string | null): string {
  if (task.status === 'running') return 'sent when the task ends'
  if (kept === null) return 'pending or unknown'
  const { status, reason } = JSON.parse(kept) as { status: number | null; reason: string | null }
  if (status === null) return `not delivered: ${reason}`
  return status >= 200 && status < 300 ? `delivered (${status})` : `rejected (${status})`
}
