import { ownerKey, revokeOwnerKeys } from '../owner.ts'
import { noteByOperator } from './audit.ts'
import { withStore } from './store.ts'
import { say } from './terminal.ts'

/**
 * [A22] Prints a link with which the operator of the service watches all of its actors; also while the service runs. `rotate`
 * invalidates every link printed before, and ends the page sessions that were opened with them.
 */
export async function inspectCommand(options: { url: string; json?: boolean; rotate?: boolean }): Promise<void> {
  const key = await withStore(async (store) => {
    if (options.rotate) await revokeOwnerKeys(store)
    const key = await ownerKey(store)
    const details = options.rotate ? { rotate: true } : null
    await noteByOperator(store, { workspaceId: null, action: 'createInspectorLink', details })
    return key
  })
  const url = `${options.url.replace(/\/+$/, '')}/inspector?owner=${key}`
  if (options.json) {
    say(JSON.stringify({ url, key }))
    return
  }
  say(url)
  say('Anyone with this link can see the actors of all workspaces. Do not share it.')
}
