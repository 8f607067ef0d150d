import { SECOND_MS } from '../../../machines/limits.ts'
import { isUuid } from '../../../machines/uuid.ts'
import { createShares } from '../../identity/shares.ts'
import { Deleted } from '../../wire/sessions.ts'
import { CreatedShare, CreateShareBody, Share, SharedResult } from '../../wire/shares.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, publicRoute, type Route } from '../route.ts'

const tag = 'Tasks'
const action = 'access tasks'
const NO_TASK = { 404: ['task_not_found'] }

/** [V12] The link to the result of a task, and what it opens. */
export function shareRoutes(deps: HttpDeps): readonly Route[] {
  const { taskService, store, clock, requestOriginOf } = deps
  const shares = createShares(store, clock)
  const taskOf = async (workspaceId: string, id: string) =>
    isUuid(id) ? await taskService.task(workspaceId, id) : null
  return [
    keyRoute({
      method: 'POST',
      path: '/v1/tasks/:id/share',
      action,
      body: CreateShareBody,
      about: {
        summary: 'Share a result',
        tag,
        answers: { 201: CreatedShare },
        errors: { ...NO_TASK, 409: ['task_running'] },
      },
      run: async ({ request, principal: { workspaceId, keyId, actor }, params: [id = ''], body }) => {
        const task = await taskOf(workspaceId, id)
        if (task === null) return refuse('task_not_found')
        if (task.status === 'running') return refuse('task_running')
        const made = await shares.create(
          { taskId: task.id, workspaceId, keyId, createdBy: actor },
          body.expires_in_s * SECOND_MS,
        )
        const { createdAt, expiresAt } = made.share
        const url = `${requestOriginOf(request).origin}/shared/${made.token}`
        return json(201, { url, token: made.token, created_at: createdAt, expires_at: expiresAt })
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id/share',
      action,
      about: { summary: 'Get the share of a result', tag, answers: { 200: Share }, errors: NO_TASK },
      run: async ({ principal: { workspaceId }, params: [id = ''] }) => {
        const task = await taskOf(workspaceId, id)
        if (task === null) return refuse('task_not_found')
        const share = await shares.of(task.id)
        return json(200, {
          created_by: share?.createdBy ?? null,
          created_at: share?.createdAt ?? null,
          expires_at: share?.expiresAt ?? null,
        })
      },
    }),
    keyRoute({
      method: 'DELETE',
      path: '/v1/tasks/:id/share',
      action,
      about: { summary: 'Stop sharing a result', tag, answers: { 200: Deleted }, errors: NO_TASK },
      run: async ({ principal: { workspaceId }, params: [id = ''] }) => {
        const task = await taskOf(workspaceId, id)
        if (task === null) return refuse('task_not_found')
        await shares.end(task.id)
        return json(200, { id: task.id, deleted: true })
      },
    }),
    publicRoute({
      method: 'GET',
      path: '/v1/shared/:token',
      about: {
        summary: 'Get a shared result',
        tag,
        answers: { 200: SharedResult },
        errors: { 404: ['share_not_found'] },
      },
      run: async ({ params: [token = ''] }) => {
        const share = await shares.find(token)
        const task = share && (await taskOf(share.workspaceId, share.taskId))
        if (!task) return refuse('share_not_found')
        const { ungrounded } = (await taskService.grounding(task)) ?? { ungrounded: null }
        return json(200, {
          task: task.task,
          status: task.status,
          ended_by: task.endedBy,
          answer: task.answer,
          output: task.output ? JSON.parse(task.output) : null,
          ungrounded: ungrounded && [...ungrounded],
          created_at: task.createdAt,
          completed_at: task.completedAt,
          expires_at: share.expiresAt,
        } satisfies SharedResult)
      },
    }),
  ]
}
