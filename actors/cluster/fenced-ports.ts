import { STORE_RETRY_MS } from '../../machines/limits.ts'
import type { Clock, Outbox, Webhook } from '../runtime/ports.ts'
import type { OwnedShard } from './ports.ts'

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

/**
 * [M4] Frames of a node that may have been stopped or cut off wait until the store has said that the shard is still its
 * own; else they are dropped: its next owner sends them.
 */
export function heldOutbox(
  outbox: Outbox,
  isFresh: () => boolean,
  owned: Pick<OwnedShard, 'isOwn'>,
  clock: Clock,
): Outbox {
  let held = 0
  let before: Promise<unknown> = Promise.resolve()
  const whenOwn = (send: () => void) => {
    held++
    before = before.then(async () => {
      if (await isOwn(owned, clock)) send()
      held--
    })
  }
  const isClear = () => held === 0 && isFresh()
  return {
    send(sessionId, frame) {
      if (isClear()) return outbox.send(sessionId, frame)
      whenOwn(() => outbox.send(sessionId, frame))
      return true
    },
    close(...args) {
      if (isClear()) outbox.close(...args)
      else whenOwn(() => outbox.close(...args))
    },
  }
}

/** [M4] A webhook leaves after the store has said that the shard is still this node's; else its next owner sends it. */
export const verifiedWebhook = (webhook: Webhook, owned: Pick<OwnedShard, 'isOwn'>, clock: Clock): Webhook => ({
  async post(url, body) {
    if (await isOwn(owned, clock)) await webhook.post(url, body)
  },
  async deliver(endpoint, message) {
    if (await isOwn(owned, clock)) return webhook.deliver(endpoint, message)
    return { status: null, reason: 'moved', answer: '', retryAfterMs: null, durationMs: 0 }
  },
})
