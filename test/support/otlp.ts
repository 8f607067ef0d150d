import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as it came in. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly string[]
  readonly failed: boolean
  readonly fromMs: number
  readonly toMs: number
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
}
interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly { readonly key: string; readonly value: Value }[]
  readonly events: readonly { readonly name: string }[]
  readonly status: { readonly code?: number }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

/** A collector of OTLP over HTTP with JSON. */
export async function openCollector() {
  const spans: ReceivedSpan[] = []
  const texts: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = String(Buffer.concat(chunks))
      texts.push(text)
      if (request.url === '/v1/traces') spans.push(...spansIn(text))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    texts,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const spansIn = (text: string): ReceivedSpan[] =>
  JSON.parse(text).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: SentSpan[] }[] }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(received)),
  )

const received = (span: SentSpan): ReceivedSpan => ({
  ...span,
  parentSpanId: span.parentSpanId || null,
  attributes: Object.fromEntries(
    span.attributes.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? doubleValue ?? Number(intValue),
    ]),
  ),
  events: span.events.map(({ name }) => name),
  failed: span.status.code === 2,
  fromMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
  toMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
})
