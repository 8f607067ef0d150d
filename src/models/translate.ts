import type { Message, MessageResult, ModelRequest, ToolSpec } from '../../actors/runtime/ports.ts'
import { replayed } from './reasoning.ts'
import type { FunctionTool, ProviderOptions, SdkMessage, ToolResultPart } from './sdk.ts'
import type { Form } from './wire/form.ts'
import { noted } from './wire/texts.ts'

/** What distinguishes the conversations of one kind of provider from another's. */
export interface Dialect {
  /** Where an image of a tool's result goes: into the result, or, where the wire has no place for it there, into a user message after it. */
  readonly images: Form['images']
  /**
   * Put on the system prompt, on the last message, and where the request before this one ended: up to there the provider
   * may keep what it has read.
   */
  readonly cacheMark?: ProviderOptions
  /** `false` where a provider would otherwise rewrite our schemas. */
  readonly strictTools?: false
}

const IMAGE_TYPE = 'image/jpeg'

/**
 * Translates requests into a provider's form. Messages and tools never change once made, so each is translated once,
 * known by its identity: a step does not pay for its predecessors.
 */
export function openTranslator(dialect: Dialect, model: string) {
  const translated = remembered((message: Message, asked: Message | null) =>
    translate(message, dialect, model, idsOf(asked, model)),
  )
  const tools = remembered((specs: readonly ToolSpec[]) => specs.map((spec) => functionTool(spec, dialect)))
  let system: { text: string; message: SdkMessage } | null = null

  const systemMessage = (text: string): SdkMessage => {
    if (system?.text !== text) system = { text, message: marked({ role: 'system', content: text }, dialect) }
    return system.message
  }

  return {
    /** The conversation, the system prompt before it. */
    prompt(request: ModelRequest): SdkMessage[] {
      const prompt: SdkMessage[] = request.system === '' ? [] : [systemMessage(request.system)]
      let asked: Message | null = null
      /** Where the last request ended: before the newest reply. */
      let before = -1
      for (const message of request.messages) {
        if (message.role === 'assistant') before = prompt.length - 1
        prompt.push(...translated(message, asked))
        asked = message
      }
      // A provider looks only some blocks back for what it has kept: a reply of many calls is longer than that.
      for (const at of new Set([before, prompt.length - 1])) {
        const message = prompt[at]
        if (message && message.role !== 'system') prompt[at] = marked(message, dialect)
      }
      return prompt
    },
    /** The tools; `undefined` if there are none, because providers refuse an empty list. */
    tools: (specs: readonly ToolSpec[]): FunctionTool[] | undefined => (specs.length === 0 ? undefined : tools(specs)),
  }
}

/** The function with its results kept by the identity of what they were made from, as long as that lives. */
function remembered<From extends object, Beside extends unknown[], To>(
  make: (from: From, ...beside: Beside) => To,
): (from: From, ...beside: Beside) => To {
  const known = new WeakMap<From, { readonly made: To }>()
  return (from, ...beside) => {
    const kept = known.get(from)
    if (kept) return kept.made
    const made = make(from, ...beside)
    known.set(from, { made })
    return made
  }
}

/** A copy: the mark wanders on with the conversation, the translated message stays as it is. */
const marked = (message: SdkMessage, dialect: Dialect): SdkMessage =>
  dialect.cacheMark ? { ...message, providerOptions: dialect.cacheMark } : message

const functionTool = (spec: ToolSpec, dialect: Dialect): FunctionTool => ({
  type: 'function',
  name: spec.name,
  description: spec.description,
  inputSchema: spec.schema as FunctionTool['inputSchema'],
  ...(dialect.strictTools === false ? { strict: false } : {}),
})

/** The provider's own ids of the calls that a message asked for, where its reply goes back unchanged. */
const idsOf = (asked: Message | null, model: string): ReadonlyMap<string, string> =>
  (asked?.role === 'assistant' && replayed(asked.replay, asked.calls, model)?.ids) || NO_IDS
const NO_IDS: ReadonlyMap<string, string> = new Map()

function translate(message: Message, dialect: Dialect, model: string, ids: ReadonlyMap<string, string>): SdkMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: [{ type: 'text', text: message.text }] }]
    case 'assistant': {
      const unchanged = replayed(message.replay, message.calls, model)
      if (unchanged) return [{ role: 'assistant', content: unchanged.parts }]
      // Providers refuse an empty text, and a message with nothing in it.
      const text = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]
      const calls = message.calls.map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.tool,
        input: call.input,
      }))
      return text.length + calls.length === 0 ? [] : [{ role: 'assistant', content: [...text, ...calls] }]
    }
    case 'tool': {
      const results: SdkMessage = {
        role: 'tool',
        content: message.results.map((result) => resultPart(result, dialect, ids.get(result.id) ?? result.id)),
      }
      const images = dialect.images === 'after-result' ? message.results.filter((result) => result.image !== null) : []
      return images.length === 0 ? [results] : [results, imagesMessage(images)]
    }
  }
}

function resultPart(result: MessageResult, dialect: Dialect, toolCallId: string): ToolResultPart {
  const part = { type: 'tool-result' as const, toolCallId, toolName: result.tool }
  if (result.image !== null && dialect.images === 'in-result') {
    const text = result.text === '' ? [] : [{ type: 'text' as const, text: result.text }]
    const image = { type: 'image-data' as const, data: result.image, mediaType: IMAGE_TYPE }
    return { ...part, output: { type: 'content', value: [...text, image] } }
  }
  const value = result.image !== null && dialect.images === 'none' ? noted(result.text) : result.text
  return { ...part, output: { type: result.failed ? 'error-text' : 'text', value } }
}

const imagesMessage = (results: readonly MessageResult[]): SdkMessage => ({
  role: 'user',
  content: results.flatMap((result) => [
    { type: 'text' as const, text: `The image of the ${result.tool} result ${result.id}:` },
    { type: 'file' as const, data: result.image ?? '', mediaType: IMAGE_TYPE },
  ]),
})
