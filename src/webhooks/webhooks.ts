import PQueue from 'p-queue'
import type { Clock, Log, Webhook, WebhookAnswer } from '../../actors/runtime/ports.ts'
import {
  WEBHOOK_ANSWER_BYTES_MAX,
  WEBHOOK_TIMEOUT_MS,
  WEBHOOKS_AT_ONCE_MAX,
  WEBHOOKS_WAITING_MAX,
} from '../../machines/limits.ts'
import { Queues } from '../config/queues.ts'
import type { SecretBox } from '../identity/secret-box.ts'
import {
  type AllowedAddresses,
  assertAllowed,
  guardedLookup,
  guardOf,
  PrivateAddressError,
  type Resolve,
} from '../net/address-guard.ts'
import { NetworkError } from '../net/network-error.ts'
import type { Outgoing, OutgoingAnswer } from '../net/outgoing.ts'
import { retryAfterMs } from '../net/retry-after.ts'
import { DELIVERIES_PER_WORKSPACE_MAX, DELIVERY_ANSWER_BYTES_MAX } from './limits.ts'
import { signedHeaders } from './signature.ts'

export interface WebhookSettings extends AllowedAddresses {
  /** Opens the secrets of endpoints; `null`: there is no key for them. */
  readonly box?: SecretBox | null
  readonly clock: Clock
  readonly log: Log
  /** What became of a task's webhook: the answer's status, or why there was none. */
  readonly onOutcome?: (taskId: string, outcome: { status: number | null; reason: string | null }) => void
  /** Called after each attempt, with the status that was answered, or `null`. */
  readonly onAttempt?: (status: number | null, ms: number) => void
  /** [O7] The `traceparent` of a task's webhooks; `null`: it is not known. Never rejects. */
  readonly traceparent?: (taskId: string) => Promise<string | null>
  /** All addresses of a name; the system's resolver when it is not given. */
  readonly resolve?: Resolve
}

/**
 * Calls webhooks. [W3] One POST each, no retry, no redirect, [W4] at most WEBHOOK_TIMEOUT_MS from connecting to the end of the answer,
 * WEBHOOKS_AT_ONCE_MAX at a time; more wait their turn. [W5] `post` never rejects: a failure is logged, with the target's host alone,
 * since paths and queries of webhooks often are secrets.
 * [W7][W8] Without `allowPrivate` a connection is made only to addresses that were checked, all of a name's or none.
 */
export function openWebhook(settings: WebhookSettings): Webhook {
  const { clock, log, box = null } = settings
  const guard = guardOf(settings)
  const queue = new PQueue({ concurrency: WEBHOOKS_AT_ONCE_MAX })
  // Apart, so that endpoints that answer slowly hold up no task's own webhook.
  const deliveries = new PQueue({ concurrency: WEBHOOKS_AT_ONCE_MAX })
  // Those of one workspace hold up no other's.
  const byWorkspace = new Queues(DELIVERIES_PER_WORKSPACE_MAX)
  let opened: Promise<Outgoing> | null = null
  // The client is loaded with the first webhook: a service that calls none starts sooner.
  const outgoing = () => {
    opened ??= import('../net/outgoing.ts').then(({ openOutgoing }) =>
      openOutgoing({
        keepAliveMs: 0,
        silenceMs: WEBHOOK_TIMEOUT_MS,
        answerBytesMax: WEBHOOK_ANSWER_BYTES_MAX,
        lookup: guardedLookup(guard, settings.resolve),
      }),
    )
    return opened
  }

  async function send(url: URL, body: string, more: Readonly<Record<string, string>> = {}): Promise<OutgoingAnswer> {
    assertAllowed(url, guard)
    const abort = new AbortController()
    const timer = clock.setTimeout(() => abort.abort(new Error('timeout')), WEBHOOK_TIMEOUT_MS)
    const begun = performance.now()
    let status: number | null = null
    try {
      const answer = await (await outgoing()).exchange(url.href, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'browser-task-service', ...more },
        body,
        signal: abort.signal,
      })
      status = answer.status
      return answer
    } finally {
      clock.clearTimeout(timer)
      settings.onAttempt?.(status, performance.now() - begun)
    }
  }

  async function traced(taskId: unknown): Promise<Readonly<Record<string, string>>> {
    const traceparent = typeof taskId === 'string' ? await settings.traceparent?.(taskId) : null
    return traceparent ? { traceparent } : {}
  }

  function tell(body: object, outcome: { status: number | null; reason: string | null }, begunAt: number): void {
    const taskId = taskIn(body)
    if (typeof taskId !== 'string') return
    log.info({ taskId, ...outcome, ms: Math.max(0, clock.now() - begunAt) }, 'A webhook was attempted')
    settings.onOutcome?.(taskId, outcome)
  }

  return {
    async post(target, body) {
      const begunAt = clock.now()
      let host: string | null = null
      try {
        const url = new URL(target)
        host = url.host
        if (queue.size >= WEBHOOKS_WAITING_MAX) throw new Error('too many webhooks are waiting')
        // Written down at once: what is told is what was true when it was announced.
        const text = JSON.stringify(body)
        const { status } = await queue.add(async () => send(url, text, await traced(taskIn(body))))
        if (!isAccepted(status)) log.warn({ host: url.host, status }, 'A webhook was not accepted.')
        tell(body, { status, reason: null }, begunAt)
      } catch (error) {
        const reason = reasonOf(error)
        log.warn({ host, reason }, 'A webhook could not be delivered.')
        tell(body, { status: null, reason }, begunAt)
      }
    },

    deliver(endpoint, message) {
      const attempt = async (): Promise<WebhookAnswer> => {
        const begun = clock.now()
        const took = () => Math.max(0, clock.now() - begun)
        try {
          if (box === null) throw new Error('SECRETS_KEY is not set')
          const secrets = endpoint.secrets
            .filter(({ until }) => until === null || until > begun)
            .map(({ sealed }) => box.open(sealed, endpoint.id))
          const { status, headers, body } = await send(new URL(endpoint.url), message.body, {
            ...signedHeaders(message, secrets, begun),
            ...(await traced(message.taskId)),
          })
          const answer = new TextDecoder().decode(body.subarray(0, DELIVERY_ANSWER_BYTES_MAX))
          const asked = isAccepted(status) ? null : retryAfterMs(headers['retry-after'], clock.now())
          return { status, reason: null, answer, retryAfterMs: asked, durationMs: took() }
        } catch (error) {
          return { status: null, reason: reasonOf(error), answer: '', retryAfterMs: null, durationMs: took() }
        }
      }
      return byWorkspace.add(endpoint.workspaceId, () => deliveries.add(attempt))
    },
  }
}

const taskIn = (body: object): unknown => (body as { task?: { id?: unknown } }).task?.id

const isAccepted = (status: number): boolean => status >= 200 && status <= 299

function reasonOf(error: unknown): string {
  if (error instanceof NetworkError) return error.reason
  if (error instanceof PrivateAddressError) return error.code
  // A URL's own parse error repeats the URL.
  return error instanceof Error && error.name === 'Error' ? error.message : 'invalid request'
}
