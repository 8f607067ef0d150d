import { type AllLimits, allLimits } from '../../machines/workspace-limits.ts'
import { findWorkspace } from '../identity/operator-workspaces.ts'
import { changedLimits, LIMIT_NAMES, LIMITS, limitsByName } from '../wire/workspace-limits.ts'
import { noteByOperator } from './audit.ts'
import { Failed } from './exit-codes.ts'
import { withStore } from './store.ts'
import { say, table } from './terminal.ts'

/** [O9] Shows the limits of a workspace, and sets those that are given as `name=value`. */
export async function limitsCommand(
  name: string,
  changes: readonly string[],
  options: { json?: boolean },
): Promise<void> {
  const { workspace, set } = await withStore(async (store) => {
    const workspace = await findWorkspace(store, name)
    if (!workspace) throw new Failed(`Unknown workspace ${JSON.stringify(name)}.`)
    const kept = await store.limits.get(workspace.id)
    if (changes.length === 0) return { workspace, set: kept }
    const set = { ...changed(kept, changes), ...(kept.own ? { own: kept.own } : {}) }
    await store.limits.put(workspace.id, set)
    const details = Object.fromEntries(changes.map((change) => change.split('=')))
    await noteByOperator(store, { workspaceId: workspace.id, action: 'updateLimits', details })
    return { workspace, set }
  })
  const limits = allLimits(set)
  if (options.json) {
    say(JSON.stringify({ workspace_id: workspace.id, ...limitsByName(limits) }))
    return
  }
  const shown = (value: AllLimits[keyof AllLimits]) => (value === null ? 'none' : String(value))
  const rows = LIMIT_NAMES.map((limit) => {
    const { field } = LIMITS[limit]
    return [
      limit,
      shown(limits[field]),
      field in (set.own ?? {}) ? 'lowered by an owner' : field in set ? 'set' : 'default',
    ]
  })
  say(table(['LIMIT', 'VALUE', ''], rows))
}

function changed(...given: Parameters<typeof changedLimits>): ReturnType<typeof changedLimits> {
  try {
    return changedLimits(...given)
  } catch (error) {
    throw new Failed(error instanceof Error ? error.message : String(error))
  }
}
