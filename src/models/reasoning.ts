import type { MessageCall, Replay } from '../../actors/runtime/ports.ts'
import type { AssistantPart, ContentPart } from './sdk.ts'

/**
 * [L21] What a provider wants back with the next request, as parts of a prompt: `null` when the reply has nothing of its own
 * (no reasoning, no signatures), since text and calls alone are rebuilt from the conversation.
 */
export function replayOf(content: readonly ContentPart[], model: string): Replay | null {
  const parts: AssistantPart[] = []
  let needed = false
  for (const part of content) {
    const made = promptPart(part)
    if (!made) continue
    parts.push(made)
    needed ||= made.type === 'reasoning' || isSigned(made)
  }
  return needed ? { model, parts } : null
}

function promptPart(part: ContentPart): AssistantPart | null {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...options(part) }
    case 'tool-call':
      if (part.providerExecuted) return null
      return {
        type: 'tool-call',
        toolCallId: part.toolCallId,
        toolName: part.toolName,
        input: parsedInput(part.input),
        ...options(part),
      }
    default:
      return null
  }
}

/** Metadata also has ids of items, which are not required; signatures are. */
const isSigned = ({ providerOptions }: AssistantPart) => /signature/i.test(JSON.stringify(providerOptions ?? {}))

const options = ({ providerMetadata }: Pick<ContentPart, 'providerMetadata'>) =>
  providerMetadata === undefined ? {} : { providerOptions: providerMetadata }

/**
 * The parts to send back to `model`, and the provider's own id of each call by the conversation's. `null` when they
 * belong to another model, or no longer fit the calls that are kept: a call without its result would be refused.
 */
export function replayed(
  replay: Replay | undefined,
  calls: readonly MessageCall[],
  model: string,
): { parts: AssistantPart[]; ids: ReadonlyMap<string, string> } | null {
  if (replay?.model !== model) return null
  const parts = replay.parts as AssistantPart[]
  const own = parts.filter((part) => part.type === 'tool-call')
  if (own.length !== calls.length) return null
  return { parts, ids: new Map(calls.map(({ id }, at) => [id, own[at]?.toolCallId ?? id])) }
}

/** A tool's input, which models give as JSON. What does not parse is passed on as it is, for the toolbox to refuse. */
export function parsedInput(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? {}
  if (input.trim() === '') return {}
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
