import { createAnthropic } from '@ai-sdk/anthropic'
import type { Connection, Provider } from './provider.ts'

const BASE_URL = 'https://api.anthropic.com/v1'

/** Anthropic's Messages API: `<base URL>/messages`. The conversation so far is kept in the API's prompt cache between two steps. */
export function anthropicProvider(connection: Connection): Provider {
  const create = createAnthropic({
    baseURL: connection.baseUrl ?? BASE_URL,
    apiKey: connection.apiKey ?? '',
    fetch: connection.fetch,
  })
  return {
    languageModel: create(connection.model),
    dialect: { images: 'in-result', cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    effort: (effort) => ({ anthropic: { effort } }),
  }
}
