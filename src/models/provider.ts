import type { Log, Model, ModelReply } from '../../actors/ports.ts'
import { MODEL_FAILURES } from '../../machines/failures.ts'
import { failed, failureOf } from './failure.ts'
import type { GenerateResult, LanguageModel, ProviderOptions } from './sdk.ts'
import { type Dialect, openTranslator } from './translate.ts'

/** What a provider's file is given to connect with. */
export interface Connection {
  readonly model: string
  /** As the provider's SDK takes it, version prefix included; `null`: the provider's own. */
  readonly baseUrl: string | null
  readonly apiKey: string | null
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
  const translator = openTranslator(dialect)
  return {
    id: connection.model,
    provider: name,
    async ask(request, signal) {
      signal.throwIfAborted()
      const tools = translator.tools(request.tools)
      try {
        const result = await languageModel.doGenerate({
          prompt: translator.prompt(request),
          maxOutputTokens: request.maxTokens,
          abortSignal: signal,
          ...(tools ? { tools } : {}),
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
  let text = ''
  const calls: { tool: string; input: unknown }[] = []
  for (const part of result.content) {
    if (part.type === 'text') text += part.text
    else if (part.type === 'tool-call' && !part.providerExecuted) {
      calls.push({ tool: part.toolName, input: parsed(part.input) })
    }
  }
  if (text === '' && calls.length === 0) {
    // An answer that was withheld or cut off is no answer: it must not pass for a completed task.
    if (result.finishReason.unified === 'content-filter') return failed(MODEL_FAILURES.refused)
    if (result.finishReason.unified === 'length') return failed(MODEL_FAILURES.outputLimit)
  }
  return {
    kind: 'reply',
    text,
    calls,
    inputTokens: result.usage.inputTokens.total ?? 0,
    outputTokens: result.usage.outputTokens.total ?? 0,
    model,
  }
}

/** A tool's input, which models give as JSON. What does not parse is passed on as it is, for the toolbox to refuse. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? {}
  if (input.trim() === '') return {}
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
