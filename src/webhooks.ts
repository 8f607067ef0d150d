import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isIPv6 } from 'node:net'
import PQueue from 'p-queue'
import type { Clock, Log, Webhook } from '../actors/runtime/ports.ts'
import {
  WEBHOOK_ANSWER_BYTES_MAX,
  WEBHOOK_TIMEOUT_MS,
  WEBHOOKS_AT_ONCE_MAX,
  WEBHOOKS_WAITING_MAX,
} from '../machines/limits.ts'
import { NetworkError } from './network-error.ts'
import type { Outgoing } from './outgoing.ts'
import { addressIn, isPublicAddress } from './webhooks/public-address.ts'

export interface WebhookSettings {
  /** Whether loopback, private and other addresses that are not the public internet's may be called. */
  readonly allowPrivate: boolean
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>
  readonly log: Log
  /** What became of a task's webhook: the answer's status, or why there was none. */
  readonly onOutcome?: (taskId: string, outcome: { status: number | null; reason: string | null }) => void
  /** All addresses of a name; the system's resolver when it is not given. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
}

/** A target that may not be called. `code` is what the log shows. */
class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS'
}

const systemResolve = async (name: string) => (await systemLookup(name, { all: true })).map(({ address }) => address)

/**
 * Calls webhooks. [W3] One POST each, no retry, no redirect, [W4] at most WEBHOOK_TIMEOUT_MS from connecting to the end of the answer,
 * WEBHOOKS_AT_ONCE_MAX at a time; more wait their turn. [W5] `post` never rejects: a failure is logged, with the target's host alone,
 * since paths and queries of webhooks often are secrets.
 * [W7][W8] Without `allowPrivate` a connection is made only to addresses that were checked, all of a name's or none.
 */
export function openWebhook(settings: WebhookSettings): Webhook {
  const { clock, log } = settings
  const queue = new PQueue({ concurrency: WEBHOOKS_AT_ONCE_MAX })
  let opened: Promise<Outgoing> | null = null
  // The client is loaded with the first webhook: a service that calls none starts sooner.
  const outgoing = () => {
    opened ??= import('./outgoing.ts').then(({ openOutgoing }) =>
      openOutgoing({
        keepAliveMs: 0,
        silenceMs: WEBHOOK_TIMEOUT_MS,
        answerBytesMax: WEBHOOK_ANSWER_BYTES_MAX,
        lookup: checkedLookup(settings.resolve ?? systemResolve, settings.allowPrivate),
      }),
    )
    return opened
  }

  async function send(url: URL, body: string): Promise<number> {
    const address = addressIn(url)
    if (!settings.allowPrivate && address !== null && !isPublicAddress(address)) throw new PrivateAddressError()
    const abort = new AbortController()
    const timer = clock.setTimeout(() => abort.abort(new Error('timeout')), WEBHOOK_TIMEOUT_MS)
    try {
      const { status } = await (await outgoing()).exchange(url.href, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'browser-task-service' },
        body,
        signal: abort.signal,
      })
      if (status < 200 || status > 299) log.warn({ host: url.host, status }, 'A webhook was not accepted.')
      return status
    } finally {
      clock.clearTimeout(timer)
    }
  }

  const tell = (body: object, outcome: { status: number | null; reason: string | null }): void => {
    const { task } = body as { task?: { id?: unknown } }
    if (typeof task?.id === 'string') settings.onOutcome?.(task.id, outcome)
  }

  return {
    async post(target, body) {
      let host: string | null = null
      try {
        const url = new URL(target)
        host = url.host
        if (queue.size >= WEBHOOKS_WAITING_MAX) throw new Error('too many webhooks are waiting')
        // Written down at once: what is told is what was true when it was announced.
        const text = JSON.stringify(body)
        const status = await queue.add(() => send(url, text))
        tell(body, { status, reason: null })
      } catch (error) {
        const reason = reasonOf(error)
        log.warn({ host, reason }, 'A webhook could not be delivered.')
        tell(body, { status: null, reason })
      }
    },
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof NetworkError) return error.reason
  if (error instanceof PrivateAddressError) return error.code
  // A URL's own parse error repeats the URL.
  return error instanceof Error && error.name === 'Error' ? error.message : 'invalid request'
}

/**
 * [W8] Name resolution and check in one: what the socket connects to is what was checked, there is no second look-up between them.
 */
function checkedLookup(resolve: (name: string) => Promise<readonly string[]>, allowPrivate: boolean): LookupFunction {
  return (name, options, callback) => {
    const resolved = Promise.resolve()
      .then(() => resolve(name))
      .then((addresses) => {
        const [first] = addresses
        if (first === undefined) throw new Error(`no address for ${name}`)
        if (!allowPrivate && !addresses.every(isPublicAddress)) throw new PrivateAddressError()
        return { first, all: addresses.map((address) => ({ address, family: familyOf(address) })) }
      })
    resolved.then(
      ({ first, all }) => (options.all ? callback(null, all) : callback(null, first, familyOf(first))),
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 6 : 4)
