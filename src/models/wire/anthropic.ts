import type { Message, MessageResult, ModelRequest, ToolSpec } from '../../../actors/runtime/ports.ts'
import { ErrorInStream, StreamEnded, UnreadableAnswer } from '../failure.ts'
import { type Counted, type Generated, type Hear, isSaid, type Said, usageOf } from '../generated.ts'
import { replayed } from '../reasoning.ts'
import type { AssistantPart } from '../sdk.ts'
import { callId } from './call-ids.ts'
import { closedSchema } from './closed-schema.ts'
import { type Form, imagesShown, replyTokens, toolSchema } from './form.ts'
import { jsonPiece, listed, type Piece, pieceOf, remembered } from './pieces.ts'
import { noted } from './texts.ts'
import type { StreamReader, Wire } from './wire.ts'

/** Anthropic's Messages API. */
export const anthropicWire = (model: string): Wire => ({
  path: '/messages',
  headers: (apiKey) => ({ 'anthropic-version': '2023-06-01', 'x-api-key': apiKey ?? '' }),
  body: (form) => writer(model, form),
  reader: createReader,
  whole: readWhole,
})

type Block = Readonly<Record<string, unknown>>
const CACHE_MARK = { cache_control: { type: 'ephemeral' } }

/** One message on the wire, with and without a mark of the prompt cache on its last block. */
interface Written {
  readonly role: 'user' | 'assistant'
  readonly plain: readonly Piece[]
  readonly marked: readonly Piece[]
}

function writer(model: string, form: Form): (request: ModelRequest) => Buffer {
  let asked: Message | null = null
  const message = remembered((each: Message) => written(each, asked, model, form))
  const withoutImages = remembered((each: Message) => written(each, asked, model, { ...form, images: 'none' }))
  const tools = remembered((specs: readonly ToolSpec[]) =>
    jsonPiece(
      specs.map(({ name, description, schema }) => ({
        name,
        description,
        input_schema: toolSchema(schema, form),
        ...(form.eagerInputs && form.streams ? { eager_input_streaming: true } : {}),
      })),
    ),
  )
  return (request) => {
    const messages: { role: Written['role']; pieces: Piece[] }[] = []
    asked = null
    const isShown = imagesShown(request.messages, form)
    // [L18] Marked are the last message, and where the request before this one ended: up to there the provider may
    // keep what it has read. It looks only some blocks back, and a reply of many calls is longer than that.
    const last = request.messages.length - 1
    const before = request.messages.findLastIndex(({ role }) => role === 'assistant') - 1
    request.messages.forEach((each, at) => {
      const { role, plain, marked } = (isShown(each) ? message : withoutImages)(each)
      asked = each
      const pieces = form.cacheMarks && (at === last || at === before) ? marked : plain
      const open = messages.at(-1)
      if (open?.role === role) open.pieces.push(...pieces)
      else if (pieces.length > 0) messages.push({ role, pieces: [...pieces] })
    })
    const mark = form.cacheMarks ? CACHE_MARK : {}
    const format = form.json === 'schema' && request.json ? closedSchema(request.json) : null
    const output = {
      ...(request.effort && form.effort ? { effort: request.effort } : {}),
      ...(format ? { format: { type: 'json_schema', schema: format } } : {}),
    }
    const head = {
      model,
      max_tokens: replyTokens(request, form),
      ...(form.streams ? { stream: true } : {}),
      ...(Object.keys(output).length > 0 ? { output_config: output } : {}),
      ...(request.mustCall && form.toolChoice ? { tool_choice: { type: 'tool', name: request.mustCall } } : {}),
      ...(request.system === '' ? {} : { system: [{ type: 'text', text: request.system, ...mark }] }),
    }
    return Buffer.concat([
      pieceOf(`${JSON.stringify(head).slice(0, -1)},"messages":[`),
      ...listed(
        messages.map(({ role, pieces }) =>
          Buffer.concat([pieceOf(`{"role":"${role}","content":[`), ...listed(pieces), pieceOf(']}')]),
        ),
      ),
      ...(request.tools.length === 0 ? [pieceOf(']}')] : [pieceOf('],"tools":'), tools(request.tools), pieceOf('}')]),
    ])
  }
}

function written(message: Message, asked: Message | null, model: string, form: Form): Written {
  const blocks = blocksOf(message, asked, model, form)
  const plain = blocks.map(jsonPiece)
  const last = blocks.at(-1)
  const marked = last ? [...plain.slice(0, -1), jsonPiece({ ...last, ...CACHE_MARK })] : plain
  return { role: message.role === 'assistant' ? 'assistant' : 'user', plain, marked }
}

function blocksOf(message: Message, asked: Message | null, model: string, form: Form): Block[] {
  switch (message.role) {
    case 'user':
      return [{ type: 'text', text: message.text }]
    case 'assistant': {
      const unchanged = form.reasoning ? replayed(message.replay, message.calls, model) : null
      if (unchanged) return unchanged.parts.map(blockOf)
      // An empty text is refused, and so is a message with nothing in it.
      const text = message.text === '' ? [] : [{ type: 'text', text: message.text }]
      return [
        ...text,
        ...message.calls.map(({ id, tool, input }) => ({ type: 'tool_use', id: callId(id, form), name: tool, input })),
      ]
    }
    case 'tool': {
      const unchanged =
        asked?.role === 'assistant' && form.reasoning ? replayed(asked.replay, asked.calls, model) : null
      return resultBlocks(message.results, (id) => unchanged?.ids.get(id) ?? callId(id, form), form)
    }
  }
}

/** A part of a reply as it goes back: with its signature, where it has one. */
function blockOf(part: AssistantPart): Block {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'tool-call') {
    return { type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input }
  }
  const { signature, redactedData } = (part.providerOptions?.anthropic ?? {}) as Readonly<Record<string, unknown>>
  return redactedData === undefined
    ? { type: 'thinking', thinking: part.text, signature }
    : { type: 'redacted_thinking', data: redactedData }
}

function resultBlocks(results: readonly MessageResult[], idOf: (id: string) => string, { images }: Form): Block[] {
  const blocks = results.map((result): Block => {
    const head = { type: 'tool_result', tool_use_id: idOf(result.id) }
    if (result.image !== null && images === 'in-result') {
      const text = result.text === '' ? [] : [{ type: 'text', text: result.text }]
      return { ...head, content: [...text, imageBlock(result.image)] }
    }
    const content = result.image !== null && images === 'none' ? noted(result.text) : result.text
    return { ...head, content, ...(result.failed ? { is_error: true } : {}) }
  })
  const after =
    images === 'after-result' ? results.flatMap(({ image }) => (image === null ? [] : [imageBlock(image)])) : []
  return [...blocks, ...after]
}

const imageBlock = (data: string): Block => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/jpeg', data },
})

interface Usage {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
}

function countedOf(usage: Usage): Counted {
  const { input_tokens = 0, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
  const cached = cache_read_input_tokens ?? 0
  const written = cache_creation_input_tokens ?? 0
  return { input: input_tokens + cached + written, output: output_tokens, cached, written }
}

const FINISHES: Readonly<Record<string, Generated['finishReason']['unified']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content-filter',
}

const generated = (content: readonly Said[], stop: string | undefined, usage: Usage): Generated => ({
  content: content.filter(isSaid),
  finishReason: { unified: FINISHES[stop ?? ''] ?? 'other', raw: stop },
  usage: usageOf(countedOf(usage)),
})

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint sent, of which each field is checked where it is used
type Json = any

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A block of a reply, as it begins or as it is. `null`: one that we neither need nor may send back. */
function partOf(block: Json): Said | null {
  switch (block?.type) {
    case 'text':
      return { type: 'text', text: text(block.text) }
    case 'thinking':
      return {
        type: 'reasoning',
        text: text(block.thinking),
        ...(block.signature ? { providerMetadata: { anthropic: { signature: block.signature } } } : {}),
      }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', providerMetadata: { anthropic: { redactedData: block.data ?? '' } } }
    case 'tool_use':
      return {
        type: 'tool-call',
        toolCallId: text(block.id),
        toolName: text(block.name),
        input: typeof block.input === 'string' ? block.input : JSON.stringify(block.input ?? {}),
      }
    default:
      return null
  }
}

function readWhole(json: Json): Generated {
  if (!Array.isArray(json?.content)) throw new UnreadableAnswer()
  const content = json.content.map(partOf).filter((part: Said | null) => part !== null)
  return generated(content, json.stop_reason ?? undefined, json.usage ?? {})
}

function createReader(hear: Hear): StreamReader {
  const content: Said[] = []
  const blocks = new Map<number, Said>()
  const inputs = new Map<Said, string>()
  let stop: string | undefined
  let usage: Usage = {}
  let said = ''

  function extend(part: Said | undefined, delta: Json): void {
    if (delta?.type === 'text_delta' && part?.type === 'text') {
      part.text += text(delta.text)
      said += text(delta.text)
    } else if (delta?.type === 'thinking_delta' && part?.type === 'reasoning') part.text += text(delta.thinking)
    else if (delta?.type === 'signature_delta' && part?.type === 'reasoning')
      part.providerMetadata = { anthropic: { signature: text(delta.signature) } }
    else if (delta?.type === 'input_json_delta' && part)
      inputs.set(part, (inputs.get(part) ?? '') + text(delta.partial_json))
  }

  return {
    event(data) {
      const event: Json = JSON.parse(data)
      switch (event?.type) {
        case 'message_start':
          usage = { ...event.message?.usage }
          return false
        case 'content_block_start': {
          const part = partOf(event.content_block)
          if (part) {
            blocks.set(event.index, part)
            content.push(part)
            if (part.type === 'text') said += part.text
          }
          break
        }
        case 'content_block_delta':
          extend(blocks.get(event.index), event.delta)
          break
        case 'message_delta':
          stop = event.delta?.stop_reason ?? stop
          usage = { ...usage, ...event.usage }
          break
        case 'error':
          throw new ErrorInStream(event.error)
        case 'message_stop':
          return true
      }
      hear(said)
      return false
    },
    end() {
      if (stop === undefined) throw new StreamEnded()
      for (const [part, input] of inputs) if (part.type === 'tool-call' && input !== '') part.input = input
      return generated(content, stop, usage)
    },
  }
}
