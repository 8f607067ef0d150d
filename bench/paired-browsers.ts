import { randomUUID } from 'node:crypto'
import type { Store } from '../actors/runtime/ports.ts'
import { workspaceAddress } from '../machines/addresses.ts'
import { DAY_MS, START_WINDOW_MS } from '../machines/limits.ts'
import type { ActorRow } from '../machines/records.ts'
import { systemClock } from '../src/config/clock.ts'
import { makeKey } from '../src/identity/keys.ts'
import { hashToken, newToken } from '../src/identity/tokens.ts'

/** A paired browser as the load generator knows it. */
export interface PairedBrowser {
  readonly workspaceId: string
  readonly key: string
  readonly sessionId: string
  readonly token: string
}

const BATCH = 500
const ids = { uuid: () => randomUUID() as string }

const insertWorkspace = (store: Store, id: string) =>
  store.workspaces.insert({ id, name: id, plan: 'free', members: [], createdAt: Date.now() })

/** Makes workspaces with a key and so many paired browsers each, directly in the store. */
export async function insertPairedBrowsers(
  store: Store,
  workspaces: number,
  browsersEach: number,
): Promise<PairedBrowser[]> {
  const made: PairedBrowser[] = []
  await inBatches(workspaces, async () => {
    const workspaceId = ids.uuid()
    await insertWorkspace(store, workspaceId)
    const { key, record } = await makeKey(store, { workspaceId, name: 'bench', type: 'secret' }, systemClock, ids)
    await inBatches(browsersEach, async () => {
      const token = newToken('session')
      const sessionId = ids.uuid()
      const at = Date.now()
      await store.sessions.insert({
        id: sessionId,
        workspaceId,
        keyId: record.id,
        label: null,
        externalUserId: null,
        tokenHash: hashToken(token),
        createdAt: at,
        connectedAt: null,
        lastHeartbeat: null,
        expiresAt: at + DAY_MS,
        tabId: null,
        windowId: null,
      })
      made.push({ workspaceId, key, sessionId, token })
    })
  })
  return made
}

/** Workspaces whose last task was started before the window, each with the row of its actor: copies of a real one. */
export async function insertIdleWorkspaces(store: Store, row: ActorRow, count: number): Promise<void> {
  const { context } = row.snapshot as { context: { workspaceId: string; startTimes: readonly number[] } }
  const startTimes = context.startTimes.map((at) => at - START_WINDOW_MS)
  await inBatches(count, async () => {
    const workspaceId = ids.uuid()
    await insertWorkspace(store, workspaceId)
    const snapshot = { ...(row.snapshot as object), context: { ...context, workspaceId, startTimes, running: {} } }
    await store.commit([{ kind: 'actor.put', row: { ...row, address: workspaceAddress(workspaceId), snapshot } }])
  })
}

/** So many pieces of work, a bounded number at a time. */
export async function inBatches(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    await Promise.all(Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => work(from + n)))
  }
}
