import { createOpenAI } from '@ai-sdk/openai'
import { compatibleProvider } from './openai-compatible.ts'
import type { Connection, Provider } from './provider.ts'
import { sdkProvider } from './sdk-provider.ts'

const BASE_URL = 'https://api.openai.com/v1'

/**
 * OpenAI. At its own address through the Responses API, where alone its current models think and use tools together; nothing is stored there.
 * At any other base URL through `<base URL>/chat/completions`, which is what gateways and look-alikes serve.
 */
export function openaiProvider(connection: Connection): Provider {
  if (connection.baseUrl !== null) {
    return compatibleProvider({ ...connection, apiKey: connection.apiKey ?? '' }, { json: 'schema', reasoning: false })
  }
  return sdkProvider(
    {
      languageModel: ({ apiKey, fetch, model }) =>
        createOpenAI({ baseURL: BASE_URL, apiKey: apiKey ?? '', fetch }).responses(model),
      dialect: { images: 'in-result', strictTools: false },
      // Strict schemas are a dialect of their own, which a client's schema need not keep to.
      options: { openai: { store: false, strictJsonSchema: false } },
      effort: (reasoningEffort) => ({ openai: { reasoningEffort } }),
    },
    connection,
  )
}
