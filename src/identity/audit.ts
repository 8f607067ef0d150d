import type { Clock, Ids, Log, Store } from '../../actors/runtime/ports.ts'
import type { AuditEntry, AuditRecord } from '../../machines/audit-records.ts'
import { SECOND_MS } from '../../machines/limits.ts'
import { uuidAt } from '../../machines/uuid.ts'

/** Entries that wait for a store that is away: what comes beyond them is in the service's own log alone. */
const WAITING_MAX = 10_000
const BATCH_MAX = 200
const RETRY_MS = SECOND_MS

/** [O11] Writes the audit log beside the requests that it records: nothing waits for it. */
export interface Audit {
  /** Never throws. */
  note(entry: AuditEntry): void
  /** Keeps what is noted. What the store does not take within the time is a line of the service's own log. */
  close(): Promise<void>
}

export interface AuditDeps {
  readonly store: { readonly audit: Pick<Store['audit'], 'append'> }
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
}

/** Entries are kept within milliseconds, several at a time, in their order, and tried again while the store is away. */
export function createAudit({ store, clock, ids, log }: AuditDeps): Audit {
  const waiting: AuditRecord[] = []
  let writing: Promise<void> | null = null
  let isClosed = false
  let wake = (): void => {}

  const onlyLogged = (record: AuditRecord) =>
    log.error({ audit: record }, 'An entry of the audit log could not be kept: it is in this line alone')

  async function write(): Promise<void> {
    // What else happens in this turn is in the same batch.
    await null
    for (let isAway = false; waiting.length > 0; ) {
      const batch = waiting.slice(0, BATCH_MAX)
      try {
        await store.audit.append(batch)
        waiting.splice(0, batch.length)
        isAway = false
      } catch (err) {
        if (isClosed) return waiting.splice(0).forEach(onlyLogged)
        if (!isAway)
          log.warn({ err, waiting: waiting.length }, 'The audit log cannot be written now; it is tried again')
        isAway = true
        await new Promise<void>((resolve) => {
          wake = resolve
          clock.setTimeout(resolve, RETRY_MS)
        })
      }
    }
  }

  return {
    note(entry) {
      const at = clock.now()
      const record = recordOf(entry, at, entry.id ?? uuidAt(at, ids.uuid()))
      if (isClosed || waiting.length >= WAITING_MAX) return onlyLogged(record)
      waiting.push(record)
      writing ??= write().finally(() => {
        writing = null
      })
    },
    async close() {
      isClosed = true
      wake()
      await writing
    },
  }
}

/** A record of what is noted. */
export const recordOf = (entry: AuditEntry, at: number, id: string): AuditRecord => ({
  id,
  at,
  workspaceId: entry.workspaceId,
  action: entry.action,
  outcome: entry.outcome ?? 'done',
  actor: entry.actor,
  keyId: entry.keyId ?? null,
  resource: entry.resource ?? null,
  address: entry.address ?? null,
  details: entry.details ?? null,
})
