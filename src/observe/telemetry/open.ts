import type { Inspection } from '../../../actors/inspection/inspection.ts'
import type { Log, Model, Store } from '../../../actors/runtime/ports.ts'
import { followLives } from './actor-lives.ts'
import { openTracer } from './sdk.ts'
import { TaskTraces } from './task-traces.ts'
import { tracedModel } from './traced-model.ts'

/** Traces of this process, on their way to a collector. */
export interface Telemetry {
  readonly traces: TaskTraces
  /** The model, whose calls are traced. */
  model(model: Model): Model
  /** Sends what waits. Never rejects. */
  close(): Promise<void>
}

/** [O7] docs/tracing.md says what is traced. `url`: where the collector takes traces. */
export function openTelemetry(
  url: string,
  version: string,
  parts: { readonly store: Store; readonly inspection: Inspection; readonly log: Log },
): Telemetry {
  const tracer = openTracer(url, version, parts.log)
  const traces = new TaskTraces(tracer, parts.store, parts.log)
  followLives(parts.inspection, tracer, traces)
  return { traces, model: (model) => tracedModel(model, tracer, traces), close: tracer.close }
}
