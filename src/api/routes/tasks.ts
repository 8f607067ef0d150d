import { LRUCache } from 'lru-cache'
import type * as v from 'valibot'
import { runningTasks } from '../../../actors/running-tasks.ts'
import type { TaskPage } from '../../../actors/runtime/ports.ts'
import type { TaskService, TaskView } from '../../../actors/task-service.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import { isUuid } from '../../../machines/uuid.ts'
import type { Response } from '../../net/transport.ts'
import { pageOf } from '../../wire/list.ts'
import { Deleted } from '../../wire/sessions.ts'
import {
  CancelBody,
  Screenshot,
  StepList,
  StepListQuery,
  Task,
  TaskList,
  TaskListQuery,
  TaskQuery,
} from '../../wire/tasks.ts'
import { accepts } from '../accepts.ts'
import { auditActorOf } from '../audited.ts'
import type { HttpDeps } from '../deps.ts'
import { isSettled, whenSettled } from '../events/wait.ts'
import { FINISHED_TASK_CACHED_CHARS_MAX, FINISHED_TASKS_CACHED_CHARS_MAX, VIEWERS_MAX } from '../limits.ts'
import { refuse } from '../refusals.ts'
import { json, jsonText } from '../replies.ts'
import { keyRoute, type Principal, type Route } from '../route.ts'
import { cursorOf, positionOf } from './cursor.ts'
import { inputRoutes } from './task-inputs.ts'
import { type CostOf, costsOf, stepPage, summaryJson, wholeTask } from './task-json.ts'
import { startRoutes } from './task-start.ts'

const tag = 'Tasks'
const action = 'access tasks'
const NO_TASK = { 404: ['task_not_found'] }

/** [T1–T23, T42–T58] Starting, reading, cancelling and deleting tasks. */
export function taskRoutes(deps: HttpDeps): readonly Route[] {
  const { taskService, clock } = deps
  const costOf = costsOf(deps)
  const whole = wholeTask(deps)
  // A finished task never changes, and its turns are in as many rows of its journal as it made steps.
  const finished = new LRUCache<string, string>({
    maxSize: FINISHED_TASKS_CACHED_CHARS_MAX,
    maxEntrySize: FINISHED_TASK_CACHED_CHARS_MAX,
    sizeCalculation: (text) => text.length,
  })
  return [
    ...startRoutes(deps),
    ...inputRoutes(deps),
    keyRoute({
      method: 'GET',
      path: '/v1/tasks',
      action,
      query: TaskListQuery,
      about: { summary: 'List tasks', tag, answers: { 200: TaskList } },
      run: ({ principal, query }) => list(taskService, costOf, principal, query),
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id',
      action,
      query: TaskQuery,
      about: {
        summary: 'Get a task',
        tag,
        answers: { 200: Task },
        errors: { ...NO_TASK, 503: ['too_many_viewers'] },
      },
      run: async ({ request, principal: { workspaceId }, params: [id = ''], query: { wait_s: waitS, since } }) => {
        let task = isUuid(id) ? await taskService.task(workspaceId, id) : null
        if (task && waitS > 0 && !(await isSettled(taskService, task, since))) {
          if (taskService.events.viewers(id) >= VIEWERS_MAX) return refuse('too_many_viewers')
          await whenSettled(taskService, clock, task, { ms: waitS * SECOND_MS, since, signal: request.signal })
          task = await taskService.task(workspaceId, id)
        }
        if (task === null) return refuse('task_not_found')
        const known = finished.get(id)
        if (known !== undefined) return jsonText(200, known)
        const isOver = task.status !== 'running' && !(await taskService.events.isRunning(id))
        const text = JSON.stringify(await whole(task))
        if (isOver) finished.set(id, text)
        return jsonText(200, text)
      },
    }),
    keyRoute({
      method: 'POST',
      path: '/v1/tasks/:id/cancel',
      action,
      body: CancelBody,
      about: {
        summary: 'Cancel a task',
        tag,
        answers: { 200: Task },
        errors: { 400: ['task_not_running'], ...NO_TASK },
      },
      run: async ({ principal, params: [id = ''], claim }) => {
        const { kind, id: by } = auditActorOf(principal)
        const ended = isUuid(id)
          ? await taskService.cancelTask(principal.workspaceId, id, { kind, id: by })
          : 'not_found'
        if (ended === 'not_found') return refuse('task_not_found')
        // [E23] An attempt that was cut short may have cancelled it.
        const earlier =
          ended === 'not_running' && claim?.again ? await taskService.task(principal.workspaceId, id) : null
        const cancelled = earlier?.endedBy === 'cancelled' ? earlier : ended
        if (cancelled === 'not_running') return refuse('task_not_running')
        return json(200, await whole(cancelled))
      },
    }),
    keyRoute({
      method: 'DELETE',
      path: '/v1/tasks/:id',
      action,
      about: {
        summary: 'Delete a task',
        tag,
        answers: { 200: Deleted },
        errors: { ...NO_TASK, 409: ['task_running'] },
      },
      run: async ({ principal, params: [id = ''] }) => {
        finished.delete(id)
        const outcome = isUuid(id) ? await taskService.removeTask(principal.workspaceId, id) : 'not_found'
        if (outcome === 'removed') return json(200, { id, deleted: true } satisfies Deleted)
        return refuse(outcome === 'running' ? 'task_running' : 'task_not_found')
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id/steps',
      action,
      query: StepListQuery,
      about: { summary: 'List the steps of a task', tag, answers: { 200: StepList }, errors: NO_TASK },
      run: async ({ principal, params: [id = ''], query }) => {
        const steps = isUuid(id) ? await taskService.steps(principal.workspaceId, id) : null
        return steps === null ? refuse('task_not_found') : json(200, stepPage(steps, query))
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id/screenshots/:step',
      action,
      about: {
        summary: 'Get a screenshot',
        tag,
        answers: { 200: [Screenshot, 'image/jpeg'] },
        errors: { 404: ['screenshot_not_found'] },
      },
      run: async ({ principal, request, params: [id = '', step = ''] }) => {
        const isThere = isUuid(id) && /^\d{1,9}$/.test(step)
        const image = isThere ? await taskService.screenshot(principal.workspaceId, id, Number(step)) : null
        if (image === null) return refuse('screenshot_not_found')
        if (!accepts(request.headers.accept, 'application/json')) {
          return { status: 200, headers: [['Content-Type', 'image/jpeg']], body: image }
        }
        return json(200, { screenshot: Buffer.from(image).toString('base64') })
      },
    }),
  ]
}

/** [T45–T47, T56] One more than asked for is read: it tells whether a page follows. */
async function list(
  taskService: TaskService,
  costOf: CostOf,
  { workspaceId }: Principal,
  query: v.InferOutput<typeof TaskListQuery>,
): Promise<Response> {
  const { limit, cursor, status = null, browser_session_id: browserSessionId = null } = query
  const after = cursor === undefined ? null : positionOf(cursor)
  if (cursor !== undefined && after === null) return refuse('cursor_invalid')
  const filter = {
    endedBy: query.ended_by,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    metadata: query.metadata,
    text: query.q,
  }
  const isNone = browserSessionId !== null && !isUuid(browserSessionId)
  const wanted = { workspaceId, status, browserSessionId, after, limit: limit + 1, filter }
  const tasks = isNone
    ? []
    : query.state === undefined
      ? await taskService.tasks(wanted)
      : await tasksInState(taskService, wanted, query.state)
  const page = tasks.slice(0, limit)
  const last = page.at(-1)
  const next = tasks.length > limit && last !== undefined ? cursorOf(last) : null
  const items = page.map((task) => summaryJson(task, costOf))
  return json(200, pageOf('tasks', items, next))
}

/** [T47] What state a running task is in only its actor knows: those that run are read until so many fit. */
async function tasksInState(taskService: TaskService, page: TaskPage, state: string): Promise<TaskView[]> {
  const found: TaskView[] = []
  if (page.status !== null && page.status !== 'running') return found
  for await (const task of runningTasks(taskService, page)) {
    if (task.state === state) found.push(task)
    if (found.length === page.limit) break
  }
  return found
}
