import type { Write } from '../../actors/runtime/ports.ts'
import { type JournalEntry, journalOf } from '../../machines/journal.ts'
import type { LogEntry, LogRecord } from '../../machines/task-log.ts'
import { logOfOld } from '../../src/stores/old-logs.ts'
import { anEntry, THEN } from './stores.ts'

/** The entry of a log that `anEntry` is read from. */
export function aResult(n: number, text: string, screenshot: number | null = null): LogEntry {
  const { step, requestId: call_id, tool, durationMs: duration_ms } = anEntry(text)
  const said = { step, call_id, tool, output: text, duration_ms, has_screenshot: screenshot !== null }
  return { n, kind: 'tool.result', at: THEN, public: said, private: { text, screenshot } }
}

/** A reply of a model, in the first step. */
export const aReplied = (n: number): Extract<LogEntry, { kind: 'model.replied' }> => ({
  n,
  kind: 'model.replied',
  at: THEN,
  public: { step: 1, text: '', model: 'model', usage: { inputTokens: 1, outputTokens: 1, apiCalls: 1 } },
  private: { calls: [] },
})

/** Appends one entry to the log of a task, which clients do not read. */
export const appending = (taskId: string, n: number, text: string, screenshot: number | null = null): Write => ({
  kind: 'log.append',
  record: { taskId, workspaceId: '', position: null, entries: [aResult(n, text, screenshot)] },
})

/** A log that has this conversation. */
export const aLogOf = (taskId: string, journal: readonly JournalEntry[]): LogRecord[] =>
  logOfOld({ id: taskId, workspaceId: '', status: 'running' }, { journal, steps: [], events: [] })

/** The texts of the conversation that a log has. */
export const textsIn = (log: readonly LogEntry[]): string[] =>
  journalOf(log).map((entry) => ('text' in entry ? entry.text : ''))
