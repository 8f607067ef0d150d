import { bearerOf } from '../../identity/bearer.ts'
import { hashToken } from '../../identity/tokens.ts'
import { Me } from '../../wire/account.ts'
import { workspaceOf } from '../authenticate.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { publicRoute, type Route } from '../route.ts'

/** [A19] Who asks: a signed-in user, or the workspace of a key. */
export const meRoute = (deps: HttpDeps): Route =>
  publicRoute({
    method: 'GET',
    path: '/v1/me',
    about: {
      summary: 'Get the current user or key',
      tag: 'Service',
      answers: { 200: Me },
      errors: { 401: ['not_signed_in', 'unauthorized'] },
    },
    run: async ({ request }) => {
      const key = bearerOf(request.headers.authorization)
      if (key !== null) {
        const record = await deps.store.keys.byHash(hashToken(key))
        const own = record && (await deps.store.workspaces.get(record.workspaceId))
        if (!own) return refuse('key_invalid')
        return json(200, { user: null, workspace: { id: own.id, name: own.name, plan: own.plan } } satisfies Me)
      }
      const member = request.headers.cookie === undefined ? null : await deps.accounts?.principalOf(request.headers)
      const workspace = member ? workspaceOf(member, request) : null
      if (!member || workspace === null) return refuse('not_signed_in')
      const { id, name, plan } = workspace
      const me: Me = { user: { name: member.name, email: member.email }, workspace: { id, name, plan } }
      return json(200, me)
    },
  })
