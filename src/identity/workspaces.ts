import type { Clock, Ids, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import type { KeyRecord, WorkspaceRecord } from '../../machines/records.ts'
import type { Accounts } from '../api/deps.ts'
import { hashToken, isPublishable, keyPrefixOf, newToken } from './tokens.ts'

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

/**
 * The operator's workspace of that name, or the workspace of that id. Workspaces of people who signed up have names that
 * those people chose: they are found by their id alone.
 */
export const findWorkspace = async (
  store: Pick<Store, 'workspaces'>,
  name: string,
): Promise<WorkspaceRecord | undefined> =>
  (await store.workspaces.get(name)) ??
  (await store.workspaces.list()).find((workspace) => isOperators(workspace) && workspace.name === name)

/** As `findWorkspace`; it is made when there is none. */
export async function workspaceNamed(
  store: Pick<Store, 'workspaces'>,
  name: string,
  clock: Pick<Clock, 'now'>,
  ids: Ids,
): Promise<WorkspaceRecord> {
  const found = await findWorkspace(store, name)
  if (found) return found
  return store.workspaces.insert({ id: ids.uuid(), name, plan: 'free', members: [], createdAt: clock.now() })
}

/** Whether the operator chose the name of a workspace, and none of its users. */
const isOperators = ({ members, byOperator }: WorkspaceRecord): boolean => members.length === 0 || byOperator === true

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

/** Who asks by a cookie for something that outlives their sign-in, and what they gave again to confirm it. */
export interface Confirming {
  readonly signedInWith: 'account' | 'key'
  readonly workspaceId: string
  /** The password, or the secret key. */
  readonly given: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * [A29] Whether this is the person who signed in, and not just somebody, or something, at their browser: by the password,
 * or, signed in with a key, by a secret key of the workspace. Who has no password has to have signed in just now.
 * `waiting`: too many wrong passwords came before, and this one was not looked at.
 */
export async function confirmationOf(
  { signedInWith, workspaceId, given, headers }: Confirming,
  { store, accounts }: { readonly store: Pick<Store, 'keys'>; readonly accounts: Pick<Accounts, 'confirm'> | null },
): Promise<'confirmed' | 'refused' | 'waiting'> {
  if (signedInWith === 'key') {
    const record = await store.keys.byHash(hashToken(given.trim()))
    return record?.workspaceId === workspaceId && !isPublishable(record) ? 'confirmed' : 'refused'
  }
  const shown = await accounts?.confirm(headers, given)
  if (shown && shown.waitMs > 0) return 'waiting'
  return shown?.isPassword || (shown?.hasPassword === false && shown.isFresh) ? 'confirmed' : 'refused'
}
