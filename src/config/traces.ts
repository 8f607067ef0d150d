import { httpUrl, text } from './kinds.ts'

export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl,
  OTEL_SDK_DISABLED: text,
}
type TraceSettings = { readonly [Name in keyof typeof TRACE_SETTINGS]?: string | undefined }

/** [O7] As OpenTelemetry's specification has it: the endpoint of traces as it is, or the common one with their path. */
export function tracesUrlOf(set: TraceSettings): string | null {
  if (set.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = set
  return own ?? (base ? `${base.replace(/\/+$/, '')}/v1/traces` : null)
}
