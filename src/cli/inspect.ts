import type { Config } from '../config/config.ts'
import { ownerKey, revokeOwnerKeys } from '../identity/key-sign-in.ts'
import { addressOf } from '../stores/lmdb/folder-lock.ts'
import { noteByOperator } from './audit.ts'
import { usageError } from './exit-codes.ts'
import { withStore } from './store.ts'
import { say } from './terminal.ts'

/**
 * [A22] Prints a link with which the operator of the service watches all of its actors; also while the service runs. `rotate`
 * invalidates every link printed before, and ends the page sessions that were opened with them.
 */
export async function inspectCommand(options: { service?: string; json?: boolean; rotate?: boolean }): Promise<void> {
  const given = options.service ?? process.env.BROWSER_TASK_URL
  if (given !== undefined && !/^https?:\/\/[^/]/i.test(given))
    throw usageError(`${given} is not a valid service address.`)
  const { key, at } = await withStore(async (store, config) => {
    if (options.rotate) await revokeOwnerKeys(store)
    const key = await ownerKey(store)
    const details = options.rotate ? { rotate: true } : null
    await noteByOperator(store, { workspaceId: null, action: 'createInspectorLink', details })
    return { key, at: given ?? config.publicUrl ?? listeningAt(config) }
  })
  const url = `${at.replace(/\/+$/, '')}/inspector?owner=${key}`
  if (options.json) {
    say(JSON.stringify({ url, key }))
    return
  }
  say(url)
  say('Anyone with this link can see the actors of all workspaces. Do not share it.')
}

/** Where the service of this store listens, as its lock says; else where it listens by its settings. */
const listeningAt = ({ mongodbUrl, dataDir, port }: Config): string => {
  const known = mongodbUrl === null ? addressOf(dataDir) : null
  return known?.startsWith('http') && !known.endsWith(':0') ? known : `http://127.0.0.1:${port}`
}
