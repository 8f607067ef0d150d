/** [O7] The header of W3C Trace Context: version, trace, span, flags. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** A span as other services know it. */
export interface SpanContext {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** Whether who began the trace records it. */
  readonly sampled: boolean
}

/** What a `traceparent` names; `null` for anything that is not one. */
export function spanContextIn(header: unknown): SpanContext | null {
  const [, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || []
  if (!traceId || !spanId || !flags) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const traceparentOf = ({ traceId, spanId, sampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
