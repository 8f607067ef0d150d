import { wrongAnswer } from '../../../machines/input-request.ts'
import { isUuid } from '../../../machines/uuid.ts'
import { NoFields } from '../../wire/account.ts'
import { InputAccepted, InputBody, MessageAccepted, MessageBody } from '../../wire/inputs.ts'
import { Task } from '../../wire/tasks.ts'
import type { HttpDeps } from '../deps.ts'
import { badField, refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, type Route } from '../route.ts'
import { costsOf, seqOf, taskJson } from './task-json.ts'

const tag = 'Tasks'
const action = 'access tasks'
const NO_TASK = { 404: ['task_not_found'] }

/** [I1–I4] What users say to their tasks. */
export function inputRoutes({ taskService, prices }: HttpDeps): readonly Route[] {
  const costOf = costsOf({ taskService, prices })
  const hold = (paused: boolean) =>
    keyRoute({
      method: 'POST',
      path: paused ? '/v1/tasks/:id/pause' : '/v1/tasks/:id/resume',
      action,
      body: NoFields,
      about: {
        summary: paused ? 'Pause a task' : 'Resume a task',
        tag,
        answers: { 200: Task },
        errors: { ...NO_TASK, 409: ['task_ended'] },
      },
      run: async ({ principal, params: [id = ''] }) => {
        const task = isUuid(id) ? await taskService.pauseTask(principal.workspaceId, id, paused) : 'not_found'
        if (task === 'not_found') return refuse('task_not_found')
        if (task === 'not_running') return refuse('task_ended')
        return json(200, taskJson(task, costOf, await seqOf(taskService, task), null))
      },
    })
  return [
    hold(true),
    hold(false),
    keyRoute({
      method: 'POST',
      path: '/v1/tasks/:id/messages',
      action,
      body: MessageBody,
      about: {
        summary: 'Send a message to a task',
        tag,
        answers: { 202: MessageAccepted },
        errors: { ...NO_TASK, 409: ['task_ended'] },
      },
      run: async ({ principal, params: [id = ''], body }) => {
        const message = { text: body.text, interrupt: body.interrupt === true }
        const sent = isUuid(id) ? await taskService.sendMessage(principal.workspaceId, id, message) : 'not_found'
        if (sent === 'sent') return json(202, { accepted: true })
        return refuse(sent === 'not_found' ? 'task_not_found' : 'task_ended')
      },
    }),
    keyRoute({
      method: 'POST',
      path: '/v1/tasks/:id/inputs/:request_id',
      action,
      body: InputBody,
      about: {
        summary: 'Answer an input request',
        tag,
        answers: { 200: InputAccepted },
        errors: { 400: ['content_required'], 404: ['task_not_found', 'input_not_found'], 409: ['input_answered'] },
      },
      run: async ({ principal, params: [id = '', requestId = ''], body }) => {
        const task = isUuid(id) ? await taskService.task(principal.workspaceId, id) : null
        if (task === null) return refuse('task_not_found')
        const asked = task.inputRequest
        const answer = { action: body.action, content: body.content, forTask: body.for === 'task' }
        const wrong = asked?.id === requestId ? wrongAnswer(asked, answer) : null
        if (wrong) return badField(wrong.code, wrong.message)
        const outcome = await taskService.answerInput(principal.workspaceId, id, requestId, answer)
        if (outcome === 'accepted') return json(200, { accepted: true })
        if (outcome === 'answered') return refuse('input_answered')
        return refuse(outcome === 'not_found' ? 'task_not_found' : 'input_not_found')
      },
    }),
  ]
}
