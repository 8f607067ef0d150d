import { STORE_RETRY_MS } from '../../machines/limits.ts'
import { NODE_LATE_MS } from '../limits.ts'
import type { Clock, Outbox, Ports, Webhook } from '../runtime/ports.ts'
import type { OwnedShard } from './ports.ts'

/** What a node knows of itself when something of a shard is about to leave it. */
export interface LeaseClock {
  /** Whether the service that sends is the one that runs the shard here. */
  readonly isHere: () => boolean
  /** Since the last renewal of the node's lease began. */
  readonly sinceRenewalMs: () => number
  /** A clock that nobody sets, in ms. */
  readonly monotonic: () => number
}

/**
 * [M4] What leaves a shard's service leaves it while the shard is its node's own. Others take a shard without a hand-over
 * when its node is `NODE_LATE_MS` late at the soonest: up to then frames need no word of the store, later they do.
 */
export function fencedPorts(
  { outbox, webhook, clock }: Pick<Ports, 'outbox' | 'webhook' | 'clock'>,
  owned: Pick<OwnedShard, 'isOwn'>,
  { isHere, sinceRenewalMs, monotonic }: LeaseClock,
): Pick<Ports, 'outbox' | 'webhook'> {
  // What the store said is old when a node that was stopped meanwhile hears it: then it is asked again.
  const isOwn = async (): Promise<boolean> => {
    const startedAt = monotonic()
    if (!(await owned.isOwn()) || !isHere()) return false
    return monotonic() - startedAt < NODE_LATE_MS || isOwn()
  }
  const leaseIsSafe = () => sinceRenewalMs() < NODE_LATE_MS && isHere()
  return {
    outbox: heldOutbox(outbox, leaseIsSafe, { isOwn }, clock),
    webhook: verifiedWebhook(webhook, { isOwn }, clock),
  }
}

/** Whether the shard is still this node's: asked until the store has said so. */
async function isOwn(owned: Pick<OwnedShard, 'isOwn'>, clock: Clock): Promise<boolean> {
  for (;;) {
    try {
      return await owned.isOwn()
    } catch {
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, STORE_RETRY_MS))
    }
  }
}

/** Frames wait until the store has said that the shard is still its node's; else they are dropped: its next owner sends them. */
function heldOutbox(
  outbox: Outbox,
  leaseIsSafe: () => boolean,
  owned: Pick<OwnedShard, 'isOwn'>,
  clock: Clock,
): Outbox {
  let waiting = 0
  let before: Promise<unknown> = Promise.resolve()
  const whenOwn = (send: () => unknown) => {
    waiting++
    before = before.then(async () => {
      if (await isOwn(owned, clock)) send()
      waiting--
    })
  }
  const isClear = () => waiting === 0 && leaseIsSafe()
  return {
    send(sessionId, frame, isWanted = () => true) {
      if (isClear()) return outbox.send(sessionId, frame)
      whenOwn(() => isWanted() && outbox.send(sessionId, frame))
      return true
    },
    close(...args) {
      if (isClear()) outbox.close(...args)
      else whenOwn(() => outbox.close(...args))
    },
  }
}

/** A webhook leaves after the store has said that the shard is still its node's; else its next owner sends it. */
const verifiedWebhook = (webhook: Webhook, owned: Pick<OwnedShard, 'isOwn'>, clock: Clock): Webhook => ({
  async post(url, body) {
    if (await isOwn(owned, clock)) await webhook.post(url, body)
  },
  async deliver(endpoint, message) {
    if (await isOwn(owned, clock)) return webhook.deliver(endpoint, message)
    return { status: null, reason: 'moved', answer: '', retryAfterMs: null, durationMs: 0 }
  },
})
