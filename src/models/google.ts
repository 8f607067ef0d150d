import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { Connection, Provider } from './provider.ts'

/** Google's Gemini API: `<base URL>/models/<model>:generateContent`. */
export function googleProvider(connection: Connection): Provider {
  const create = createGoogleGenerativeAI({
    ...(connection.baseUrl === null ? {} : { baseURL: connection.baseUrl }),
    apiKey: connection.apiKey ?? '',
    fetch: connection.fetch,
  })
  return {
    languageModel: create(connection.model),
    dialect: { images: 'in-result' },
    // Its own schema format lacks parts of JSON Schema: the schema is in the request's text, and the service validates.
    options: { google: { structuredOutputs: false } },
    effort: (thinkingLevel) => ({ google: { thinkingConfig: { thinkingLevel } } }),
  }
}
