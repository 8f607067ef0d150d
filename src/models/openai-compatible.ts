import type { Connection, Provider } from './provider.ts'
import { chatWire } from './wire/chat.ts'
import { wireProvider } from './wire/client.ts'
import { FORM, type Form } from './wire/form.ts'

/** Any server that speaks OpenAI's chat format at `<base URL>/chat/completions`, with a key or without. */
export const openaiCompatibleProvider = (connection: Connection): Provider => compatibleProvider(connection)

export const compatibleProvider = (connection: Connection, form: Partial<Form> = {}): Provider =>
  wireProvider(
    chatWire(connection.model),
    { ...FORM, json: 'object', images: 'after-result', ...form },
    connection.baseUrl ?? '',
    connection,
  )
