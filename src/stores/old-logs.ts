import { outputIn } from '../../actors/events/task-events.ts'
import type { JournalEntry, Ms, TaskRecord } from '../../machines/records.ts'
import type { LogEntry, LogEvent, LogRecord, LogType } from '../../machines/task-log.ts'
import { NO_USAGE } from '../../machines/usage.ts'
import type { Transaction } from './port.ts'
import { rowOf } from './rules/log.ts'
import { LOG, partsOf, TASKS, type TaskKept } from './tables.ts'

/** What a task did stood in three tables, before its log was one: its conversation, its step records and its events. */

export interface OldStep {
  readonly taskId: string
  readonly seq: number
  readonly step: number
  readonly status: string
  readonly callId?: string
  readonly output: string | null
  readonly promptVersion?: number
  readonly createdAt: Ms
}
/** Puts the log of a task, made of what its old tables have, and says of one that has ended which parts it has. */
export function putLog(tx: Transaction, task: TaskKept, parts: OldParts): void {
  tx.put(TASKS, { ...task, ...partsOf(task) })
  for (const record of logOfOld(task, parts)) tx.put(LOG, rowOf(record))
}

export interface OldParts {
  readonly journal: readonly JournalEntry[]
  readonly steps: readonly OldStep[]
  readonly events: readonly { readonly position: number; readonly record: LogEvent }[]
}
type Unnumbered = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'n'> : never) : never

/**
 * The log of a task. Where its events tell of what the conversation has, that becomes private in them. What no event tells
 * of, since there were none yet or they are gone, comes before them under numbers that no event has, for the service alone.
 * Events that a running task did not come to, of a commit of which MongoDB kept a part, are left out: they happen again.
 */
export function logOfOld(
  task: Pick<TaskRecord, 'id' | 'workspaceId' | 'status'>,
  { journal, steps, events }: OldParts,
): LogRecord[] {
  const parts = new Parts(journal, steps)
  const all = events.map(({ position, record }) => ({ position, entry: parts.entryOf(record) }))
  const ahead = task.status === 'running' ? all.findIndex(({ entry }) => isAhead(entry)) : -1
  const told = ahead === -1 ? all : all.slice(0, ahead)
  const hidden = parts.left()
  const first = told[0]?.entry.n ?? 1
  const before = hidden.map((entry, index) => ({ ...entry, n: first - hidden.length + index }) as LogEntry)
  return [...hiddenRecords(task, before), ...inRuns(task, told)]
}

const WITH_CONVERSATION: ReadonlySet<LogType> = new Set<LogType>(['model.replied', 'tool.result', 'answer.checked'])
/** An event of what the conversation does not have. */
const isAhead = ({ kind, private: kept }: LogEntry) => WITH_CONVERSATION.has(kind) && kept === undefined

const ENTRIES_MAX = 100

/** Entries that clients do not read, in records of a size that each store takes. */
export function hiddenRecords(
  { id: taskId, workspaceId }: Pick<TaskRecord, 'id' | 'workspaceId'>,
  entries: readonly LogEntry[],
): LogRecord[] {
  const records: LogRecord[] = []
  for (let at = 0; at < entries.length; at += ENTRIES_MAX)
    records.push({ taskId, workspaceId, position: null, entries: entries.slice(at, at + ENTRIES_MAX) })
  return records
}

/** One record for entries whose numbers and positions follow each other. */
function inRuns(
  { id: taskId, workspaceId }: Pick<TaskRecord, 'id' | 'workspaceId'>,
  told: readonly { readonly position: number; readonly entry: LogEntry }[],
): LogRecord[] {
  const records: (LogRecord & { position: number; entries: LogEntry[] })[] = []
  for (const { position, entry } of told) {
    const last = records.at(-1)
    const follows = last?.position === position - 1 && last.entries.at(-1)?.n === entry.n - 1
    if (last && follows && last.entries.length < ENTRIES_MAX) {
      last.entries.push(entry)
      last.position = position
    } else records.push({ taskId, workspaceId, position, entries: [entry] })
  }
  return records
}

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>

/** What the conversation and the steps of a task have, until an event tells of it. */
class Parts {
  readonly #left: Set<JournalEntry>
  readonly #replies = new Map<number, Reply>()
  readonly #results = new Map<string, Result>()
  readonly #messages: JournalEntry[] = []
  readonly #prompts = new Map<number, number>()
  readonly #outputs = new Map<string, string>()
  readonly #used = new Map<string, Ms>()
  readonly #called = new Set<string>()
  readonly #complete: OldStep | undefined
  #ended = false

  constructor(journal: readonly JournalEntry[], steps: readonly OldStep[]) {
    this.#left = new Set(journal)
    for (const entry of journal) {
      if (entry.kind === 'reply') this.#replies.set(entry.step, entry)
      else if (entry.kind === 'result') this.#results.set(entry.requestId, entry)
      else this.#messages.push(entry)
    }
    const called = new Map<number, string[]>()
    for (const { step, status, output, promptVersion, createdAt, ...record } of steps) {
      if (status === 'thinking' && promptVersion !== undefined) this.#prompts.set(step, promptVersion)
      // The first versions did not say which call of the step: they were run in their order.
      const before = called.get(step) ?? []
      const calls = this.#replies.get(step)?.calls ?? []
      const callId = record.callId ?? (status === 'tool_use' ? calls[before.length]?.requestId : before.at(-1))
      if (callId === undefined) continue
      if (status === 'tool_use') called.set(step, [...before, callId])
      if (status === 'tool_use') this.#used.set(callId, createdAt)
      // Nothing is recorded of an empty output.
      if (status === 'tool_result' && !this.#outputs.has(callId)) this.#outputs.set(callId, '')
      if (status === 'tool_output') this.#outputs.set(callId, output ?? '')
    }
    this.#complete = steps.find(({ status }) => status === 'complete')
  }

  entryOf({ seq: n, type: kind, at, task_id, ...said }: LogEvent): LogEntry {
    const kept = this.#take(kind, said as { step: number; call_id: string })
    return { n, kind, at, public: said, ...(kept ? { private: kept } : {}) } as LogEntry
  }

  #take(kind: LogEvent['type'], { step, call_id: callId }: { step: number; call_id: string }): object | null {
    if (kind === 'tool.called') this.#called.add(callId)
    if (kind === 'task.ended') {
      this.#ended = true
      return this.#complete ? { steps: this.#complete.step } : null
    }
    const entry = this.#found(kind, step, callId)
    if (!entry) return null
    this.#left.delete(entry)
    if (kind === 'answer.checked') return checkOf(entry as Result)
    return entry.kind === 'reply' ? this.#ofReply(entry) : entry.kind === 'result' ? this.#ofResult(entry) : null
  }

  #found(kind: LogEvent['type'], step: number, callId: string): JournalEntry | undefined {
    if (kind === 'model.replied') return this.#replies.get(step)
    if (kind === 'tool.result') return this.#results.get(callId)
    if (kind === 'message.received') return this.#messages.shift()
    if (kind !== 'answer.checked') return undefined
    const calls = this.#replies.get(step)?.calls ?? []
    return calls.map(({ requestId }) => this.#results.get(requestId)).find((result) => result?.tool === 'finish')
  }

  #ofReply({ kind, step, text, usage, model, at, ...kept }: Reply) {
    const promptVersion = this.#prompts.get(step)
    return { ...kept, ...(promptVersion === undefined ? {} : { promptVersion }) }
  }

  #ofResult({ kind, step, requestId, tool, failed, durationMs, at, ...kept }: Result) {
    const output = this.#outputs.get(requestId)
    return output === undefined || output === outputIn(kept.text, failed) ? kept : { ...kept, output }
  }

  /** Entries that no event stands for, in the order in which they happened. */
  left(): Unnumbered[] {
    const entries = [...this.#left].flatMap((entry) => this.#hiddenOf(entry))
    if (this.#ended || !this.#complete) return entries
    const { step, output, createdAt } = this.#complete
    const ending = { status: 'complete', answer: output ?? '', output: null, success: true, failure: null } as const
    const kept = { ...ending, ended_by: 'completed', usage: NO_USAGE } as const
    return [...entries, { kind: 'task.ended', at: createdAt, public: kept, private: { steps: step } }]
  }

  #hiddenOf(entry: JournalEntry): Unnumbered[] {
    const { kind, at } = entry
    if (kind === 'message') return [{ kind: 'message.received', at, public: { text: entry.text } }]
    // There were no recipes.
    if (kind === 'deviation') return []
    if (kind === 'reply') {
      const { step, text, model, usage } = entry
      const replied = { kind: 'model.replied', at, public: { step, text, model, usage } } as const
      // A call that has a result comes with it.
      const open = entry.calls.filter(({ requestId }) => this.#used.has(requestId) && !this.#results.has(requestId))
      return [
        { ...replied, private: this.#ofReply(entry) },
        ...open.flatMap(({ requestId }) => this.#calledOf(step, requestId, this.#used.get(requestId) ?? at)),
      ]
    }
    // Versions with logs of this kind had no such calls.
    if (kind === 'nested') return []
    const { step, requestId: call_id, tool, failed, durationMs: duration_ms, screenshot } = entry
    const isCheck = tool === 'finish' && this.#used.size > 0 && !this.#used.has(call_id)
    if (isCheck) return [{ kind: 'answer.checked', at, public: { step, answer: '' }, private: checkOf(entry) }]
    const said = { step, call_id, tool, output: '', ...(failed ? { error: '' } : {}) }
    return [
      ...this.#calledOf(step, call_id, this.#used.get(call_id) ?? at - duration_ms),
      {
        kind: 'tool.result',
        at,
        public: { ...said, duration_ms, has_screenshot: screenshot !== null },
        private: this.#ofResult(entry),
      },
    ]
  }

  #calledOf(step: number, call_id: string, at: Ms): Unnumbered[] {
    const call = this.#replies.get(step)?.calls.find(({ requestId }) => requestId === call_id)
    if (!call || this.#called.has(call_id)) return []
    return [{ kind: 'tool.called', at, public: { step, call_id, tool: call.tool, input: call.input } }]
  }
}

const checkOf = ({ requestId, tool, text }: Result) => ({ requestId, tool, text })
