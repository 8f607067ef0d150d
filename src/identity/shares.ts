import { randomBytes } from 'node:crypto'
import type { Clock, Store } from '../../actors/runtime/ports.ts'
import type { Ms } from '../../machines/records.ts'
import { hashToken, isToken } from './tokens.ts'

/** The link by which the result of a task is open to everybody who has it. */
export interface Share {
  readonly taskId: string
  readonly workspaceId: string
  /** The key that made it; `null`: a signed-in user. */
  readonly keyId: string | null
  /** Who made it, for a person to read; left out: an earlier version did not note it. */
  readonly createdBy?: string
  readonly createdAt: Ms
  readonly expiresAt: Ms
}
type KeptShare = Share & { readonly tokenHash: string }

export interface Shares {
  /** Makes the link of a task for so long; an earlier one ends. Its token is in what is returned and nowhere else. */
  create(
    task: Pick<Share, 'taskId' | 'workspaceId' | 'keyId' | 'createdBy'>,
    forMs: Ms,
  ): Promise<{ readonly token: string; readonly share: Share }>
  /** The link of a task; `null` when it has none that is open. */
  of(taskId: string): Promise<Share | null>
  /** What a token opens; `null`: nothing, or nothing any more. */
  find(token: string): Promise<Share | null>
  /** Since when a token that was valid opens nothing, because its time is over; `null` for every other one. */
  expiredAt(token: string): Promise<Ms | null>
  end(taskId: string): Promise<void>
}

const PREFIX = 'svc_share_'
const SECRET_BYTES = 16

/** The task whose link a token is. */
const taskIdOf = (token: string): string =>
  /^svc_share_(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(token)?.slice(1).join('-') ?? ''

/** [V12] Links to results: one a task, kept beside it as a hash, until it expires, is ended, or its key is deleted. */
export function createShares(store: Pick<Store, 'traces' | 'keys'>, clock: Pick<Clock, 'now'>): Shares {
  async function lastOf(taskId: string): Promise<KeptShare | null> {
    const text = await store.traces.get(taskId, 'share')
    return text === null ? null : (JSON.parse(text) as KeptShare | null)
  }
  async function keptOf(taskId: string): Promise<KeptShare | null> {
    const kept = await lastOf(taskId)
    if (kept === null || kept.expiresAt <= clock.now()) return null
    return kept.keyId !== null && (await store.keys.missing([kept.keyId])).length > 0 ? null : kept
  }
  return {
    async create(task, forMs) {
      const token = `${PREFIX}${task.taskId.replaceAll('-', '')}${randomBytes(SECRET_BYTES).toString('hex')}`
      const now = clock.now()
      const share = { ...task, createdAt: now, expiresAt: now + forMs }
      await store.traces.keep(task.taskId, 'share', JSON.stringify({ ...share, tokenHash: hashToken(token) }))
      return { token, share }
    },
    of: keptOf,
    async find(token) {
      const kept = isToken('share', token) ? await keptOf(taskIdOf(token)) : null
      return kept?.tokenHash === hashToken(token) ? kept : null
    },
    async expiredAt(token) {
      const last = isToken('share', token) ? await lastOf(taskIdOf(token)) : null
      return last?.tokenHash === hashToken(token) && last.expiresAt <= clock.now() ? last.expiresAt : null
    },
    end: (taskId) => store.traces.keep(taskId, 'share', 'null'),
  }
}
