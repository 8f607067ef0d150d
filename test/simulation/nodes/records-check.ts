import { TO_MODEL } from '../../../machines/failures.ts'
import type { JournalEntry, StepRecord } from '../../../machines/records.ts'
import type { Kept } from '../database/kept.ts'
import type { Changed, Fenced } from '../database/rows.ts'

/** [T51 T52] Step records: of a task that has ended they say what was done, and nothing that was not. */
export class RecordsCheck {
  readonly #kept: () => Kept
  readonly #broken: (how: string) => void
  /** Tasks some of whose records the store did not take in time. */
  readonly #incomplete = new Set<string>()
  /** Who wrote something of a task. */
  readonly #writers = new Map<string, Set<string>>()

  constructor(kept: () => Kept, broken: (how: string) => void) {
    this.#kept = kept
    this.#broken = broken
  }

  /** An owner gives these to the store; `done` is the store's answer. */
  appended(records: readonly StepRecord[], done: Promise<void>): void {
    const ids = records.map(({ taskId }) => taskId)
    done.catch(() => {
      for (const id of ids) this.#incomplete.add(id)
    })
  }

  changed(changes: readonly Changed[], by: Fenced | null): void {
    for (const { table, key } of changes) {
      if (table !== 'tasks' && table !== 'journal.entries') continue
      const [id = ''] = key.split(':')
      this.#writers.set(id, (this.#writers.get(id) ?? new Set()).add(`${by?.ids[0]} ${by?.epoch}`))
    }
  }

  /** When all is over. */
  check(): void {
    for (const { id, status, steps } of this.#kept().tasks.values()) {
      // What one owner did before it was lost may not be recorded, and what it could not keep may be.
      if (status === 'running' || this.#incomplete.has(id) || (this.#writers.get(id)?.size ?? 0) > 1) continue
      const list = this.#kept().steps(id)
      const journal = this.#kept().journal(id)
      const calls = new Set(journal.flatMap((entry) => (entry.kind === 'reply' ? entry.calls : [])).map(requestIdOf))
      for (const { step, callId } of list) {
        if (step > steps) this.#broken(`${id} has ${steps} steps, and a record of step ${step}`)
        if (callId !== undefined && !calls.has(callId))
          this.#broken(`a record of ${id} is of ${callId}, which is no call of it`)
      }
      // What the model reads when its answer is checked is an event, and no output of a tool.
      for (const entry of journal)
        if (
          !(entry.kind === 'result' && entry.text.startsWith(TO_MODEL.checkAnswer)) &&
          !list.some((record) => isOf(record, entry))
        )
          this.#broken(`${id} has no record of ${JSON.stringify(entry)}`)
      const last = list.at(-1)
      if ((last?.status === 'complete') !== (status === 'complete'))
        this.#broken(`${id} is ${status}, and its last record is ${last?.status}`)
    }
  }
}

const requestIdOf = ({ requestId }: { requestId: string }) => requestId

/** Whether the record says what the journal says. */
function isOf(record: StepRecord, entry: JournalEntry): boolean {
  if (entry.kind === 'message') return true
  if (record.step !== entry.step) return false
  return entry.kind === 'reply'
    ? record.status === 'thinking' && record.output === (entry.text || null)
    : record.status === 'tool_result' && record.callId === entry.requestId && record.durationMs === entry.durationMs
}
