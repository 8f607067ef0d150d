import { TO_MODEL } from '../machines/texts.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import type { Served, ServedStep } from './served-calls.ts'
import { failed, said } from './served-results.ts'

/** [L44] Keeps words for the model. They are in the log as the input of the call. */
export async function noteDown(_: ActorSystem, { call, conversation }: Served): Promise<ServedStep> {
  const { text } = call.input as { text: string }
  const room = conversation.noteRoom - text.length
  return room < 0 ? failed(TO_MODEL.notesFull(conversation.noteRoom)) : said(TO_MODEL.noted(room))
}
