import type { Message, MessageResult, ModelRequest, ToolSpec } from '../../../actors/runtime/ports.ts'
import { ErrorInStream, StreamEnded, UnreadableAnswer } from '../failure.ts'
import { type Generated, type Hear, isSaid, type Said, usageOf } from '../generated.ts'
import { replayed } from '../reasoning.ts'
import type { AssistantPart } from '../sdk.ts'
import { callId } from './call-ids.ts'
import { type Form, imagesShown, replyTokens, toolSchema } from './form.ts'
import { jsonPiece, listed, type Piece, pieceOf, remembered } from './pieces.ts'
import { noted, UNDERSTOOD } from './texts.ts'
import type { StreamReader, Wire } from './wire.ts'

/** OpenAI's chat completions, which most other servers and gateways speak as well. */
export const chatWire = (model: string): Wire => ({
  path: '/chat/completions',
  headers: (apiKey) => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  body: (form) => writer(model, form),
  reader: createReader,
  whole: readWhole,
})

type Sent = Readonly<Record<string, unknown>>

function writer(model: string, form: Form): (request: ModelRequest) => Buffer {
  const message = remembered((each: Message): readonly Piece[] => messagesOf(each, model, form).map(jsonPiece))
  const withoutImages = remembered((each: Message) =>
    messagesOf(each, model, { ...form, images: 'none' }).map(jsonPiece),
  )
  const tools = remembered((specs: readonly ToolSpec[]) =>
    jsonPiece(
      specs.map(({ name, description, schema }) => ({
        type: 'function',
        function: { name, description, parameters: toolSchema(schema, form) },
      })),
    ),
  )
  return (request) => {
    let asked: Message | null = null
    const pieces: Piece[] = []
    const isShown = imagesShown(request.messages, form)
    const [first, ...rest] = request.messages
    const withSystem = form.system === 'user' && first?.role === 'user'
    if (withSystem) pieces.push(jsonPiece({ role: 'user', content: `${request.system}\n\n${first.text}` }))
    else if (request.system !== '') pieces.push(jsonPiece({ role: 'system', content: request.system }))
    for (const each of withSystem ? rest : request.messages) {
      if (each.role === 'user' && asked?.role === 'tool' && form.afterResults === 'assistant') pieces.push(BETWEEN)
      pieces.push(...(isShown(each) ? message : withoutImages)(each))
      asked = each
    }
    const head = {
      model,
      ...(form.maxTokens === null ? {} : { [form.maxTokens]: replyTokens(request, form) }),
      ...(request.effort && form.effort ? { reasoning_effort: request.effort } : {}),
      ...formatOf(request, form),
      ...(request.mustCall && form.toolChoice
        ? { tool_choice: { type: 'function', function: { name: request.mustCall } } }
        : {}),
      ...(form.streams
        ? { stream: true, ...(form.streamUsage ? { stream_options: { include_usage: true } } : {}) }
        : {}),
    }
    return Buffer.concat([
      pieceOf(`${JSON.stringify(head).slice(0, -1)},"messages":[`),
      ...listed(pieces),
      ...(request.tools.length === 0 ? [pieceOf(']}')] : [pieceOf('],"tools":'), tools(request.tools), pieceOf('}')]),
    ])
  }
}

const BETWEEN_SAID = { role: 'assistant', content: UNDERSTOOD }
const BETWEEN = jsonPiece(BETWEEN_SAID)

function formatOf({ json }: ModelRequest, form: Form): Sent {
  if (!json || form.json === 'words') return {}
  if (form.json === 'object') return { response_format: { type: 'json_object' } }
  const schema = { name: 'output', schema: json, strict: false }
  return { response_format: { type: 'json_schema', json_schema: schema } }
}

function messagesOf(message: Message, model: string, form: Form): Sent[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }]
    case 'assistant': {
      const unchanged = replayed(message.replay, message.calls, model)?.parts
      const parts = unchanged ?? []
      const reasoning = form.reasoning ? textOf(parts, 'reasoning') : ''
      const calls = message.calls.map(({ id, tool, input }, at) =>
        sentCall(callId(id, form), tool, input, unchanged, at),
      )
      const text = message.text
      if (text === '' && calls.length === 0) return []
      return [
        {
          role: 'assistant',
          content: calls.length > 0 ? text || null : text,
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
      ]
    }
    case 'tool': {
      const results = message.results.map((result) => ({
        role: 'tool',
        tool_call_id: callId(result.id, form),
        content: result.image !== null && form.images === 'none' ? noted(result.text) : result.text,
      }))
      const images = form.images === 'none' ? [] : message.results.filter(({ image }) => image !== null)
      if (images.length === 0) return results
      const between = form.afterResults === 'assistant' ? [BETWEEN_SAID] : []
      return [...results, ...between, imagesMessage(images, form)]
    }
  }
}

const textOf = (parts: readonly AssistantPart[], type: 'reasoning') =>
  parts.map((part) => (part.type === type ? part.text : '')).join('')

/** One call as it goes back, with the signature of its thought where the reply came with one. */
function sentCall(id: string, name: string, input: unknown, parts: readonly AssistantPart[] | undefined, at: number) {
  const own = parts?.filter((part) => part.type === 'tool-call')[at]
  const signature = Object.values(own?.providerOptions ?? {}).find((each) => each?.thoughtSignature)?.thoughtSignature
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
    ...(signature ? { extra_content: { google: { thought_signature: signature } } } : {}),
  }
}

/** The wire has no place for an image in a result: a user shows it afterwards. */
const imagesMessage = (results: readonly MessageResult[], form: Form): Sent => ({
  role: 'user',
  content: results.flatMap(({ tool, id, image }) => [
    { type: 'text', text: `The image of the ${tool} result ${callId(id, form)}:` },
    { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${image}` } },
  ]),
})

const FINISHES: Readonly<Record<string, Generated['finishReason']['unified']>> = {
  stop: 'stop',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  content_filter: 'content-filter',
}

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint sent, of which each field is checked where it is used
type Json = any

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Texts come as a string, or as a list of parts, of which some are thoughts. */
function contentOf(content: unknown): { text: string; reasoning: string } {
  if (!Array.isArray(content)) return { text: text(content), reasoning: '' }
  const thoughts = content.flatMap((part: Json) => (Array.isArray(part?.thinking) ? part.thinking : []))
  return {
    text: content.map((part: Json) => (part?.type === 'text' ? text(part.text) : '')).join(''),
    reasoning: thoughts.map((part: Json) => text(part?.text)).join(''),
  }
}

/** A reply as it grows: the same for one that comes whole. */
class Growing {
  text = ''
  reasoning = ''
  readonly calls: Call[] = []

  add(message: Json): void {
    const { text: said, reasoning } = contentOf(message.content)
    this.text += said
    this.reasoning += text(message.reasoning_content) || text(message.reasoning) || reasoning
    if (Array.isArray(message.tool_calls)) for (const call of message.tool_calls) this.#addCall(call)
  }

  #addCall(piece: Json): void {
    const { name, arguments: input } = piece?.function ?? {}
    let call = this.#callOf(piece)
    if (!call) {
      call = { index: piece?.index, id: text(piece?.id), name: '', input: '' }
      this.calls.push(call)
    }
    call.id ||= text(piece?.id)
    call.name ||= text(name)
    // Some servers send an object where the text of one is meant.
    call.input += typeof input === 'string' || input == null ? text(input) : JSON.stringify(input)
    call.signature ??= piece?.extra_content?.google?.thought_signature
  }

  /** The call that a piece goes on with. Some servers give every call the index 0, or none: then its id tells. */
  #callOf({ index, id, function: { name } = {} }: Json = {}): Call | undefined {
    const known = index == null ? this.calls.at(-1) : this.calls.find((call) => call.index === index)
    const isNext = known && id && name && known.id !== '' && known.id !== id && known.name !== ''
    if (index == null) return id && known?.id !== id ? undefined : known
    return isNext ? this.calls.find((call) => call.id === id) : known
  }

  generated(finish: string | undefined, usage: Json): Generated {
    const parts: Said[] = [
      { type: 'reasoning', text: this.reasoning },
      { type: 'text', text: this.text },
      ...this.calls.map(
        (call, at): Said => ({
          type: 'tool-call',
          toolCallId: call.id || `call-${at}`,
          toolName: call.name,
          input: call.input,
          ...(call.signature ? { providerMetadata: { google: { thoughtSignature: call.signature } } } : {}),
        }),
      ),
    ]
    return {
      content: parts.filter((part) => isSaid(part) && !(part.type === 'reasoning' && part.text === '')),
      finishReason: { unified: FINISHES[finish ?? ''] ?? 'other', raw: finish },
      usage: usageOf({
        input: usage?.prompt_tokens,
        output: usage?.completion_tokens,
        cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      }),
    }
  }
}

interface Call {
  readonly index: number | undefined
  id: string
  name: string
  input: string
  signature?: string
}

function readWhole(json: Json): Generated {
  if (json?.error) throw new ErrorInStream(json.error)
  const choice = json?.choices?.[0]
  if (typeof choice?.message !== 'object' || choice.message === null) throw new UnreadableAnswer()
  const growing = new Growing()
  growing.add(choice.message)
  return growing.generated(choice.finish_reason ?? undefined, json.usage)
}

function createReader(hear: Hear): StreamReader {
  const growing = new Growing()
  let finish: string | undefined
  let usage: Json
  return {
    event(data) {
      if (data === '[DONE]') return true
      const chunk: Json = JSON.parse(data)
      if (chunk?.error) throw new ErrorInStream(chunk.error)
      usage = chunk?.usage ?? usage
      const choice = chunk?.choices?.[0]
      finish = choice?.finish_reason ?? finish
      if (choice?.delta) growing.add(choice.delta)
      if (choice) hear(growing.text)
      return false
    },
    end() {
      if (finish === undefined) throw new StreamEnded()
      return growing.generated(finish, usage)
    },
  }
}
