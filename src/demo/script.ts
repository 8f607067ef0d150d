import { fileURLToPath } from 'node:url'

/** What the demo asks for, of the scripted provider and of real models alike. */
export const DEMO_TASK =
  "Order two pieces of the Kyoto teapot in this shop, for Ada Lovelace (ada@example.com), 12 St James's Square, London. " +
  'Choose express delivery, have it wrapped as a gift and accept the terms. ' +
  'Then tell me the order number and the total to pay.'

/** The file that the scripted provider plays for `DEMO_TASK`, as for `LLM_SCRIPT`. */
export const DEMO_SCRIPT = fileURLToPath(new URL('./script.json', import.meta.url))
