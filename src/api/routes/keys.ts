import { isUuid } from '../../../machines/uuid.ts'
import { Queues } from '../../config/queues.ts'
import { confirmationOf } from '../../identity/confirmation.ts'
import { hasKeysEnough, makeKey, removeKey } from '../../identity/keys.ts'
import { CreateKeyBody, KeyCreated, KeyList } from '../../wire/keys.ts'
import { pageOf } from '../../wire/list.ts'
import { Deleted } from '../../wire/sessions.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, type Route } from '../route.ts'

const tag = 'API keys'

/** [K1–K6] A workspace's own keys. */
export function keyRoutes(deps: HttpDeps): readonly Route[] {
  // One after the other: those that come at once count the same.
  const creating = new Queues(1)
  return [
    keyRoute({
      method: 'POST',
      path: '/v1/api-keys',
      action: 'create API keys',
      body: CreateKeyBody,
      about: {
        summary: 'Create an API key',
        tag,
        answers: { 201: KeyCreated },
        errors: { 403: ['confirmation_required'], 409: ['too_many_keys'], 429: ['too_many_passwords'] },
      },
      run: async ({ principal: { workspaceId, keyId, byCookie }, body, request, claim }) => {
        // [A29] A cookie is in a browser, where a page or a task may use it: a key would outlive it.
        if (keyId === null || byCookie) {
          const signedInWith = byCookie ? 'key' : 'account'
          const confirming = {
            signedInWith,
            workspaceId,
            given: body.password ?? '',
            headers: request.headers,
          } as const
          const confirmation = await confirmationOf(confirming, deps)
          if (confirmation === 'waiting') return refuse('too_many_passwords')
          if (confirmation === 'refused') return refuse('confirmation_required')
        }
        const type = body.type ?? 'secret'
        // [E23] What an attempt that was cut short made, nobody has seen.
        if (claim?.again) await deps.store.keys.remove(workspaceId, claim.createdId)
        const fields = { workspaceId, name: body.name, type, ...(claim ? { id: claim.createdId } : {}) }
        const made = await creating.add(workspaceId, async () =>
          (await hasKeysEnough(deps.store, workspaceId)) ? null : makeKey(deps.store, fields, deps.clock, deps.ids),
        )
        if (made === null) return refuse('too_many_keys')
        const { key, record } = made
        const { id, name, createdAt } = record
        return json(201, { id, key, name, type, workspace_id: workspaceId, created_at: createdAt } satisfies KeyCreated)
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/api-keys',
      action: 'list API keys',
      about: { summary: 'List API keys', tag, answers: { 200: KeyList } },
      run: async ({ principal }) => {
        const keys = (await deps.store.keys.list(principal.workspaceId)).map((record) => ({
          id: record.id,
          name: record.name,
          type: record.type,
          key_prefix: record.keyPrefix,
          created_at: record.createdAt,
          last_used_at: record.lastUsedAt,
        }))
        return json(200, { ...pageOf('api_keys', keys), keys } satisfies KeyList)
      },
    }),
    keyRoute({
      method: 'DELETE',
      path: '/v1/api-keys/:id',
      action: 'delete API keys',
      about: {
        summary: 'Delete an API key',
        tag,
        answers: { 200: Deleted },
        errors: { 404: ['api_key_not_found'] },
      },
      run: async ({ principal, params: [id = ''] }) => {
        const deleted = isUuid(id) && (await removeKey(deps, principal.workspaceId, id))
        return deleted ? json(200, { id, deleted } satisfies Deleted) : refuse('api_key_not_found')
      },
    }),
  ]
}
