import type { ModelReply } from '../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../machines/limits.ts'
import { MODEL_FAILURES } from '../../machines/texts.ts'
import { NetworkError } from '../net/network-error.ts'
import { AnswerTooLarge } from './fetch.ts'
import { MODEL_FAILURE_CHARS_MAX } from './limits.ts'
import { APICallError } from './sdk.ts'

export type Failed = Extract<ModelReply, { kind: 'failed' }>

/** [L3] A failure that the same request again would not mend. */
export const failed = (message: string, reason?: Failed['reason']): Failed => ({
  kind: 'failed',
  message,
  ...(reason === undefined ? {} : { reason }),
  rateLimited: false,
  retryable: false,
  retryAfterMs: null,
})

/** [L37] An error that a provider sent in the middle of a streamed reply, in its own shape. */
export class ErrorInStream extends Error {
  override readonly name = 'ErrorInStream'
  readonly body: string
  constructor(said: unknown) {
    super('the provider ended the stream with an error')
    this.body = JSON.stringify(said) ?? ''
  }
  /** The status that the answer would have had if its head had not been sent before. */
  get status(): number {
    if (TOO_LONG.test(this.body)) return 400
    return /rate.?limit|RESOURCE_EXHAUSTED/i.test(this.body) ? 429 : 503
  }
}

/**
 * [L3][L6] What a provider threw, as a value: 429, 5xx and a network that failed may be tried again, the rest not.
 * The message is one short sentence, the API's own where it gave one; `apiKey` never appears in it.
 */
export function failureOf(error: unknown, apiKey: string | null, now: number): Failed {
  const network = networkErrorIn(error)
  if (network && TOO_LARGE.includes(network.reason)) return failed(MODEL_FAILURES.tooLarge)
  if (network) return { ...failed(MODEL_FAILURES.unreachable(network.reason)), retryable: true }
  const answer = answerOf(error)
  if (!answer) return failed(MODEL_FAILURES.unreadable)
  const { status, body, headers } = answer
  const said = sentenceOf(body, apiKey)
  if (status < 400) return failed(said ?? MODEL_FAILURES.unreadable)
  if ((status === 400 || status === 413) && TOO_LONG.test(`${said ?? ''} ${body ?? ''}`)) {
    return failed(said ?? MODEL_FAILURES.tooLong, 'too_long')
  }
  const rateLimited = status === 429
  const retryable = rateLimited || status >= 500
  return {
    kind: 'failed',
    message: said ?? MODEL_FAILURES.status(status),
    rateLimited,
    retryable,
    retryAfterMs: retryable ? retryAfterMs(headers?.['retry-after'], now) : null,
  }
}

function answerOf(error: unknown) {
  if (error instanceof ErrorInStream) return { status: error.status, body: error.body, headers: undefined }
  if (!APICallError.isInstance(error)) return null
  return { status: error.statusCode ?? 0, body: error.responseBody, headers: error.responseHeaders }
}

/** An answer of too many bytes, as undici calls it, or of too many objects. */
const TOO_LARGE = ['UND_ERR_RES_EXCEEDED_MAX_SIZE', AnswerTooLarge.name]

/** How the providers say that a request does not fit into the model's context window. */
const TOO_LONG =
  /prompt is too long|context_length_exceeded|maximum context length|context window|exceeds? the (?:maximum|max) (?:number of )?(?:input )?tokens|input token count|request_too_large/i

/** `Retry-After`: seconds, or a date. `null` when absent or neither. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}(\.\d+)?$/.test(header.trim())) return Math.ceil(Number(header) * SECOND_MS)
  // Dates of HTTP begin with the day's name; `Date.parse` would read far more than dates.
  const at = /^[A-Z][a-z]{2}/.test(header.trim()) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function networkErrorIn(error: unknown): NetworkError | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof NetworkError) return at
  }
  return null
}

/** What the API says in its error body, in any of the shapes that are around. */
function sentenceOf(body: string | undefined, apiKey: string | null): string | null {
  let json: unknown
  try {
    json = JSON.parse(body ?? '')
  } catch {
    return null
  }
  const text = saidIn(Array.isArray(json) ? json[0] : json)
    ?.replace(/\s+/g, ' ')
    .trim()
  if (!text) return null
  const harmless = withoutKeys(text, apiKey)
  return harmless.length > MODEL_FAILURE_CHARS_MAX ? `${harmless.slice(0, MODEL_FAILURE_CHARS_MAX)}…` : harmless
}

function saidIn(json: unknown): string | null {
  if (typeof json === 'string') return json
  if (typeof json !== 'object' || json === null) return null
  const { error, message, detail } = json as Record<string, unknown>
  return saidIn(error ?? message ?? detail)
}

/** Some APIs repeat the key that they refuse, whole or masked. */
function withoutKeys(text: string, apiKey: string | null): string {
  const without = apiKey ? text.replaceAll(apiKey, '***') : text
  return without.replace(/\b(?:sk|pk|key|AIza)[-_*]?[\w*-]{8,}/g, '***')
}
