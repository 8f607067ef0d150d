import type { Clock, Ids, Store } from '../../actors/runtime/ports.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'

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
