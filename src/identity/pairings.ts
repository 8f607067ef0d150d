import type { Clock, Ids, Store } from '../../actors/runtime/ports.ts'
import { MINUTE_MS, PAIRING_TOKEN_MS, SECOND_MS, SESSION_TOKEN_MS } from '../../machines/limits.ts'
import type { PoolBrowser } from '../../machines/pools.ts'
import type { PairingRecord, SessionRecord } from '../../machines/records.ts'
import { withDefaults } from '../../machines/workspace-limits.ts'
import { Queues } from '../config/queues.ts'
import { Windows } from '../net/windows.ts'
import { hashToken, isToken, newToken } from './tokens.ts'

/** Pairing links that may be made in a minute, for one key (or all signed-in users of a workspace) and for a workspace. */
export const PAIRINGS_PER_KEY_MINUTE_MAX = 60
export const PAIRINGS_PER_WORKSPACE_MINUTE_MAX = 120
/** Paired browsers that have not expired, of a publishable key: it, which may be in anyone's hands, leaves room for others. */
export const SESSIONS_PER_PUBLISHABLE_KEY_MAX = 500

export type PairingRefusal = 'too_many_pairings' | 'too_many_browsers'

/** Who asks for a pairing link, and for what. */
export type Wanted = Pick<PairingRecord, 'workspaceId' | 'keyId' | 'label' | 'externalUserId'> & {
  readonly createdBy: string
  readonly publishable: boolean
  readonly allowTasks: boolean
  readonly pool: PoolBrowser | null
}

export interface Pairings {
  /** [S1, S17] Makes a link's token, whose plain text is in what is returned and nowhere else. */
  create(wanted: Wanted): Promise<{ readonly token: string; readonly expiresAt: number } | PairingRefusal>
  /** The pairing that a token names, without using it up; `null` when it is invalid, expired or used. */
  find(token: string): Promise<PairingRecord | null>
  /** [S4–S6] Uses a token up: who takes it away first has the session; a late one is lost all the same. */
  register(
    token: string,
  ): Promise<{ readonly session: SessionRecord; readonly sessionToken: string } | PairingRefusal | null>
}

export function createPairings(deps: {
  readonly store: Pick<Store, 'sessions' | 'pairings' | 'keys' | 'limits'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
}): Pairings {
  const { store, clock, ids } = deps
  const ofKey = new Windows(MINUTE_MS, PAIRINGS_PER_KEY_MINUTE_MAX)
  const ofWorkspace = new Windows(MINUTE_MS, PAIRINGS_PER_WORKSPACE_MINUTE_MAX)
  // One after the other: those that come at once count the same.
  const registering = new Queues(1)

  /** [S17] */
  async function isFull({ workspaceId, keyId, publishable }: Pick<Wanted, 'workspaceId' | 'keyId' | 'publishable'>) {
    const now = clock.now()
    const live = (await store.sessions.list(workspaceId, null)).filter(({ expiresAt }) => expiresAt > now)
    const own = live.filter((session) => session.keyId === keyId)
    const { browserSessions } = withDefaults(await store.limits.get(workspaceId))
    return live.length >= browserSessions || (publishable && own.length >= SESSIONS_PER_PUBLISHABLE_KEY_MAX)
  }

  async function find(token: string): Promise<PairingRecord | null> {
    if (!isToken('pairing', token)) return null
    const pairing = await store.pairings.get(hashToken(token))
    return pairing && (await isValid(pairing)) ? pairing : null
  }

  /** [S16] The links of a key that was deleted are dead with it. */
  const isValid = async ({ expiresAt, keyId }: PairingRecord): Promise<boolean> =>
    expiresAt > clock.now() && (keyId === null || (await store.keys.missing([keyId])).length === 0)

  return {
    find,

    async create(wanted) {
      const { workspaceId, keyId, publishable, createdBy, allowTasks, label, externalUserId, pool } = wanted
      const now = clock.now()
      const isTaken = ofKey.takes(`${workspaceId}/${keyId ?? 'users'}`, now) && ofWorkspace.takes(workspaceId, now)
      if (!isTaken) return 'too_many_pairings'
      if (await isFull(wanted)) return 'too_many_browsers'
      const token = newToken('pairing')
      const expiresAt = now + PAIRING_TOKEN_MS
      const record = { workspaceId, keyId, label, externalUserId, createdBy, allowTasks, byPublishableKey: publishable }
      await store.pairings.insert({ ...record, ...(pool ? { pool } : {}), tokenHash: hashToken(token), expiresAt })
      return { token, expiresAt }
    },

    async register(token) {
      const found = await find(token)
      if (!found) return null
      return registering.add(found.workspaceId, async () => {
        if (await isFull({ ...found, publishable: found.byPublishableKey === true })) return 'too_many_browsers'
        const pairing = await store.pairings.consume(found.tokenHash)
        if (!pairing) return null
        const now = clock.now()
        const sessionToken = newToken('session')
        const { workspaceId, keyId, label, externalUserId, allowTasks = true, byPublishableKey = false, pool } = pairing
        const session: SessionRecord = {
          id: ids.uuid(),
          workspaceId,
          keyId,
          label,
          externalUserId,
          allowTasks,
          byPublishableKey,
          ...(pool ? { pool } : {}),
          tokenHash: hashToken(sessionToken),
          createdAt: now,
          connectedAt: null,
          lastHeartbeat: null,
          expiresAt: now + SESSION_TOKEN_MS,
          tabId: null,
          windowId: null,
        }
        await store.sessions.insert(session)
        return { session, sessionToken }
      })
    },
  }
}

export const PAIRING_SECONDS = PAIRING_TOKEN_MS / SECOND_MS
