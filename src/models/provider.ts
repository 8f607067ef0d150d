import type { Effort, Log, Model, ModelReply } from '../../actors/runtime/ports.ts'
import { MODEL_FAILURES } from '../../machines/texts.ts'
import { failed, failureOf } from './failure.ts'
import { EVENT_STREAM, isTooLarge } from './fetch.ts'
import { type Generated, type Hear, readStream } from './read-stream.ts'
import { parsedInput, replayOf } from './reasoning.ts'
import { APICallError, type CallOptions, type LanguageModel, type ProviderOptions } from './sdk.ts'
import { type Dialect, openTranslator } from './translate.ts'

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

/** One kind of provider: its model behind the common interface, and what its conversations look like. */
export interface Provider {
  readonly languageModel: LanguageModel
  readonly dialect: Dialect
  /** Sent with every request. */
  readonly options?: ProviderOptions
  /** [L46] How its API is told how hard to think. */
  effort(effort: Effort): ProviderOptions
}

/**
 * A `Model` over a provider's own layer: no retries, no loop, one request a call.
 * Whatever the endpoint answers becomes a reply or a failure; only an abort rejects.
 */
export function providerModel(
  name: string,
  open: (connection: Connection) => Provider,
  connection: Connection,
  log: Log,
): Model {
  const { dialect, options, effort } = open(connection)
  /** [L46] The endpoint does not know it: it is not sent any more. */
  let refusesEffort = false
  const generate = generator(open, connection)
  const translator = openTranslator(dialect, connection.model)
  return {
    id: connection.model,
    provider: name,
    contextTokens: connection.contextTokens,
    async ask(request, signal, hear = () => {}) {
      signal.throwIfAborted()
      const tools = translator.tools(request.tools)
      const asked = request.effort && !refusesEffort ? effort(request.effort) : null
      try {
        const wanted: CallOptions = {
          prompt: translator.prompt(request),
          maxOutputTokens: request.maxTokens,
          abortSignal: signal,
          ...(tools ? { tools } : {}),
          ...(request.json ? { responseFormat: { type: 'json', name: 'output', schema: request.json } } : {}),
          ...(options || asked ? { providerOptions: together(options, asked) } : {}),
          ...(request.traceparent ? { headers: { traceparent: request.traceparent } } : {}),
        }
        return replyOf(await generate(wanted, hear), connection.model)
      } catch (error) {
        signal.throwIfAborted()
        if (asked && isRefusedEffort(error)) {
          refusesEffort = true
          log.warn({ provider: name, model: connection.model }, 'The model takes no effort: it is not sent any more.')
          return this.ask(request, signal, hear)
        }
        const failure = failureOf(error, connection.apiKey, Date.now())
        // The error itself holds the whole conversation and stays out of the log.
        const thrown = error instanceof Error ? error.name : typeof error
        log.warn({ ...failure, provider: name, model: connection.model, thrown }, 'A model call failed.')
        return failure
      }
    },
  }
}

/** Options of one provider, those that a request adds included. */
const together = (options: ProviderOptions | undefined, more: ProviderOptions | null): ProviderOptions =>
  Object.fromEntries(
    [...new Set([...Object.keys(options ?? {}), ...Object.keys(more ?? {})])].map((provider) => [
      provider,
      { ...options?.[provider], ...more?.[provider] },
    ]),
  )

/** [L46] How endpoints refuse a parameter that they do not know, or that their model does not take. */
const isRefusedEffort = (error: unknown): boolean =>
  APICallError.isInstance(error) &&
  [400, 422].includes(error.statusCode ?? 0) &&
  /effort|thinking|reasoning|output_config/i.test(error.responseBody ?? '')

/** An endpoint was asked for a stream and has answered with the whole reply. */
class Whole extends Error {
  readonly response: Response
  constructor(response: Response) {
    super('the answer is not a stream')
    this.response = response
  }
}

/**
 * [L37] Asks for a stream. An endpoint that answers with the whole reply instead is read as well; one that refuses
 * streams is asked again without. From then on both are asked without.
 */
function generator(open: (connection: Connection) => Provider, connection: Connection) {
  const streaming = open({
    ...connection,
    async fetch(input, init) {
      const response = await connection.fetch(input, init)
      if (!response.ok || response.headers.get('content-type')?.includes(EVENT_STREAM)) return response
      throw new Whole(response)
    },
  }).languageModel
  const whole = open(connection).languageModel
  let streams = true
  return async (wanted: CallOptions, hear: Hear): Promise<Generated> => {
    if (!streams) return whole.doGenerate(wanted)
    try {
      return await readStream((await streaming.doStream(wanted)).stream, hear)
    } catch (error) {
      if (!(error instanceof Whole) && !knowsNoStreams(error)) throw error
      const asked =
        error instanceof Whole ? open({ ...connection, fetch: async () => error.response }).languageModel : whole
      const generated = await asked.doGenerate(wanted)
      streams = false
      return generated
    }
  }
}

/** How endpoints refuse a stream: its path, its method, or the field that asks for it. */
const knowsNoStreams = (error: unknown): boolean => {
  if (!APICallError.isInstance(error)) return false
  const { statusCode = 0, responseBody = '' } = error
  return [404, 405, 501].includes(statusCode) || ([400, 422].includes(statusCode) && /stream/i.test(responseBody))
}

function replyOf(result: Generated, model: string): ModelReply {
  if (isTooLarge(result.content)) return failed(MODEL_FAILURES.tooLarge)
  // A reply that was filtered or cut off must not end a task as completed, even if its text looks like an answer.
  if (result.finishReason.unified === 'content-filter') return failed(MODEL_FAILURES.refused, 'withheld')
  if (result.finishReason.unified === 'length') return failed(MODEL_FAILURES.outputLimit, 'cut_off')
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

/** A count as an endpoint gave it: absent, negative or broken ones count as 0. */
const tokens = (count: number | undefined): number =>
  count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0
