import { createShares } from '../identity/shares.ts'
import { app } from './dashboard/app.ts'
import type { PagesDeps } from './deps.ts'
import { html, linkFault, page, time } from './html.ts'
import { get, type PageRoute } from './page-route.ts'

/** [V12] What a link to a result leads to, for readers without an account. */
export function sharedRoutes({ store, clock, taskService }: PagesDeps): readonly PageRoute[] {
  const shares = createShares(store, clock)
  return [
    get('/shared/:token', async (_, token = '') => {
      const share = await shares.find(token)
      const task = share && (await taskService.task(share.workspaceId, share.taskId))
      if (task) return page(task.task, app({ page: 'shared', token }), { script: 'shared.js', stranger: true })
      return ended(await shares.expiredAt(token))
    }),
  ]
}

/** Only who has the link itself is told that its time is over. */
const ended = (expiredAt: number | null) =>
  linkFault(
    expiredAt === null ? 'This link does not work' : 'This link has expired',
    html`${
      expiredAt === null
        ? html`<p>The person who shared the result turned the link off or replaced it, or a part of the address is missing. Check that you opened the whole link.</p>`
        : html`<p>It was open until ${time(expiredAt, true)}. </p>`
    }
<p>Ask the person who shared it for a new link.</p>`,
    404,
  )
