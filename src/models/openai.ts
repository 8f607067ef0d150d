import { createOpenAI } from '@ai-sdk/openai'
import type { Connection, Provider } from './provider.ts'

const BASE_URL = 'https://api.openai.com/v1'

/**
 * OpenAI. At its own address through the Responses API, where alone its current models think and use tools together; nothing is stored there.
 * At any other base URL through `<base URL>/chat/completions`, which is what gateways and look-alikes serve.
 */
export function openaiProvider(connection: Connection): Provider {
  const create = createOpenAI({
    baseURL: connection.baseUrl ?? BASE_URL,
    apiKey: connection.apiKey ?? '',
    fetch: connection.fetch,
  })
  const effort: Provider['effort'] = (reasoningEffort) => ({ openai: { reasoningEffort } })
  if (connection.baseUrl !== null) {
    return {
      languageModel: create.chat(connection.model),
      dialect: { images: 'after-result' },
      options: { openai: { strictJsonSchema: false } },
      effort,
    }
  }
  return {
    languageModel: create.responses(connection.model),
    dialect: { images: 'in-result', strictTools: false },
    // Strict schemas are a dialect of their own, which a client's schema need not keep to.
    options: { openai: { store: false, strictJsonSchema: false } },
    effort,
  }
}
