import type { TaskRecord } from '../../../machines/records.ts'
import type { LogEvent } from '../../../machines/task-log.ts'
import { type SpanContext, spanContextIn, traceparentOf } from '../../wire/traceparent.ts'
import { spanIdOf, traceIdOf } from './ids.ts'
import type { OpenSpan, Tracer } from './sdk.ts'

/** What is noted in the span of a task, by name alone. */
const NOTED: ReadonlySet<LogEvent['type']> = new Set<LogEvent['type']>([
  'task.queued',
  'browser.connected',
  'browser.away',
  'input.requested',
  'input.answered',
  'message.received',
  'budget.warned',
])

/** The span of a whole task: begun again with the same ids by each process that goes on with it, ended by the last. */
export function taskSpan(
  tracer: Tracer,
  { id, workspaceId, createdAt, door, model, traceparent }: TaskRecord,
): OpenSpan {
  const parent = spanContextIn(traceparent)
  return tracer.start({
    name: 'invoke_agent browser-task',
    at: createdAt,
    parent,
    isRemote: true,
    ids: { traceId: traceIdOf(id), spanId: spanIdOf(id) },
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'browser-task',
      'gen_ai.conversation.id': id,
      ...(model ? { 'gen_ai.request.model': model } : {}),
      'browser_task.workspace.id': workspaceId,
      'browser_task.door': door,
    },
  })
}

/** [O7] The open spans of one running task, moved by the events of its log. No text of the task or of pages is in them. */
export class TaskTrace {
  readonly #tracer: Tracer
  readonly #taskId: string
  readonly #span: OpenSpan
  readonly #calls = new Map<string, OpenSpan>()
  #step: OpenSpan | null = null
  #seq = 0

  constructor(tracer: Tracer, record: TaskRecord) {
    this.#tracer = tracer
    this.#taskId = record.id
    this.#span = taskSpan(tracer, record)
  }

  /** Under which the model calls of a step are. */
  step(step: number): SpanContext {
    return { ...this.#span.context, spanId: this.#id('step', step) }
  }

  /** What the frame of a tool call carries. */
  call(callId: string): string {
    return traceparentOf({ ...this.#span.context, spanId: this.#id('call', callId) })
  }

  get context(): SpanContext {
    return this.#span.context
  }

  /** Opens what an earlier process left open. `events`: the last of its log. */
  resume(events: readonly LogEvent[]): void {
    const from = Math.max(0, events.map(({ type }) => type).lastIndexOf('step.started'))
    const last = events.slice(from)
    const settled = new Set(last.map((event) => event.type === 'tool.result' && event.call_id))
    for (const event of last) {
      if (event.type === 'step.started' || (event.type === 'tool.called' && !settled.has(event.call_id)))
        this.happened(event)
    }
    this.#seq = Math.max(this.#seq, events.at(-1)?.seq ?? 0)
  }

  happened(event: LogEvent): void {
    if (event.seq <= this.#seq) return
    this.#seq = event.seq
    const { type, at } = event
    if (NOTED.has(type)) this.#span.event(type, at)
    else if (type === 'step.started') {
      this.#step?.end({ at })
      this.#step = this.#start('step', at, this.context, this.#id('step', event.step), {
        'browser_task.step': event.step,
      })
    } else if (type === 'tool.called') {
      const { call_id: id, tool, step } = event
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': id,
      }
      const span = this.#start(`execute_tool ${tool}`, at, this.step(step), this.#id('call', id), attributes)
      this.#calls.set(id, span)
    } else if (type === 'tool.result') {
      const failed = event.error !== undefined
      this.#calls.get(event.call_id)?.end({ at, ...(failed ? { error: 'tool_failed' } : {}) })
      this.#calls.delete(event.call_id)
    } else if (type === 'task.ended') this.#ended(event)
  }

  #ended({ at, ended_by, status, failure, usage }: Extract<LogEvent, { type: 'task.ended' }>): void {
    for (const call of this.#calls.values()) call.end({ at, error: ended_by })
    this.#step?.end({ at })
    this.#span.set({
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens ?? 0,
      'browser_task.ended_by': ended_by,
    })
    this.#span.end({ at, ...(status === 'error' ? { error: failure ?? ended_by } : {}) })
  }

  #id(kind: 'step' | 'call', of: number | string): string {
    return spanIdOf(this.#taskId, kind, of)
  }

  #start(name: string, at: number, parent: SpanContext, spanId: string, attributes: Record<string, string | number>) {
    return this.#tracer.start({ name, at, parent, ids: { traceId: parent.traceId, spanId }, attributes })
  }
}
