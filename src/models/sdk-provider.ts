import type { ModelRequest } from '../../actors/runtime/ports.ts'
import { EVENT_STREAM } from './fetch.ts'
import type { Ask, Connection, Provider } from './provider.ts'
import { readStream } from './read-stream.ts'
import type { CallOptions, LanguageModel, ProviderOptions } from './sdk.ts'
import { type Dialect, openTranslator } from './translate.ts'
import { FORM } from './wire/form.ts'

/** A provider that is asked by its own SDK. */
export interface SdkProvider {
  languageModel(connection: Connection): LanguageModel
  readonly dialect: Dialect
  /** Sent with every request. */
  readonly options?: ProviderOptions
  /** [L46] How its API is told how hard to think. */
  effort(effort: NonNullable<ModelRequest['effort']>): ProviderOptions
}

/** An endpoint was asked for a stream and has answered with the whole reply. */
class Whole extends Error {
  readonly response: Response
  constructor(response: Response) {
    super('the answer is not a stream')
    this.response = response
  }
}

export function sdkProvider(provider: SdkProvider, connection: Connection): Provider {
  const { languageModel, dialect, options, effort } = provider
  const whole = languageModel(connection)
  /** [L37] An endpoint that answers with the whole reply is read as well. */
  const streaming = languageModel({
    ...connection,
    async fetch(input, init) {
      const response = await connection.fetch(input, init)
      if (!response.ok || response.headers.get('content-type')?.includes(EVENT_STREAM)) return response
      throw new Whole(response)
    },
  })
  return {
    form: { ...FORM, images: dialect.images },
    inForm(form): Ask {
      const translator = openTranslator({ ...dialect, images: form.images }, connection.model)
      const wanted = (request: ModelRequest, abortSignal: AbortSignal): CallOptions => {
        const tools = translator.tools(request.tools)
        const asked = request.effort && form.effort ? effort(request.effort) : null
        const schema = form.json === 'schema' ? request.json : undefined
        return {
          prompt: translator.prompt(request),
          maxOutputTokens: Math.min(request.maxTokens, form.maxTokensMost ?? request.maxTokens),
          abortSignal,
          ...(tools ? { tools } : {}),
          ...(tools && request.mustCall && form.toolChoice
            ? { toolChoice: { type: 'tool', toolName: request.mustCall } }
            : {}),
          ...(schema ? { responseFormat: { type: 'json', name: 'output', schema } } : {}),
          ...(options || asked ? { providerOptions: together(options, asked) } : {}),
          ...(request.traceparent ? { headers: { traceparent: request.traceparent } } : {}),
        }
      }
      return async (request, signal, hear) => {
        const options = wanted(request, signal)
        if (!form.streams) return whole.doGenerate(options)
        try {
          return await readStream((await streaming.doStream(options)).stream, hear)
        } catch (error) {
          if (!(error instanceof Whole)) throw error
          return languageModel({ ...connection, fetch: async () => error.response }).doGenerate(options)
        }
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
