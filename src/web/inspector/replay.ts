import type { TaskView } from '../../../actors/task-service.ts'
import type { Response } from '../../net/transport.ts'
import { accountMenu } from '../dashboard/frame.ts'
import type { PagesDeps } from '../deps.ts'
import { html, page, shortened } from '../html.ts'
import { plain } from '../streams.ts'
import type { Viewer } from '../viewer.ts'
import { app } from './app.ts'

/** [P18] A finished task: its page reads the trace, and the API. */
export async function replayPage(
  { id, workspaceId, task }: TaskView,
  viewer: Viewer,
  { inspector }: Pick<PagesDeps, 'inspector'>,
): Promise<Response> {
  const workspace = viewer.workspaces.find((each) => each.id === workspaceId)
  const drawing = { kind: 'task', svg: await inspector.svg('task') }
  return page(shortened(task), app({ page: 'replay', workspaceId, taskId: id }, drawing), {
    script: 'inspector.js',
    wide: true,
    area: '/inspector',
    account: workspace ? accountMenu(viewer, workspace) : null,
  })
}

/** [P44] The recorded task, for everybody. */
export async function examplePage({ inspector }: Pick<PagesDeps, 'inspector'>): Promise<Response> {
  const drawing = { kind: 'task', svg: await inspector.svg('task') }
  return page(
    'A recorded task',
    html`<p class="lead">A task of the demo, recorded as it ran: what its statechart did, what the browser showed, and who told whom what. Press Play. <a href="/docs/inspector">How to read it</a></p>
${app({ page: 'replay', workspaceId: '', taskId: null }, drawing)}`,
    { script: 'inspector.js', wide: true },
  )
}

/** The transitions of a finished task as JSON; none when they were not kept. */
export async function traceOf(taskId: string, { store }: Pick<PagesDeps, 'store'>): Promise<Response> {
  return plain(200, (await store.traces.get(taskId, 'transitions')) ?? '[]', 'application/json')
}
