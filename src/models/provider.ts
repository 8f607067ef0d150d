import type { Log, Model, ModelReply, ModelRequest } from '../../actors/runtime/ports.ts'
import { MODEL_FAILURES } from '../../machines/texts.ts'
import { openDialect } from './dialect/dialect.ts'
import { failed, failureOf } from './failure.ts'
import { isTooLarge } from './fetch.ts'
import type { Generated, Hear } from './generated.ts'
import { mendedReply } from './mended-reply.ts'
import { parsedInput, replayOf } from './reasoning.ts'
import type { Form } from './wire/form.ts'
import { withOwnNames } from './wire/plain-names.ts'

/** What a provider's file is given to connect with. */
export interface Connection {
  readonly model: string
  /** As the provider's SDK takes it, version prefix included; `null`: the provider's own. */
  readonly baseUrl: string | null
  readonly apiKey: string | null
  /** How many tokens a request and its reply may have together. */
  readonly contextTokens: number
  readonly fetch: typeof fetch
}

/** One request, once, and its reply. @throws EndpointRefusal, APICallError, ErrorInStream, NetworkError, UnreadableAnswer */
export type Ask = (request: ModelRequest, signal: AbortSignal, hear: Hear) => Promise<Generated>

/** One kind of provider. */
export interface Provider {
  /** The form of requests that its API documents. */
  readonly form: Form
  /** Asks in one form. What a form serialises is kept as long as it is used. */
  inForm(form: Form): Ask
}

/**
 * A `Model` over one endpoint: no loop, one request a call, or a few where the endpoint refuses a form of request and
 * another is known that it may take (dialect/). Whatever the endpoint answers becomes a reply or a failure; only an abort rejects.
 */
export function providerModel(
  name: string,
  open: (connection: Connection) => Provider,
  connection: Connection,
  log: Log,
): Model {
  const { model } = connection
  const dialect = openDialect(open(connection), (lesson) =>
    log.warn({ provider: name, model }, `The model endpoint was asked in another form: ${lesson}`),
  )
  let { contextTokens } = connection
  return {
    id: model,
    provider: name,
    // [L19] What an endpoint says of its window when it refuses a request is believed.
    get contextTokens() {
      return contextTokens
    },
    lessons: dialect.lessons,
    async ask(request, signal, hear = () => {}) {
      signal.throwIfAborted()
      try {
        const { generated, form } = await dialect.ask(request, signal, hear)
        const reply = replyOf(generated, model)
        return reply.kind === 'reply' ? asMeant(reply, request.tools, form) : reply
      } catch (error) {
        signal.throwIfAborted()
        const failure = failureOf(error, connection.apiKey, Date.now())
        contextTokens = Math.min(contextTokens, failure.contextTokens ?? contextTokens)
        // The error itself holds the whole conversation and stays out of the log.
        const thrown = error instanceof Error ? error.name : typeof error
        log.warn({ ...failure, provider: name, model, thrown }, 'A model call failed.')
        return failure
      }
    },
  }
}

type Replied = Extract<ModelReply, { kind: 'reply' }>

/** [L48] */
function asMeant(reply: Replied, tools: ModelRequest['tools'], { names }: Form): Replied {
  const mended = mendedReply(reply, tools)
  if (names === 'own') return mended
  return {
    ...mended,
    calls: mended.calls.map((call) => ({ ...call, input: withOwnNames(call.input, tools, call.tool) })),
  }
}

function replyOf(result: Generated, model: string): ModelReply {
  if (isTooLarge(result.content)) return failed(MODEL_FAILURES.tooLarge)
  // A reply that was filtered or cut off must not end a task as completed, even if its text looks like an answer.
  if (result.finishReason.unified === 'content-filter') return failed(MODEL_FAILURES.refused, 'withheld')
  if (result.finishReason.unified === 'length' && !isComplete(result)) {
    return failed(MODEL_FAILURES.outputLimit, 'cut_off')
  }
  let text = ''
  const calls: { tool: string; input: unknown }[] = []
  for (const part of result.content) {
    if (part.type === 'text') text += part.text
    else if (part.type === 'tool-call' && !part.providerExecuted) {
      calls.push({ tool: part.toolName, input: parsedInput(part.input) })
    }
  }
  const { inputTokens, outputTokens } = result.usage
  const replay = replayOf(result.content, model)
  return {
    kind: 'reply',
    text,
    calls,
    inputTokens: tokens(inputTokens.total),
    outputTokens: tokens(outputTokens.total),
    cachedTokens: tokens(inputTokens.cacheRead),
    cacheWriteTokens: tokens(inputTokens.cacheWrite),
    model,
    ...(replay ? { replay } : {}),
  }
}

/** [L48] Some endpoints say that a reply was cut off although its calls are whole. */
function isComplete({ content }: Generated): boolean {
  const calls = content.filter((part) => part.type === 'tool-call')
  return calls.length > 0 && calls.every(({ input }) => typeof parsedInput(input) === 'object' && input !== '')
}

/** A count as an endpoint gave it: absent, negative or broken ones count as 0. */
const tokens = (count: number | undefined): number =>
  count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0
