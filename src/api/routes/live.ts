import { isUuid } from '../../../machines/uuid.ts'
import type { Response, ResponseStream } from '../../net/transport.ts'
import { MessageAccepted } from '../../wire/inputs.ts'
import { LiveInputBody, LivePicture, LiveQuery } from '../../wire/live.ts'
import type { HttpDeps } from '../deps.ts'
import { ViewerOutput } from '../events/viewer-output.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, type Route } from '../route.ts'

const tag = 'Tasks'
const action = 'access tasks'

const HEADERS: Response['headers'] = [
  ['Content-Type', 'text/event-stream; charset=utf-8'],
  ['Cache-Control', 'no-store, no-transform'],
  // A proxy that gathers would hold back what is to be seen now.
  ['X-Accel-Buffering', 'no'],
]
const OPENING = 'retry: 1000\n: connected\n\n'

const UNSENT = {
  not_found: 'task_not_found',
  not_running: 'task_ended',
  not_waiting: 'task_not_waiting',
  not_possible: 'no_live_input',
} as const

/** [R52–R54, R59] What the browser of a task shows: live while it runs, and after each call that acted. */
export function liveRoutes(deps: HttpDeps): readonly Route[] {
  const { taskService, store, clock } = deps
  return [
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id/live',
      action,
      query: LiveQuery,
      about: {
        summary: 'Watch a task live',
        tag,
        answers: { 200: [LivePicture, 'text/event-stream'], 204: null },
        errors: { 404: ['task_not_found'], 503: ['too_many_viewers'] },
      },
      run: async ({ principal, params: [id = ''], isAllowed }) => {
        const task = isUuid(id) ? await taskService.task(principal.workspaceId, id) : null
        if (task === null) return refuse('task_not_found')
        const { live } = deps
        const refusal = live?.refusal(id, task.browserSessionId) ?? null
        if (refusal === 'too_many_viewers') return refuse(refusal)
        // Nothing is to be seen, now or later: EventSource does not ask again.
        if (!live || refusal !== null || task.status !== 'running') return { status: 204, headers: [], body: null }
        const stream = (response: ResponseStream) => {
          // Several may have come in the same moment.
          if (live.refusal(id, task.browserSessionId) === 'too_many_viewers') {
            response.end()
            return
          }
          const output = new ViewerOutput(response, clock, isAllowed)
          const endIfOver = async () => {
            const now = await taskService.task(principal.workspaceId, id)
            // [Z5] Asked again, it is the stream of the browser that the task has moved to.
            if (now?.status !== 'running' || now.browserSessionId !== task.browserSessionId) response.end()
          }
          const look = () => void endIfOver().catch(() => response.end())
          const unwatch = taskService.events.watch(id, (event) => {
            if (event === null || event.type === 'browser.connected') look()
            else if (event.type === 'task.ended') response.end()
          })
          output.send(OPENING)
          // [R53] Who reads slowly sees fewer pictures: none waits.
          const leave = live.watch(id, task.browserSessionId, (jpeg) => {
            if (output.clear) output.send(`event: frame\ndata: {"at":${clock.now()},"jpeg":"${jpeg}"}\n\n`)
          })
          response.onClose(() => {
            unwatch()
            leave()
          })
          look()
        }
        return { status: 200, headers: HEADERS, body: null, stream }
      },
    }),
    keyRoute({
      method: 'POST',
      path: '/v1/tasks/:id/live/input',
      action,
      body: LiveInputBody,
      about: {
        summary: 'Send clicks and keys to a task',
        tag,
        answers: { 202: MessageAccepted },
        errors: { 404: ['task_not_found'], 409: ['task_ended', 'task_not_waiting', 'no_live_input'] },
      },
      run: async ({ principal, params: [id = ''], body: { events } }) => {
        const sent = isUuid(id) ? await taskService.liveInput(principal.workspaceId, id, events) : 'not_found'
        if (sent === 'sent') return json(202, { accepted: true })
        return refuse(UNSENT[sent])
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id/pictures/:picture',
      action,
      about: {
        summary: 'Get a picture',
        tag,
        answers: { 200: [LivePicture, 'image/jpeg'] },
        errors: { 404: ['picture_not_found'] },
      },
      run: async ({ principal, params: [id = '', picture = ''] }) => {
        const isThere =
          isUuid(id) && /^\d{1,6}$/.test(picture) && (await taskService.task(principal.workspaceId, id)) !== null
        const image = isThere ? await store.image(id, Number(picture)) : null
        if (image === null) return refuse('picture_not_found')
        return { status: 200, headers: [['Content-Type', 'image/jpeg']], body: image }
      },
    }),
  ]
}
