import { createShares } from '../identity/shares.ts'
import { app } from './dashboard/app.ts'
import type { PagesDeps } from './deps.ts'
import { html, page } from './html.ts'
import { get, type PageRoute } from './page-route.ts'

/** [V12] What a link to a result leads to, for readers without an account. */
export function sharedRoutes({ store, clock, taskService }: PagesDeps): readonly PageRoute[] {
  const shares = createShares(store, clock)
  return [
    get('/shared/:token', async (_, token = '') => {
      const share = await shares.find(token)
      const task = share && (await taskService.task(share.workspaceId, share.taskId))
      return task ? page(task.task, app({ page: 'shared', token }), { script: 'shared.js' }) : ended
    }),
  ]
}

const ended = page(
  'This link has expired or was turned off',
  html`<p>Ask the person who shared the result for a new link. In your own workspace, the result is under Tasks.</p>
<p><a class="button" href="/dashboard">Go to the dashboard</a></p>`,
  404,
)
