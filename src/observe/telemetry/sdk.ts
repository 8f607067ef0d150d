import { type Attributes, type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, RandomIdGenerator, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Log } from '../../../actors/runtime/ports.ts'
import type { Ms } from '../../../machines/records.ts'
import type { SpanContext } from '../../wire/traceparent.ts'
import { CLOSE_MS_MAX, SPANS_SENT_EVERY_MS, SPANS_WAITING_MAX } from './limits.ts'

export interface SpanStart {
  readonly name: string
  /** `client`: a request to another service. */
  readonly kind?: 'internal' | 'client'
  readonly attributes: Attributes
  /** Left out: now. */
  readonly at?: Ms
  /** `null`: the span begins a trace. */
  readonly parent: SpanContext | null
  /** The parent is another service's. */
  readonly isRemote?: boolean
  /** In place of random ones: the same span has the same ids in every process. The trace is the parent's, if there is one. */
  readonly ids?: { readonly traceId: string; readonly spanId: string }
}

export interface OpenSpan {
  readonly context: SpanContext
  set(attributes: Attributes): void
  /** Something that happened in it. */
  event(name: string, at: Ms): void
  /** `error`: what went wrong, in a word of a small set. */
  end(how?: { readonly at?: Ms; readonly error?: string }): void
}

export interface Tracer {
  start(span: SpanStart): OpenSpan
  /** Sends what waits, for at most CLOSE_MS_MAX. Never rejects. */
  close(): Promise<void>
}

/**
 * [O7] The one importer of OpenTelemetry's packages. Spans leave in batches, in the background; what a collector that is away
 * does not take is dropped. The exporter reads the other `OTEL_EXPORTER_OTLP_*` variables (headers, timeout, compression)
 * by itself, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` describe the process.
 */
export function openTracer(url: string, version: string, log: Log): Tracer {
  let next: SpanStart['ids'] | null = null
  const random = new RandomIdGenerator()
  const exporter = reporting(new OTLPTraceExporter({ url }), log)
  const about = resourceFromAttributes({ 'service.name': 'browser-task-service', 'service.version': version })
  const provider = new TracerProvider({
    resource: about.merge(detectResources({ detectors: [envDetector] })),
    idGenerator: {
      generateTraceId: () => next?.traceId ?? random.generateTraceId(),
      generateSpanId: () => next?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: SPANS_WAITING_MAX, scheduledDelayMillis: SPANS_SENT_EVERY_MS }),
    ],
  })
  const tracer = provider.getTracer('browser-task-service', version)
  return {
    start({ name, kind = 'internal', attributes, at, parent, isRemote = false, ids: given }) {
      next = given ?? null
      const options = {
        kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
        attributes,
        // A number would count from the start of the process where it is small.
        ...(at === undefined ? {} : { startTime: new Date(at) }),
      }
      const span = tracer.startSpan(name, options, parent ? under(parent, isRemote) : ROOT_CONTEXT)
      next = null
      const { traceId, spanId, traceFlags } = span.spanContext()
      return {
        context: { traceId, spanId, sampled: (traceFlags & 1) === 1 },
        set: (more) => void span.setAttributes(more),
        event: (event, when) => void span.addEvent(event, new Date(when)),
        end({ at: until, error } = {}) {
          if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR })
          span.end(until === undefined ? undefined : new Date(until))
        },
      }
    },
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS_MAX).unref())
      await Promise.race([provider.shutdown().catch(() => {}), late])
    },
  }
}

const under = ({ traceId, spanId, sampled }: SpanContext, isRemote: boolean): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: sampled ? 1 : 0, isRemote })

/** Says once that the collector takes no spans, and once that it takes them again. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        if (failed && !failing)
          log.warn({ reason: result.error?.message, spans: spans.length }, 'The OpenTelemetry collector takes no spans')
        else if (!failed && failing) log.info({}, 'The OpenTelemetry collector takes spans again')
        failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
