import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { Connection, Provider } from './provider.ts'
import { sdkProvider } from './sdk-provider.ts'

/** Google's Gemini API: `<base URL>/models/<model>:generateContent`. */
export const googleProvider = (connection: Connection): Provider =>
  sdkProvider(
    {
      languageModel: ({ baseUrl, apiKey, fetch, model }) =>
        createGoogleGenerativeAI({ ...(baseUrl === null ? {} : { baseURL: baseUrl }), apiKey: apiKey ?? '', fetch })(
          model,
        ),
      dialect: { images: 'in-result' },
      // Its own schema format lacks parts of JSON Schema: the schema is in the request's text, and the service validates.
      options: { google: { structuredOutputs: false } },
      effort: (thinkingLevel) => ({ google: { thinkingConfig: { thinkingLevel } } }),
    },
    connection,
  )
