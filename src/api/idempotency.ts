import { createCipheriv, createDecipheriv, createHash, hash, randomBytes } from 'node:crypto'
import type { ClaimRecord } from '../../machines/records.ts'
import { uuidAt } from '../../machines/uuid.ts'
import type { SecretBox } from '../identity/secret-box.ts'
import type { Response } from '../net/transport.ts'
import { Windows } from '../net/windows.ts'
import type { HttpDeps } from './deps.ts'
import {
  CLAIM_ANSWER_CHARS_MAX,
  CLAIM_KEPT_MS,
  CLAIM_WAIT_MS,
  CLAIMS_PER_WORKSPACE_MAX,
  CLAIMS_WINDOW_MS,
} from './limits.ts'
import { withLimits } from './rate-limit-headers.ts'
import { refuse } from './refusals.ts'
import { type Claim, type KeyCall, type Route, startsTasks } from './route.ts'

/** 1 to 255 visible ASCII characters, bare or in quotes: both are the same key. */
export const IDEMPOTENCY_KEY = /^(?:"([\x21-\x7e]{1,255})"|(?!")([\x21-\x7e]{1,255}))$/

/**
 * [E21–E25] Carries out a POST with an Idempotency-Key: once, however often it is sent. The claim of the key is kept,
 * with the id of what will be created, before anything is done; the answer is kept with it. A claim without an answer
 * that nobody holds here is of a process that died: the retry takes it over, with the same id.
 */
export type Idempotent = (route: Route, call: Omit<KeyCall, 'claim'>) => Promise<Response>

/** A claim, and whether an earlier attempt was cut short. */
interface Taken {
  readonly claim: ClaimRecord
  readonly again: boolean
}

/** A request that is under way in this process. */
interface Attempt {
  readonly fingerprint: string
  readonly ended: Promise<void>
  /** Its answer, when it is one that is kept. */
  answer: Response | null
}

export function createIdempotent({ taskService, store, clock, ids, log, secretBox = null }: HttpDeps): Idempotent {
  const underWay = new Map<string, Attempt>()
  const claimed = new Windows(CLAIMS_WINDOW_MS, CLAIMS_PER_WORKSPACE_MAX)

  /** Takes the claim; or gives the answer to a request that may not be carried out (again). */
  async function take(id: string, fingerprint: string, key: string, workspaceId: string): Promise<Taken | Response> {
    const kept = await store.claims.get(id)
    const now = clock.now()
    const createdId = uuidAt(now, ids.uuid())
    const expiresAt = now + CLAIM_KEPT_MS
    const claim: ClaimRecord = { id, fingerprint, holder: ids.uuid(), createdId, answer: null, expiresAt }
    if (kept === null) {
      if (!claimed.takes(workspaceId, now)) return refuse('too_many_idempotency_keys')
      return (await store.claims.insert(claim)) ? { claim, again: false } : inProgress()
    }
    const isSame = kept.fingerprint === fingerprint
    const again = kept.expiresAt > now && (isSame || !kept.isFree)
    if (again && !isSame) return refuse('idempotency_key_reused')
    if (again && kept.answer !== null) return replayed(kept.answer.status, decrypted(kept.answer.body, key, id))
    const next = again ? { ...claim, createdId: kept.createdId } : claim
    return (await store.claims.replace(id, kept.holder, next)) ? { claim: next, again } : inProgress()
  }

  /** Whether the answer is one that a retry gets. What cannot be kept now is found by the id of what was created. */
  async function keep({ claim, again }: Taken, key: string, { status, body }: Response): Promise<boolean> {
    if (status < 200 || status > 299) {
      // What was cut short may be another node's, which only stood still: what it creates has this id.
      await replace(claim, again ? { ...claim, isFree: true } : null)
      return false
    }
    if (typeof body === 'string' && body.length <= CLAIM_ANSWER_CHARS_MAX) {
      const answer = { status, body: encrypted(body, key, claim.id) }
      const next = { ...claim, answer, expiresAt: clock.now() + CLAIM_KEPT_MS }
      if ((await replace(claim, next)) === false) await keepAfterRefusal(next)
    }
    return true
  }

  /** Where a retry at another node took the claim over, and was refused. */
  async function keepAfterRefusal(next: ClaimRecord): Promise<void> {
    const kept = await store.claims.get(next.id).catch(notKept)
    if (kept?.isFree && kept.createdId === next.createdId) await replace(kept, next)
  }

  const notKept = (err: unknown) => log.warn({ err }, 'the answer to a request with an Idempotency-Key was not kept')
  const replace = (claim: ClaimRecord, next: ClaimRecord | null) =>
    store.claims.replace(claim.id, claim.holder, next).catch(notKept)

  async function carryOut(route: Route, call: Omit<KeyCall, 'claim'>, key: string, attempt: Attempt, id: string) {
    const taken = await take(id, attempt.fingerprint, key, call.principal.workspaceId)
    if ('status' in taken) return taken
    let isLeft = false
    const claim: Claim = {
      createdId: taken.claim.createdId,
      again: taken.again,
      letGo: () => {
        isLeft = true
      },
    }
    try {
      const response = await route.run({ ...call, claim })
      if (await keep(taken, key, response)) attempt.answer = response
      return response
    } catch (error) {
      // The claim stays: what was done is found by its id, unless nothing can have been.
      if (isLeft) await replace(taken.claim, null)
      throw error
    }
  }

  /** [E27] What is left of the limits is no part of the answer that is kept: it is told as it is now. */
  const withLimitsOf = async (route: Route, call: Omit<KeyCall, 'claim'>, response: Response): Promise<Response> =>
    isReplay(response) && startsTasks(route)
      ? withLimits(response, await taskService.limitsLeft(call.principal.workspaceId))
      : response

  return async (route, call) => withLimitsOf(route, call, await once(route, call))

  async function once(route: Route, call: Omit<KeyCall, 'claim'>): Promise<Response> {
    const key = keyOf(call.request.headers['idempotency-key'] ?? '')
    if (key === null) return refuse('idempotency_key_invalid')
    const id = hash('sha256', JSON.stringify([call.principal.workspaceId, route.method, route.path, key]))
    const fingerprint = fingerprintOf(route, call, key, secretBox)
    const until = clock.now() + CLAIM_WAIT_MS
    for (;;) {
      const other = underWay.get(id)
      if (other === undefined) break
      if (other.fingerprint !== fingerprint) return refuse('idempotency_key_reused')
      if (!(await inTime(other.ended, until - clock.now(), call.request.signal))) return inProgress()
      if (other.answer) return replayed(other.answer.status, String(other.answer.body))
    }
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const attempt: Attempt = { fingerprint, ended, answer: null }
    underWay.set(id, attempt)
    try {
      return await carryOut(route, call, key, attempt, id)
    } finally {
      underWay.delete(id)
      end()
    }
  }

  /** Whether the first request has ended in time, and while its retry still waits. */
  function inTime(ended: Promise<void>, ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isInTime: boolean) => {
        clock.clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        resolve(isInTime)
      }
      const giveUp = () => settle(false)
      const timer = clock.setTimeout(giveUp, Math.max(0, ms))
      signal.addEventListener('abort', giveUp)
      if (signal.aborted) giveUp()
      void ended.then(() => settle(true))
    })
  }
}

function keyOf(header: string): string | null {
  const [, quoted, bare] = IDEMPOTENCY_KEY.exec(header) ?? []
  return quoted ?? bare ?? null
}

/** The same for the same request: path and parsed body. A publishable key gets no answer that was made for another key. */
function fingerprintOf(
  route: Route,
  { request, body, principal }: Omit<KeyCall, 'claim'>,
  key: string,
  box: SecretBox | null,
): string {
  const by = principal.publishable ? principal.keyId : null
  const content = route.body === 'bytes' ? [request.query, hash('sha256', request.body)] : body
  const text = JSON.stringify([request.path, content, by], sorted)
  // [X7] Of a hash without a key a short value could be found by trying.
  const isSecret = SECRET_FIELDS.some((name) => (body as Readonly<Record<string, unknown>> | null)?.[name])
  return isSecret && box ? box.fingerprint(text) : hash('sha256', isSecret ? `${key} ${text}` : text)
}

const SECRET_FIELDS = ['secrets', 'password', 'current_password']

/** An optional field that is null is as if it were not there: a version that knows more fields makes the same of it. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, field]) => field !== null)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      )
    : value

const inProgress = (): Response => refuse('idempotency_in_progress')

const isReplay = ({ headers }: Response) => headers.some(([name]) => name === 'Idempotent-Replayed')

const replayed = (status: number, body: string): Response => ({
  status,
  headers: [
    ['Content-Type', 'application/json'],
    ['Idempotent-Replayed', 'true'],
  ],
  body,
})

const IV_BYTES = 12
const TAG_BYTES = 16

/** An answer may hold a secret that nothing else of the store does: who has only the store cannot read it. */
function encrypted(text: string, key: string, id: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', secretOf(key, id), iv)
  const bytes = [iv, cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([...bytes, cipher.getAuthTag()]).toString('base64')
}

function decrypted(text: string, key: string, id: string): string {
  const bytes = Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', secretOf(key, id), bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString()
}

const secretOf = (key: string, id: string): Buffer => createHash('sha256').update(`answer ${id} ${key}`).digest()
