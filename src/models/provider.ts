import type { Log, Model, ModelReply } from '../../actors/runtime/ports.ts'
import { MODEL_FAILURES } from '../../machines/failures.ts'
import { failed, failureOf } from './failure.ts'
import { parsedInput, replayOf } from './replay.ts'
import type { GenerateResult, LanguageModel, ProviderOptions } from './sdk.ts'
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
}

/**
 * A `Model` over a provider's own layer: no retries, no loop, one request a call.
 * Whatever the endpoint answers becomes a reply or a failure; only an abort rejects.
 */
export function providerModel(name: string, provider: Provider, connection: Connection, log: Log): Model {
  const { languageModel, dialect, options } = provider
  const translator = openTranslator(dialect, connection.model)
  return {
    id: connection.model,
    provider: name,
    contextTokens: connection.contextTokens,
    async ask(request, signal) {
      signal.throwIfAborted()
      const tools = translator.tools(request.tools)
      try {
        const result = await languageModel.doGenerate({
          prompt: translator.prompt(request),
          maxOutputTokens: request.maxTokens,
          abortSignal: signal,
          ...(tools ? { tools } : {}),
          ...(request.json ? { responseFormat: { type: 'json', name: 'output', schema: request.json } } : {}),
          ...(options ? { providerOptions: options } : {}),
        })
        return replyOf(result, connection.model)
      } catch (error) {
        signal.throwIfAborted()
        const failure = failureOf(error, connection.apiKey, Date.now())
        // The error itself holds the whole conversation and stays out of the log.
        const thrown = error instanceof Error ? error.name : typeof error
        log.warn({ ...failure, provider: name, model: connection.model, thrown }, 'A model call failed.')
        return failure
      }
    },
  }
}

function replyOf(result: GenerateResult, model: string): ModelReply {
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
