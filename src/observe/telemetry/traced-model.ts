import type { Model, ModelReply, ModelRequest } from '../../../actors/runtime/ports.ts'
import { traceparentOf } from '../../wire/traceparent.ts'
import { TRACE_READ_MS_MAX } from './limits.ts'
import type { OpenSpan, Tracer } from './sdk.ts'
import type { TaskTraces } from './task-traces.ts'

/** Providers as OpenTelemetry's GenAI conventions name them. */
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gcp.gemini' }

/**
 * [O7] The model with a span for each attempt, under the step that it is for. The request to the provider carries it. Prompts and
 * replies are not in it.
 */
export function tracedModel(model: Model, tracer: Tracer, traces: TaskTraces): Model {
  const { choices, small } = model
  return {
    ...model,
    ...(small ? { small: tracedModel(small, tracer, traces) } : {}),
    ...(choices
      ? { choices: new Map([...choices].map(([id, choice]) => [id, tracedModel(choice, tracer, traces)])) }
      : {}),
    async ask(request, signal, hear) {
      const span = await startSpan(model, request, tracer, traces)
      const begun = performance.now()
      let heard = false
      try {
        const reply = await model.ask({ ...request, traceparent: traceparentOf(span.context) }, signal, (text) => {
          if (!heard) span.set({ 'gen_ai.response.time_to_first_chunk': (performance.now() - begun) / 1_000 })
          heard = true
          hear?.(text)
        })
        ended(span, reply)
        return reply
      } catch (error) {
        span.end({ error: signal.aborted ? 'aborted' : 'crash' })
        throw error
      }
    },
  }
}

async function startSpan(
  { id, provider }: Model,
  { task, maxTokens }: ModelRequest,
  tracer: Tracer,
  traces: TaskTraces,
): Promise<OpenSpan> {
  const trace = task ? (traces.known(task.id) ?? (await inTime(traces.open(task.id)))) : null
  return tracer.start({
    name: `chat ${id}`,
    kind: 'client',
    parent: (task && trace?.step(task.step)) ?? null,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
      'gen_ai.request.model': id,
      'gen_ai.request.max_tokens': maxTokens,
      ...(task ? { 'gen_ai.conversation.id': task.id } : {}),
    },
  })
}

const inTime = <T>(work: Promise<T>): Promise<T | null> =>
  Promise.race([work, new Promise<null>((resolve) => setTimeout(resolve, TRACE_READ_MS_MAX, null).unref())])

function ended(span: OpenSpan, reply: ModelReply): void {
  if (reply.kind === 'failed') {
    // The message may quote what the endpoint answered.
    const error = reply.reason ?? (reply.rateLimited ? 'rate_limited' : reply.retryable ? 'unavailable' : 'refused')
    span.end({ error })
    return
  }
  span.set({
    'gen_ai.response.model': reply.model,
    'gen_ai.usage.input_tokens': reply.inputTokens,
    'gen_ai.usage.output_tokens': reply.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': reply.cachedTokens ?? 0,
    'gen_ai.usage.cache_creation.input_tokens': reply.cacheWriteTokens ?? 0,
  })
  span.end()
}
