import { LRUCache } from 'lru-cache'
import type { LogEntry } from '../../machines/task-log.ts'
import { type Ports, readableLog } from '../runtime/ports.ts'
import { LOGS_RECENT_CHARS_MAX, LOGS_RECENT_MS } from './limits.ts'

/**
 * The logs that clients have asked for lately: turns, steps and screenshots of a task are mostly read one after the other,
 * or again and again while it runs. Of a log that is here only what came after it is read from the store.
 */
export class RecentLogs {
  readonly #store: Pick<Ports['store'], 'log'>
  readonly #logs: LRUCache<string, readonly LogEntry[]>

  constructor({ store, clock }: Pick<Ports, 'store' | 'clock'>) {
    this.#store = store
    this.#logs = new LRUCache<string, readonly LogEntry[]>({
      maxSize: LOGS_RECENT_CHARS_MAX,
      sizeCalculation: (log) => 1 + charsOf(log),
      ttl: LOGS_RECENT_MS,
      // Without a timer of the platform.
      ttlResolution: 0,
      perf: clock,
    })
  }

  /** All of a log; nothing of one that is damaged. */
  async of(taskId: string): Promise<readonly LogEntry[]> {
    const known = this.#logs.get(taskId) ?? []
    const last = known.at(-1)
    const added = await readableLog(this.#store, taskId, last && { after: last.n })
    if (added.length === 0) return known
    const log = [...known, ...added]
    this.#logs.set(taskId, log)
    return log
  }

  /** At least what a log has of a step. */
  ofStep(taskId: string, step: number): Promise<readonly LogEntry[]> {
    return this.#logs.has(taskId) ? this.of(taskId) : readableLog(this.#store, taskId, { step })
  }
}

/** How many characters are in a value, without making text of it. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  let chars = 0
  for (const [name, inner] of Object.entries(value)) chars += name.length + charsOf(inner)
  return chars
}
