import type { Connection, Provider } from './provider.ts'
import { anthropicWire } from './wire/anthropic.ts'
import { wireProvider } from './wire/client.ts'
import { FORM } from './wire/form.ts'

const BASE_URL = 'https://api.anthropic.com/v1'

/** Anthropic's Messages API: `<base URL>/messages`. The conversation so far is kept in the API's prompt cache between two steps. */
export const anthropicProvider = (connection: Connection): Provider =>
  wireProvider(
    anthropicWire(connection.model),
    { ...FORM, cacheMarks: true, eagerInputs: true },
    connection.baseUrl ?? BASE_URL,
    connection,
  )
