import type { LogType } from '../../../machines/task-log.ts'
import { isUuid } from '../../../machines/uuid.ts'
import type { Response } from '../../net/transport.ts'
import { NoFields } from '../../wire/account.ts'
import { EventListQuery, EventPage, ReadToken, TaskEventListQuery, typesOf } from '../../wire/events.ts'
import { accepts } from '../accepts.ts'
import type { HttpDeps } from '../deps.ts'
import { type Feed, taskFeed, workspaceFeed } from '../events/feed.ts'
import { pageOf } from '../events/page.ts'
import { streamOf } from '../events/stream.ts'
import { VIEWERS_MAX } from '../limits.ts'
import { eventsExpired, refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { type KeyCall, keyRoute, type Route } from '../route.ts'

const tag = 'Events'
const action = 'access tasks'
const ERRORS = { 400: ['last_event_id_invalid'], 410: ['events_expired'], 503: ['too_many_viewers'] }

/** [V5–V8] The event log: of a task and of a workspace, as pages and as streams. */
export function eventRoutes(deps: HttpDeps): readonly Route[] {
  const { taskService, readTokens } = deps
  return [
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id/events',
      action,
      readToken: true,
      query: TaskEventListQuery,
      about: {
        summary: 'List or stream the events of a task',
        tag,
        answers: { 200: [EventPage, 'text/event-stream'], 204: null },
        errors: { ...ERRORS, 404: ['task_not_found'] },
      },
      run: async (call) => {
        const [id = ''] = call.params
        const task = isUuid(id) ? await taskService.task(call.principal.workspaceId, id) : null
        return task === null ? refuse('task_not_found') : read(deps, taskFeed(taskService.events, id), call)
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/events',
      action,
      query: EventListQuery,
      about: {
        summary: 'List or stream all events',
        tag,
        answers: { 200: [EventPage, 'text/event-stream'] },
        errors: ERRORS,
      },
      run: (call) => read(deps, workspaceFeed(taskService.events, call.principal.workspaceId), call),
    }),
    keyRoute({
      method: 'POST',
      path: '/v1/tasks/:id/tokens',
      action,
      body: NoFields,
      about: {
        summary: 'Create a read token',
        tag,
        answers: { 201: ReadToken },
        errors: { 404: ['task_not_found'] },
      },
      run: async ({ principal: { workspaceId, keyId }, params: [id = ''] }) => {
        const task = isUuid(id) ? await taskService.task(workspaceId, id) : null
        if (task === null) return refuse('task_not_found')
        const { token, expiresAt } = await readTokens.create(id, { workspaceId, keyId })
        return json(201, { token, expires_at: expiresAt })
      },
    }),
  ]
}

type Query = {
  readonly after?: string | undefined
  readonly limit: number
  readonly types?: string | undefined
  readonly live?: string | undefined
}

/** [V5, V6] */
async function read(deps: HttpDeps, feed: Feed, call: KeyCall<unknown, Query>): Promise<Response> {
  const { request, query } = call
  const isStream = accepts(request.headers.accept, 'text/event-stream')
  // An EventSource repeats its address when it connects again: what it has seen is in the header alone.
  const given = (isStream ? request.headers['last-event-id'] : undefined) ?? query.after ?? '0'
  if (given !== 'now' && !/^\d{1,16}$/.test(given)) return refuse('last_event_id_invalid')
  const cursor = given === 'now' ? await feed.now() : Number(given)
  const oldest = await feed.expired(cursor)
  if (oldest !== null) return eventsExpired(oldest)
  const types: ReadonlySet<LogType> | null = typesOf(query.types)
  if (!isStream) return pageOf(feed, cursor, { limit: query.limit, types })
  // Of one who names what is not yet, nothing that comes is held back.
  const after = Math.min(cursor, await feed.now())
  // Nothing comes any more: EventSource does not ask again.
  if ((await feed.isOver()) && (await feed.read(after, 1)).length === 0) return { status: 204, headers: [], body: null }
  if (feed.viewers() >= VIEWERS_MAX) return refuse('too_many_viewers')
  return streamOf({
    feed,
    after,
    live: query.live === 'true',
    types,
    isAllowed: call.isAllowed,
    clock: deps.clock,
    log: deps.log,
  })
}
