import type { TaskService } from '../../actors/task-service.ts'
import type { AuditAction, AuditActor } from '../../machines/audit-records.ts'
import type { Accounts, RequestOriginOf } from '../api/deps.ts'
import type { Audit } from '../identity/audit.ts'
import { AUTH_PATH } from '../identity/path.ts'
import { roleOf } from '../identity/roles.ts'
import type { OnUser } from '../identity/sign-in.ts'

const browser = (id: string): AuditActor => ({ kind: 'browser', id, name: 'side panel', role: null })

/** [O11] Notes what people do to tasks in the side panel of their browser. */
export const auditedForBrowsers = (service: TaskService, audit: Pick<Audit, 'note'>): TaskService => {
  /** The relay lets a browser reach the tasks of its own session alone. */
  const note = async (action: string, workspaceId: string, taskId: string) => {
    const task = await service.task(workspaceId, taskId).catch(() => null)
    audit.note({ workspaceId, action, actor: browser(task?.browserSessionId ?? ''), resource: taskId })
  }
  return {
    ...service,
    async startTask(start) {
      const answer = await service.startTask(start)
      const { workspaceId, apiKeyId: keyId, request } = start
      const actor = browser(request.browserSessionId)
      if (answer.ok) audit.note({ workspaceId, action: 'createTask', actor, keyId, resource: answer.task.id })
      return answer
    },
    async cancelTask(workspaceId, taskId, by) {
      const answer = await service.cancelTask(workspaceId, taskId, by)
      if (typeof answer !== 'string') void note('cancelTask', workspaceId, taskId)
      return answer
    },
    async sendMessage(workspaceId, taskId, message) {
      const answer = await service.sendMessage(workspaceId, taskId, message)
      if (answer === 'sent') void note('sendMessage', workspaceId, taskId)
      return answer
    },
    async answerInput(workspaceId, taskId, requestId, given) {
      const answer = await service.answerInput(workspaceId, taskId, requestId, given)
      if (answer === 'accepted') void note('answerInput', workspaceId, taskId)
      return answer
    },
  }
}

/** [O11] Notes the tasks that the schedule starts: those that several nodes start are one, under the id of the task. */
export const auditedForSchedule = (
  service: Pick<TaskService, 'startTask' | 'task'>,
  audit: Pick<Audit, 'note'>,
): Pick<TaskService, 'startTask' | 'task'> => ({
  task: service.task,
  async startTask(start) {
    const answer = await service.startTask(start)
    const actor: AuditActor = { kind: 'schedule', id: null, name: 'schedule', role: null }
    if (answer.ok) {
      const { id } = answer.task
      audit.note({ id, workspaceId: start.workspaceId, action: 'createTask', actor, resource: id })
    }
    return answer
  },
})

/** [O11] Notes what a user did in each workspace that the user belongs to. */
export const notesUsers =
  (audit: Pick<Audit, 'note'>): OnUser =>
  (action, { userId, name, email, workspaces }, address) => {
    for (const workspace of workspaces) {
      const actor = { kind: 'user', id: userId, name: `${name} (${email})`, role: roleOf(workspace, userId) } as const
      audit.note({ workspaceId: workspace.id, action, actor, resource: userId, address })
    }
  }

const ACTIONS: Readonly<Record<string, AuditAction>> = {
  [`${AUTH_PATH}/sign-out`]: 'signOut',
  [`${AUTH_PATH}/change-password`]: 'changePassword',
}

/** [O11] Tells of sign-outs and changed passwords, for which the library has no listener. */
export const auditedAccounts = (
  accounts: Accounts,
  { requestOriginOf, onUser }: { readonly requestOriginOf: RequestOriginOf; readonly onUser: OnUser },
): Accounts => ({
  ...accounts,
  async handle(request, isInvited) {
    const action = request.method === 'POST' ? ACTIONS[request.path] : undefined
    const user = action ? await accounts.principalOf(request.headers) : null
    const answer = await accounts.handle(request, isInvited)
    if (action && user && answer.status < 400) onUser(action, user, requestOriginOf(request).address)
    return answer
  },
})
