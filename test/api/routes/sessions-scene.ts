import { randomUUID } from 'node:crypto'
import type { SessionView } from '../../../actors/task-service.ts'
import { aKey, aWorkspace, makeSurface } from '../../support/http-surface.ts'

/** A surface with one workspace, its secret and its publishable key, and the key of another workspace. */
export async function sessionsScene() {
  const surface = await makeSurface()
  const { ask, taskService } = surface
  const { key, workspaceId, id: keyId } = await aKey(surface, (await aWorkspace(surface)).id)
  const publishable = await aKey(surface, workspaceId, 'publishable')
  const { key: foreignKey } = await aKey(surface)

  const pair = (body?: object) => ask('POST', '/v1/browser-sessions/pair', { key, ...(body ? { body } : {}) })
  const register = (pairing_token: unknown) => ask('POST', '/v1/browser-sessions/register', { body: { pairing_token } })

  /** A session of the workspace that the task service knows. */
  const put = (fields: Partial<SessionView> = {}): SessionView => {
    const session: SessionView = {
      id: randomUUID(),
      workspaceId,
      keyId,
      label: null,
      externalUserId: null,
      tokenHash: 'a secret of the store',
      createdAt: 1,
      connectedAt: null,
      lastHeartbeat: null,
      expiresAt: 9,
      tabId: null,
      windowId: null,
      status: 'disconnected',
      state: 'waiting',
      ...fields,
    }
    taskService.sessionsById.set(session.id, session)
    return session
  }

  return { ...surface, surface, key, keyId, workspaceId, publishable, foreignKey, pair, register, put }
}
