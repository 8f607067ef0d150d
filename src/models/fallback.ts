import type { Log, Model } from '../../actors/runtime/ports.ts'
import { CONTEXT_TOKENS_DEFAULT } from '../../machines/limits.ts'

/**
 * [L17] A model with a second one for when the first is down: a failure that may pass (429, 5xx, a network error) is
 * answered by the second in the same attempt. What the first one reasoned is not sent to the second.
 */
export function fallbackModel(first: Model, second: Model, log: Log): Model {
  return {
    id: first.id,
    provider: first.provider,
    get contextTokens() {
      return Math.min(first.contextTokens ?? CONTEXT_TOKENS_DEFAULT, second.contextTokens ?? CONTEXT_TOKENS_DEFAULT)
    },
    lessons: () => [...(first.lessons?.() ?? []), ...(second.lessons?.() ?? [])],
    async ask(request, signal, hear) {
      const reply = await first.ask(request, signal, hear)
      if (reply.kind === 'reply' || !reply.retryable) return reply
      log.warn({ model: first.id, fallback: second.id }, 'The fallback model is asked')
      const other = await second.ask(request, signal, hear)
      // Both are down: what the first one said is what the operator looks for.
      return other.kind === 'reply' ? other : reply
    },
  }
}
