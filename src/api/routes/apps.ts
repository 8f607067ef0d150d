import { isUuid } from '../../../machines/uuid.ts'
import type { Grantor, WholeWorkspace } from '../../identity/oauth.ts'
import { pageOf } from '../../wire/list.ts'
import { ConnectedAppList } from '../../wire/oauth.ts'
import { Deleted } from '../../wire/sessions.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, type Principal, type Route } from '../route.ts'

const tag = 'Members'

/** [A43] Applications that a person, or the holder of a key, has let in; an owner has to do with all of the workspace. */
export function appRoutes({ oauth, store }: Pick<HttpDeps, 'oauth' | 'store'>): readonly Route[] {
  const grantorOf = async ({ workspaceId, userId, keyId, role }: Principal): Promise<Grantor | WholeWorkspace> => {
    if (role === 'owner') return { workspaceId }
    const key = keyId === null ? null : (await store.keys.list(workspaceId)).find(({ id }) => id === keyId)
    return { workspaceId, userId: userId ?? null, keyHash: key?.keyHash ?? null }
  }
  return [
    keyRoute({
      method: 'GET',
      path: '/v1/connected-apps',
      about: { summary: 'List connected applications', tag, answers: { 200: ConnectedAppList } },
      run: async ({ principal }) => {
        const grants = await oauth.list(await grantorOf(principal))
        const apps = grants.map(({ id, clientName, createdAt }) => ({ id, name: clientName, created_at: createdAt }))
        return json(200, pageOf('connected_apps', apps))
      },
    }),
    keyRoute({
      method: 'DELETE',
      path: '/v1/connected-apps/:id',
      right: 'read',
      about: {
        summary: 'Disconnect an application',
        tag,
        answers: { 200: Deleted },
        errors: { 404: ['app_not_found'] },
      },
      run: async ({ principal, params: [id = ''] }) =>
        isUuid(id) && (await oauth.remove(id, await grantorOf(principal)))
          ? json(200, { id, deleted: true })
          : refuse('app_not_found'),
    }),
  ]
}
