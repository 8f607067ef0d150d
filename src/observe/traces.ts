import type { Log, Store, TraceKind } from '../../actors/runtime/ports.ts'

/** What became of a webhook: the answer's status, or why there was none. */
export interface WebhookOutcome {
  readonly status: number | null
  readonly reason: string | null
}

export interface Traces {
  /** A task is over; its way, as JSON, is written down a moment later. */
  ended(taskId: string, trace: () => string): void
  webhook(taskId: string, outcome: WebhookOutcome): void
  /** Resolves when all of them are kept, or given up. */
  flushed(): Promise<void>
}

/** Keeps what is known of tasks beside their records: best effort, a failure is logged and changes nothing. */
export function openTraces(store: Pick<Store, 'traces'>, log: Log): Traces {
  const waiting = new Set<Promise<void>>()
  const keep = (taskId: string, kind: TraceKind, text: () => string) => {
    // Not on the path of what ends the task.
    const kept = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => store.traces.keep(taskId, kind, text()))
      .catch((err: unknown) => log.warn({ taskId, kind, err }, 'A task trace could not be saved'))
      .finally(() => waiting.delete(kept))
    waiting.add(kept)
  }
  return {
    ended: (taskId, trace) => keep(taskId, 'transitions', trace),
    webhook: (taskId, outcome) => keep(taskId, 'webhook', () => JSON.stringify(outcome)),
    async flushed() {
      while (waiting.size > 0) await Promise.all(waiting)
    },
  }
}
