import { createShares } from '../identity/shares.ts'
import { isToken } from '../identity/tokens.ts'
import { app } from './dashboard/app.ts'
import type { PagesDeps } from './deps.ts'
import { html, linkFault, page, time } from './html.ts'
import { get, type PageRoute } from './page-route.ts'

/** [V12] Who has the link may read it; nobody finds it by searching. */
const NOT_INDEXED = [['X-Robots-Tag', 'noindex']] as const

/** [V12] What a link to a result leads to, for readers without an account. */
export function sharedRoutes({ store, clock, taskService }: PagesDeps): readonly PageRoute[] {
  const shares = createShares(store, clock)
  return [
    get('/shared/:token', async (_, token = '') => {
      const share = await shares.find(token)
      const task = share && (await taskService.task(share.workspaceId, share.taskId))
      const props = { page: 'shared', token, sharedBy: nameOf(share?.createdBy) } as const
      if (task) return page(task.task, app(props), { script: 'shared.js', stranger: true, headers: NOT_INDEXED })
      return ended(token, await shares.expiredAt(token))
    }),
  ]
}

/** Only who has the link itself is told that its time is over. */
function ended(token: string, expiredAt: number | null) {
  const [title, what] = !isToken('share', token)
    ? ['This link is not complete', html`A part of the address is missing. Open the whole link, as it was sent to you.`]
    : expiredAt === null
      ? ['This link does not work', html`The person who shared the result turned the link off or replaced it.`]
      : ['This link has expired', html`It was open until ${time(expiredAt, true)}.`]
  return linkFault(
    title,
    html`<p>${what}</p>
<p>Ask the person who shared it for a new link.</p>
<p><a class="button plain" href="/docs">What this service does</a></p>`,
    404,
  )
}

/** The name of who shared a result, without the address, which is not for everybody who has the link. */
function nameOf(createdBy: string | undefined): string | null {
  const name = createdBy?.replace(/ \([^()]*@[^()]*\)$/, '') ?? ''
  return name === '' || name.includes('@') ? null : name
}
