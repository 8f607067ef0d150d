import type { Clock, Ids, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import type { KeyRecord } from '../../machines/records.ts'
import { hashToken, keyPrefixOf, newToken } from './tokens.ts'

/** Keys that a workspace may have. */
export const KEYS_PER_WORKSPACE_MAX = 100

/** A key as it is shown once, beside the record that is kept. */
export interface MadeKey {
  readonly key: string
  readonly record: KeyRecord
}

/** Makes a key for a workspace. Its plain text is in what is returned and nowhere else. */
export async function makeKey(
  store: Pick<Store, 'keys'>,
  { id, workspaceId, name, type }: Pick<KeyRecord, 'workspaceId' | 'name' | 'type'> & Partial<Pick<KeyRecord, 'id'>>,
  clock: Pick<Clock, 'now'>,
  ids: Ids,
): Promise<MadeKey> {
  const key = newToken(type)
  const record: KeyRecord = {
    id: id ?? ids.uuid(),
    workspaceId,
    name,
    type,
    keyHash: hashToken(key),
    keyPrefix: keyPrefixOf(key),
    createdAt: clock.now(),
    lastUsedAt: null,
  }
  await store.keys.insert(record)
  return { key, record }
}

/** [K7] Whether a workspace has as many keys as it may. */
export const hasKeysEnough = async (store: Pick<Store, 'keys'>, workspaceId: string): Promise<boolean> =>
  (await store.keys.list(workspaceId)).length >= KEYS_PER_WORKSPACE_MAX

/**
 * [S16] Deletes a key with the browser sessions that it paired: their sockets are closed at once. Its pairing links are
 * dead with it. False when the workspace has no such key.
 */
export async function removeKey(
  {
    store,
    taskService,
  }: { readonly store: Pick<Store, 'keys'>; readonly taskService: Pick<TaskService, 'sessions' | 'removeSession'> },
  workspaceId: string,
  keyId: string,
): Promise<boolean> {
  if (!(await store.keys.remove(workspaceId, keyId))) return false
  for (const { id } of await taskService.sessions(workspaceId, keyId))
    await taskService.removeSession(workspaceId, keyId, id)
  return true
}
