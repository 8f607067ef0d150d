import { journalOf } from '../../machines/journal.ts'
import { CONTEXT_TOKENS_DEFAULT } from '../../machines/limits.ts'
import type { JournalEntry, TaskRecord } from '../../machines/records.ts'
import type { SentRequest } from '../inspection/shown.ts'
import type { Ports } from '../runtime/ports.ts'
import { offeredTools } from './ask.ts'
import { chosenModel } from './chosen-model.ts'
import { readEarlier } from './continued-tasks.ts'
import { Conversation } from './conversation.ts'
import type { Message } from './model-port.ts'
import { outputRequest } from './output-repair.ts'
import { PROMPT_VERSION, systemPrompt } from './prompt.ts'

/**
 * [P42] What the model was sent for the reply of a step, rebuilt from the log as the conversation itself is after a restart.
 * The log does not tell how much a request was shortened that the provider found too long, nor why a reply was the last
 * one. `null`: no model has given this reply.
 */
export async function requestOf(
  { store, tools, model }: Pick<Ports, 'store' | 'tools' | 'model'>,
  record: TaskRecord,
  step: number,
): Promise<SentRequest | null> {
  const log = await store.log(record.id)
  const journal = journalOf(log)
  const at = journal.findIndex((entry) => entry.kind === 'reply' && entry.step === step && !entry.played)
  const reply = journal[at] as Extract<JournalEntry, { kind: 'reply' }> | undefined
  if (!reply) return null
  const contextTokens = chosenModel(model, record.model).contextTokens ?? CONTEXT_TOKENS_DEFAULT
  const earlier = await readEarlier(record, store)
  const conversation = Conversation.of(record, contextTokens, journal.slice(0, at + 1), earlier)
  const announced = reply.announced ?? null
  const specs = offeredTools(tools, conversation, announced)
  // [L32] A reply that was not offered `finish` where there is one had only to write the output down.
  const isOutput = conversation.outputSchema !== null && !reply.hasFinish && specs.some(({ name }) => name === 'finish')
  const { messages } = conversation
  const sent = isOutput
    ? outputRequest(Conversation.of(record, contextTokens, journal.slice(0, at), earlier))
    : {
        system: systemPrompt(specs, announced !== null),
        tools: specs,
        messages: messages.slice(
          0,
          messages.findLastIndex(({ role }) => role === 'assistant'),
        ),
      }
  const isOfNow = log.some(
    ({ kind, public: said, private: kept }) =>
      kind === 'model.replied' &&
      said.step === step &&
      kept &&
      'promptVersion' in kept &&
      kept.promptVersion === PROMPT_VERSION,
  )
  return {
    model: reply.model,
    system: isOfNow ? sent.system : null,
    tools: sent.tools.map(({ name }) => name),
    messages: [
      ...sent.messages.map((message) => ({ role: message.role, text: textOf(message) })),
      ...(reply.lastCall ? [{ role: 'user' as const, text: LAST }] : []),
    ],
  }
}

const LAST = '[It was told that this is its last reply, and to finish.]'

function textOf(message: Message): string {
  if (message.role === 'user') return message.text
  if (message.role === 'tool')
    return message.results.map(({ text, image }) => (image === null ? text : `${text}\n[screenshot]`)).join('\n\n')
  return [message.text, ...message.calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`)]
    .filter(Boolean)
    .join('\n')
}
