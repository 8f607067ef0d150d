import type { Message, ModelRequest, ToolSpec } from '../../../actors/runtime/ports.ts'
import { withPlainNames } from './plain-names.ts'
import { plainSchema } from './plain-schema.ts'

/**
 * The form in which an endpoint takes requests. Each provider begins with its own; what an endpoint refuses changes it
 * (dialect/), and every later request has the changed form.
 */
export interface Form {
  /** The field that limits the reply; `null`: none is sent. */
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens' | null
  /** The longest reply that the endpoint allows, in tokens, where it is known. */
  readonly maxTokensMost: number | null
  /** [L37] Whether a stream is asked for, and whether the stream is asked to tell the tokens used. */
  readonly streams: boolean
  readonly streamUsage: boolean
  /** Whether inputs of tools are streamed as they are written, and not a field at a time. */
  readonly eagerInputs: boolean
  /** [L46] Whether `effort` is sent. */
  readonly effort: boolean
  /** Whether `mustCall` is sent. */
  readonly toolChoice: boolean
  /** Whether the endpoint is told what to keep in its prompt cache. */
  readonly cacheMarks: boolean
  /** Whether reasoning goes back with the next request. */
  readonly reasoning: boolean
  /** How JSON is asked for: by its schema, as JSON of any shape, or by the words of the request alone. */
  readonly json: 'schema' | 'object' | 'words'
  /** Where the image of a tool's result goes; `none`: the model sees no images and reads a note instead. */
  readonly images: 'in-result' | 'after-result' | 'none'
  /** How many images a request may have; the older ones become notes. */
  readonly imagesMost: number | null
  /** Ids of calls as we make them, or of nine letters and digits, as some endpoints demand. */
  readonly callIds: 'own' | 'nine'
  /** Who says the system prompt; `user`: it is the beginning of the first user message. */
  readonly system: 'system' | 'user'
  /** What stands between the results of tools and the words of a user: nothing, or a reply of one word. */
  readonly afterResults: 'user' | 'assistant'
  /** Schemas of tools as they are, or without what only some endpoints understand. */
  readonly schemas: 'full' | 'plain'
  /** Names of properties as they are, or of letters, digits and few marks alone. */
  readonly names: 'own' | 'plain'
}

/** Where a provider says nothing else. */
export const FORM: Form = {
  maxTokens: 'max_tokens',
  maxTokensMost: null,
  streams: true,
  streamUsage: true,
  eagerInputs: false,
  effort: true,
  toolChoice: true,
  cacheMarks: false,
  reasoning: true,
  json: 'schema',
  images: 'in-result',
  imagesMost: null,
  callIds: 'own',
  system: 'system',
  afterResults: 'user',
  schemas: 'full',
  names: 'own',
}

/** The schema of a tool's input as an endpoint takes it. */
export function toolSchema(schema: ToolSpec['schema'], { schemas, names }: Form): ToolSpec['schema'] {
  const simple = schemas === 'plain' ? plainSchema(schema) : schema
  return names === 'plain' ? withPlainNames(simple) : simple
}

/** How long the reply may become, in tokens. */
export const replyTokens = ({ maxTokens }: ModelRequest, { maxTokensMost }: Form): number =>
  Math.min(maxTokens, maxTokensMost ?? maxTokens)

/** Which messages show their images: where an endpoint takes only some, the newest. */
export function imagesShown(messages: readonly Message[], { imagesMost }: Form): (message: Message) => boolean {
  if (imagesMost === null) return () => true
  const hidden = new Set<Message>()
  let images = 0
  for (const message of messages.toReversed()) {
    if (message.role !== 'tool') continue
    images += message.results.filter(({ image }) => image !== null).length
    if (images > imagesMost) hidden.add(message)
  }
  return (message) => !hidden.has(message)
}
