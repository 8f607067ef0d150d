import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Connection, Provider } from './provider.ts'

/** Any server that speaks OpenAI's chat format at `<base URL>/chat/completions`, with a key or without. */
export function openaiCompatibleProvider(connection: Connection): Provider {
  const create = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: connection.baseUrl ?? '',
    ...(connection.apiKey === null ? {} : { apiKey: connection.apiKey }),
    includeUsage: true,
    fetch: connection.fetch,
  })
  return {
    languageModel: create(connection.model),
    dialect: { images: 'after-result' },
    effort: (reasoningEffort) => ({ 'openai-compatible': { reasoningEffort } }),
  }
}
