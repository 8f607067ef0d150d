import { randomBytes } from 'node:crypto'
import type { Clock } from '../../actors/runtime/ports.ts'
import { DAY_MS, HOUR_MS } from '../../machines/limits.ts'
import type { AuthTables } from '../stores/auth-tables.ts'
import { hashToken } from './tokens.ts'

const RANDOM_BYTES = 24
const KEYS = 'ownerKey'
const SESSIONS = 'pageSession'
/** How long an owner's key and a sign-in to the pages are good for. */
const OWNER_KEY_MS = 30 * DAY_MS
const PAGE_SESSION_MS = 12 * HOUR_MS

type Kept = { readonly authTables: AuthTables }

/**
 * [A22] A key with which the operator of the service can watch all of it. Only its hash is kept: each call makes another one, good
 * for 30 days, beside those that were made before.
 */
export async function ownerKey({ authTables }: Kept, clock: Pick<Clock, 'now'> = Date): Promise<string> {
  await authTables.removeAll(KEYS, [where('expiresAt', 'lt', clock.now())])
  const key = `svc_owner_${randomBytes(RANDOM_BYTES).toString('hex')}`
  await authTables.insert(KEYS, { id: hashToken(key), expiresAt: clock.now() + OWNER_KEY_MS })
  return key
}

/** Every owner's key that was made so far is dead, and so are the sign-ins that were made with one. */
export async function revokeOwnerKeys({ authTables }: Kept): Promise<void> {
  await authTables.removeAll(KEYS, [])
  await authTables.removeAll(SESSIONS, [where('kind', 'eq', 'owner')])
}

/** A sign-in to the pages with a key. The key is neither in the cookie nor in the store. */
export interface PageSession {
  readonly kind: 'key' | 'owner'
  /** SHA-256 of the key that was given. The session ends with it. */
  readonly keyHash: string
}

export interface PageSessions {
  isOwner(key: string): Promise<boolean>
  /** Resolves to the value of the cookie: random, and kept only as its hash. */
  open(session: PageSession): Promise<string>
  find(value: string): Promise<PageSession | null>
  end(value: string): Promise<void>
}

/** [A23] Sign-ins to the pages by a key, for 12 hours. */
export function createPageSessions({ authTables }: Kept, clock: Pick<Clock, 'now'>): PageSessions {
  const isOwnerHash = async (hash: string): Promise<boolean> => {
    const [row] = await authTables.find(KEYS, [where('id', 'eq', hash)], { limit: 1 })
    return row !== undefined && Number(row.expiresAt) > clock.now()
  }
  return {
    isOwner: (key) => isOwnerHash(hashToken(key)),
    async open({ kind, keyHash }) {
      await authTables.removeAll(SESSIONS, [where('expiresAt', 'lt', clock.now())])
      const value = randomBytes(RANDOM_BYTES).toString('base64url')
      await authTables.insert(SESSIONS, {
        id: hashToken(value),
        kind,
        keyHash,
        expiresAt: clock.now() + PAGE_SESSION_MS,
      })
      return value
    },
    async find(value) {
      const [row] = await authTables.find(SESSIONS, [where('id', 'eq', hashToken(value))], { limit: 1 })
      if (!row || Number(row.expiresAt) <= clock.now()) return null
      const keyHash = String(row.keyHash)
      if (row.kind === 'owner') return (await isOwnerHash(keyHash)) ? { kind: 'owner', keyHash } : null
      return { kind: 'key', keyHash }
    },
    async end(value) {
      await authTables.removeAll(SESSIONS, [where('id', 'eq', hashToken(value))])
    },
  }
}

const where = (field: string, operator: 'eq' | 'lt', value: string | number) => ({ field, operator, value }) as const
