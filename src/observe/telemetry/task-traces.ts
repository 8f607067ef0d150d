import { LRUCache } from 'lru-cache'
import type { Log, Store, Write } from '../../../actors/runtime/ports.ts'
import type { TaskRecord } from '../../../machines/records.ts'
import { eventsIn, type LogEvent, type LogRecord } from '../../../machines/task-log.ts'
import { traceparentOf } from '../../wire/traceparent.ts'
import { EVENTS_READ_MAX, TRACES_MAX } from './limits.ts'
import type { Tracer } from './sdk.ts'
import { TaskTrace, taskSpan } from './task-trace.ts'

interface Entry {
  /** Never rejects; `null` for a task that cannot be read. */
  readonly opened: Promise<TaskTrace | null>
  trace: TaskTrace | null
}

/** The traces of the tasks that run, made of what the store was given to keep. */
export class TaskTraces {
  readonly #tracer: Tracer
  readonly #log: Pick<Log, 'warn'>
  readonly #read: Pick<Store, 'tasks' | 'events'>
  readonly #entries = new LRUCache<string, Entry>({ max: TRACES_MAX })

  constructor(tracer: Tracer, read: Pick<Store, 'tasks' | 'events'>, log: Pick<Log, 'warn'>) {
    this.#tracer = tracer
    this.#read = read
    this.#log = log
  }

  /** The store, whose writes are followed once they are kept. */
  followed<S extends Store>(store: S): S {
    return {
      ...store,
      commit: async (writes) => {
        await store.commit(writes)
        this.#kept(writes)
      },
      tasks: {
        ...store.tasks,
        end: async (ending, last) => {
          const outcome = await store.tasks.end(ending, last)
          if (last && outcome === 'ended') this.#followed(last)
          return outcome
        },
      },
    }
  }

  /** The trace of a task, if it is in memory. */
  known(taskId: string): TaskTrace | null {
    return this.#entries.get(taskId)?.trace ?? null
  }

  /** The same; after a restart it is read from the store. Never rejects. */
  open(taskId: string): Promise<TaskTrace | null> {
    return this.#entry(taskId).opened
  }

  /** [O7] What the frame of a tool call carries; `null` while the task's trace is still being read. */
  call(taskId: string, callId: string): string | null {
    return this.known(taskId)?.call(callId) ?? null
  }

  /** [O7] What webhooks of a task carry: its span, also when it has ended. Never rejects. */
  async ofTask(taskId: string): Promise<string | null> {
    const record = await this.#read.tasks.get(taskId).catch(() => null)
    // It is not ended a second time, and so not sent a second time.
    return record && traceparentOf(taskSpan(this.#tracer, record).context)
  }

  #kept(writes: readonly Write[]): void {
    for (const write of writes) if (write.kind === 'task.insert') this.#begin(write.record)
    for (const write of writes) if (write.kind === 'log.append') this.#followed(write.record)
  }

  #followed(record: LogRecord): void {
    for (const { event } of eventsIn(record)) this.#happened(event)
  }

  #begin(record: TaskRecord): void {
    const trace = new TaskTrace(this.#tracer, record)
    this.#entries.set(record.id, { opened: Promise.resolve(trace), trace })
  }

  #happened(event: LogEvent): void {
    const { opened } = this.#entry(event.task_id, event.seq)
    if (event.type === 'task.ended') this.#entries.delete(event.task_id)
    void opened.then((trace) => trace?.happened(event))
  }

  /** `before`: what happened from this number on is told after it. */
  #entry(taskId: string, before = Number.POSITIVE_INFINITY): Entry {
    const known = this.#entries.get(taskId)
    if (known) return known
    const opened = this.#load(taskId, before).then((trace) => {
      entry.trace = trace
      if (trace === null) this.#entries.delete(taskId)
      return trace
    })
    const entry: Entry = { opened, trace: null }
    this.#entries.set(taskId, entry)
    return entry
  }

  async #load(taskId: string, before: number): Promise<TaskTrace | null> {
    try {
      const record = await this.#read.tasks.get(taskId)
      if (!record) return null
      const events = await this.#read.events.newest(taskId, EVENTS_READ_MAX)
      const trace = new TaskTrace(this.#tracer, record)
      trace.resume(events.map(({ event }) => event).filter(({ seq }) => seq < before))
      return trace
    } catch (error) {
      this.#log.warn({ taskId, err: error }, 'The trace of a task could not be read')
      return null
    }
  }
}
