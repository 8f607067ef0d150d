import type { JournalEntry } from '../../machines/records.ts'
import type { ModelRequest, Toolbox } from '../runtime/ports.ts'
import type { Conversation } from './conversation.ts'

const OUTPUT_SYSTEM =
  'You write down the result of a finished task as JSON. Take every value from the result as it was found. Never make one up: what was not found is null, or left out where the schema allows it.'

/** The last replies that the model is given again. */
const OUTPUT_REPLIES_MAX = 4

/**
 * [L32] The request for the JSON of an output alone, by the provider's own JSON mode. It has what the model answered
 * instead of the whole conversation: not every provider takes tools, or their results, together with that mode.
 */
export function outputRequest({ messages, entries, outputSchema }: Conversation): Omit<ModelRequest, 'maxTokens'> {
  if (!outputSchema) throw new Error('A task without a schema has no output')
  const [task] = messages
  const replies = entries.filter((entry) => entry.kind === 'reply').slice(-OUTPUT_REPLIES_MAX)
  const text = [
    `The task was:\n${task?.role === 'user' ? task.text : ''}`,
    `What was answered:\n${replies.flatMap(answersIn).join('\n\n')}`,
    `Answer with one JSON object that fits this JSON Schema, and with nothing else:\n${JSON.stringify(outputSchema)}`,
  ].join('\n\n')
  return { system: OUTPUT_SYSTEM, messages: [{ role: 'user', text }], tools: [], json: outputSchema }
}

const answersIn = ({ text, calls }: Extract<JournalEntry, { kind: 'reply' }>): string[] => [
  ...(text === '' ? [] : [text]),
  ...calls
    .filter(({ misfit }) => misfit)
    .map(({ input, refusal }) => `${JSON.stringify(input)}\nThis did not fit: ${refusal}`),
]

/** The JSON in a reply, as it is stored; `null` if the reply has no JSON or it does not match the schema. */
export async function outputIn(
  text: string,
  taskId: string,
  { outputSchema }: Conversation,
  tools: Toolbox,
): Promise<string | null> {
  // Some models put their JSON into a code block despite the instruction.
  const [, inner] = /^\s*```(?:json)?\s*\n(.*?)\n?```\s*$/s.exec(text) ?? []
  let output: unknown
  try {
    output = JSON.parse(inner ?? text)
  } catch {
    return null
  }
  const checked = outputSchema && { misfit: await tools.misfit(taskId, outputSchema, output) }
  return tools.check('finish', { success: true, answer: '-', output }, checked).ok ? JSON.stringify(output) : null
}
