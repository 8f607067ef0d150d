import { type CallStorage, failedResult, type KeptCall, type KeptChange } from '../../browser/call-memory.ts'
import { RESULTS_KEPT_CHARS_MAX } from '../limits.ts'

const INSTANCE = 'calls:instance'
const CALL = 'call:'
/** Calls in the order in which they began: the area itself keeps no order. */
interface Stored extends KeptCall {
  readonly at: number
}

const TOO_LARGE =
  'The browser did it, but the result was too large to keep while the connection was interrupted. Look at the page before you repeat it.'

/**
 * The calls of this browser in `chrome.storage.session`: they outlive the worker, not the browser. That area holds
 * 10 MB in all, so that of old results only the fact is kept that there were any.
 */
export function sessionCalls(area: chrome.storage.StorageArea): CallStorage {
  const sizes = new Map<string, number>()
  let next = 0
  let last: Promise<void> = Promise.resolve()

  const keep = async ({ instance, put, removed }: KeptChange): Promise<void> => {
    const items: Record<string, unknown> = { [INSTANCE]: instance }
    for (const call of put) {
      items[CALL + call.requestId] = { ...call, at: next++ } satisfies Stored
      sizes.delete(call.requestId)
      sizes.set(call.requestId, call.result?.length ?? 0)
    }
    for (const requestId of removed) sizes.delete(requestId)
    if (removed.length > 0) await area.remove(removed.map((requestId) => CALL + requestId))
    await shorten(items)
    await area.set(items)
  }

  /** The oldest large results give way. */
  async function shorten(items: Record<string, unknown>): Promise<void> {
    let chars = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    for (const [requestId, size] of sizes) {
      if (chars <= RESULTS_KEPT_CHARS_MAX) return
      const key = CALL + requestId
      const stored = (items[key] ?? (await area.get(key))[key]) as Stored | undefined
      const result = failedResult(requestId, TOO_LARGE)
      if (!stored?.result || size <= result.length) continue
      items[key] = { ...stored, result }
      sizes.set(requestId, result.length)
      chars -= size - result.length
    }
  }

  return {
    async load() {
      const stored = await area.get(null)
      const instance = stored[INSTANCE]
      if (typeof instance !== 'string') return null
      const calls = Object.entries(stored)
        .flatMap(([key, value]) => (key.startsWith(CALL) ? [value as Stored] : []))
        .sort((one, other) => one.at - other.at)
      next = (calls.at(-1)?.at ?? -1) + 1
      for (const { requestId, result } of calls) sizes.set(requestId, result?.length ?? 0)
      return { instance, calls: calls.map(({ at: _, ...call }) => call) }
    },
    save(change) {
      const saved = last.then(() => keep(change))
      last = saved.catch(() => {})
      return saved
    },
  }
}
