import type { ModelReply } from '../../actors/runtime/ports.ts'
import { MODEL_FAILURES } from '../../machines/texts.ts'
import { NetworkError } from '../net/network-error.ts'
import { AnswerTooLarge } from './fetch.ts'
import { MODEL_FAILURE_CHARS_MAX } from './limits.ts'
import { APICallError } from './sdk.ts'
import { toldWaitMs } from './told-wait.ts'
import { tooLong } from './too-long.ts'

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

/** An endpoint answered with something else than a reply. */
export class EndpointRefusal extends Error {
  override readonly name = 'EndpointRefusal'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  constructor(status: number, headers: Readonly<Record<string, string>>, body: string) {
    super(`the endpoint answered with status ${status}`)
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** An endpoint's answer has the right type but not what a reply has. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer'
}

/** The connection was closed in good order, but in the middle of a reply. */
class Ended extends Error {
  override readonly name = 'STREAM_ENDED'
}
export class StreamEnded extends NetworkError {
  constructor() {
    super(new Ended())
  }
}

/** [L37] An error that a provider sent in place of a reply, or in the middle of a streamed one, in its own shape. */
export class ErrorInStream extends Error {
  override readonly name = 'ErrorInStream'
  readonly body: string
  constructor(said: unknown) {
    super('the provider sent an error in place of a reply')
    this.body = JSON.stringify(said) ?? ''
  }
  /** The status that the answer would have had if its head had not been sent before. */
  get status(): number {
    const told = Number(/"(?:code|status)"\s*:\s*"?(\d{3})\b/.exec(this.body)?.[1])
    if (told >= 400 && told < 600) return told
    if (tooLong(this.body) || /invalid_request|INVALID_ARGUMENT/i.test(this.body)) return 400
    if (/authentication|permission|invalid_api_key/i.test(this.body)) return 401
    return /rate.?limit|RESOURCE_EXHAUSTED/i.test(this.body) ? 429 : 503
  }
}

/** [L3] Statuses below 500 that another attempt may not meet: late, in conflict, too early, limited, or closed by the client. */
const PASSING = [408, 409, 424, 425, 429, 499]
const TOO_LONG_STATUSES = [400, 413, 422, 500]
/** [L3] A limit that no waiting lifts: the account has nothing left, whatever the status. */
const SPENT =
  /insufficient_quota|insufficient (?:credits?|balance|funds)|billing|exceeded your current quota|payment required/i

/**
 * [L3][L6] What a provider threw, as a value: what may pass (429, 5xx, a network that failed, an answer that cannot be read) may be
 * tried again, the rest not. The message is one short sentence, the API's own where it gave one; `apiKey` never appears in it.
 */
export function failureOf(error: unknown, apiKey: string | null, now: number): Failed {
  const network = networkErrorIn(error)
  if (network && TOO_LARGE.includes(network.reason)) return failed(MODEL_FAILURES.tooLarge)
  if (network) return { ...failed(MODEL_FAILURES.unreachable(network.reason)), retryable: true }
  const answer = answerOf(error)
  if (!answer || answer.status < 300) {
    const said = answer && sentenceOf(answer.body, apiKey)
    return { ...failed(said ?? MODEL_FAILURES.unreadable), retryable: true }
  }
  const { status, headers } = answer
  const body = answer.body ?? ''
  const said = sentenceOf(body, apiKey)
  if (status < 400) return failed(MODEL_FAILURES.redirected(status, String(headers?.location ?? '')))
  const long = TOO_LONG_STATUSES.includes(status) ? tooLong(body) : null
  if (long) {
    return {
      ...failed(said ?? MODEL_FAILURES.tooLong, 'too_long'),
      ...(long.window ? { contextTokens: long.window } : {}),
    }
  }
  const rateLimited = status === 429
  const retryable = (PASSING.includes(status) || status >= 500) && !(status === 429 && isSpent(body))
  return {
    kind: 'failed',
    message: said ?? namedAnswer(status, headers?.['content-type']),
    rateLimited,
    retryable,
    retryAfterMs: retryable ? toldWaitMs(headers ?? {}, body, now) : null,
  }
}

/** A limit that ends by waiting is none of the account's, though its sentence may link to the bill: Google says “quota” of limits a minute. */
const isSpent = (body: string) => SPENT.test(body) && toldWaitMs({}, body, 0) === null && !/per.?minute/i.test(body)

/** An answer without words, by what is known of it: a page of HTML comes from something before the model. */
const namedAnswer = (status: number, type: string | undefined) =>
  type?.includes('text/html') ? MODEL_FAILURES.page(status) : MODEL_FAILURES.status(status)

/** What an endpoint answered in place of a reply, whichever client asked it. */
export function answerOf(error: unknown) {
  if (error instanceof ErrorInStream) return { status: error.status, body: error.body, headers: undefined }
  if (error instanceof EndpointRefusal) return error
  if (!APICallError.isInstance(error)) return null
  return { status: error.statusCode ?? 0, body: error.responseBody, headers: error.responseHeaders }
}

/** An answer of too many bytes, as undici calls it, or of too many objects. */
const TOO_LARGE = ['UND_ERR_RES_EXCEEDED_MAX_SIZE', AnswerTooLarge.name]

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
