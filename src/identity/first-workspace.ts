import type { Clock, Ids, Store } from '../../actors/runtime/ports.ts'
import { makeKey } from './keys.ts'
import { workspaceNamed } from './operator-workspaces.ts'

/** [Q] On an empty store a workspace `default` with its first secret key, whose plain text is returned once; else `null`. */
export async function firstWorkspace(
  store: Pick<Store, 'workspaces' | 'keys'>,
  clock: Pick<Clock, 'now'>,
  ids: Ids,
): Promise<string | null> {
  if ((await store.workspaces.list()).length > 0) return null
  const { id } = await workspaceNamed(store, 'default', clock, ids)
  const { key } = await makeKey(store, { workspaceId: id, name: 'first key', type: 'secret' }, clock, ids)
  return key
}
