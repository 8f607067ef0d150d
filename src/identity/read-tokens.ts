import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock, Store } from '../../actors/runtime/ports.ts'
import { MINUTE_MS } from '../../machines/limits.ts'
import type { Ms } from '../../machines/records.ts'
import { isUuid } from '../../machines/uuid.ts'

/** How long a token opens streams. */
const READ_TOKEN_MS = 15 * MINUTE_MS
const SECRET = 'readTokenSecret'
const SECRET_BYTES = 32
const PREFIX = 'svc_read_'

export interface Maker {
  readonly workspaceId: string
  /** `null`: a signed-in user. */
  readonly keyId: string | null
}

export interface ReadTokens {
  /** Lets its bearer read the events of this one task, for READ_TOKEN_MS, or until the key that made it is deleted. */
  create(taskId: string, maker: Maker): Promise<{ readonly token: string; readonly expiresAt: Ms }>
  /** Who made the token for this task; `null` when it is not valid (any more), or for another task. */
  makerOf(token: string, taskId: string): Promise<Maker | null>
}

/**
 * [V8] Read tokens: what they say, and an HMAC of it with a secret that the store keeps. Nothing is remembered of one:
 * it is valid until it expires or its key is deleted, also after a restart.
 */
export function createReadTokens(store: Pick<Store, 'setting' | 'keys'>, clock: Pick<Clock, 'now'>): ReadTokens {
  let secret: Promise<string> | null = null
  const sign = async (said: string): Promise<Buffer> => {
    secret ??= store.setting(SECRET, () => randomBytes(SECRET_BYTES).toString('hex'))
    secret.catch(() => {
      secret = null
    })
    return createHmac('sha256', await secret)
      .update(said)
      .digest()
  }
  return {
    async create(taskId, { workspaceId, keyId }) {
      const expiresAt = clock.now() + READ_TOKEN_MS
      const said = `${taskId}.${expiresAt}.${keyId ?? ''}.${workspaceId}`
      const token = `${PREFIX}${Buffer.from(said).toString('base64url')}.${(await sign(said)).toString('base64url')}`
      return { token, expiresAt }
    },
    async makerOf(token, taskId) {
      const [text = '', signature = '', ...rest] = token.slice(PREFIX.length).split('.')
      if (!token.startsWith(PREFIX) || rest.length > 0) return null
      const said = Buffer.from(text, 'base64url').toString()
      const [id, expiresAt, keyId = '', ...workspace] = said.split('.')
      if (id !== taskId || !isUuid(taskId) || !(Number(expiresAt) > clock.now())) return null
      const given = Buffer.from(signature, 'base64url')
      const expected = await sign(said)
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
      if (keyId !== '' && (await store.keys.missing([keyId])).length > 0) return null
      return { workspaceId: workspace.join('.'), keyId: keyId === '' ? null : keyId }
    },
  }
}
