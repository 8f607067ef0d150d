import type { TaskView } from '../../../actors/task-service.ts'
import type { Response } from '../../http/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { page } from '../html.ts'
import { plain } from '../streams.ts'
import { app } from './app.ts'

/** [P18] A finished task: its page reads the trace, and the API. */
export async function replayPage(
  { id, workspaceId }: TaskView,
  { inspector }: Pick<PagesDeps, 'inspector'>,
): Promise<Response> {
  const drawing = { kind: 'task', svg: await inspector.svg('task') }
  return page('Replay', app({ page: 'replay', workspaceId, taskId: id }, drawing), {
    script: 'inspector.js',
    wide: true,
  })
}

/** The transitions of a finished task as JSON; none when they were not kept. */
export async function traceOf(taskId: string, { store }: Pick<PagesDeps, 'store'>): Promise<Response> {
  return plain(200, (await store.traces.get(taskId, 'transitions')) ?? '[]', 'application/json')
}
