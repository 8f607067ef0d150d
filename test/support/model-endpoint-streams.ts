/** Whole answers of the model APIs as the server-sent events that they would come in, texts and inputs in two pieces each. */

/** JSON to look into. */
// biome-ignore lint/suspicious/noExplicitAny: it is the wire's own
type Json = any

const halves = (all: string) => [all.slice(0, all.length / 2), all.slice(all.length / 2)]
const event = (data: object, type?: string) => `${type ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`

export function anthropicEvents(answer: object): string[] {
  const { content, stop_reason, stop_sequence, usage, ...message } = answer as Json
  const head = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
  return [
    event({ type: 'message_start', message: head }, 'message_start'),
    ...content.flatMap((block: Json, index: number) => {
      const [empty, ...deltas] = anthropicPieces(block)
      return [
        event({ type: 'content_block_start', index, content_block: empty }, 'content_block_start'),
        event({ type: 'ping' }, 'ping'),
        ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta }, 'content_block_delta')),
        event({ type: 'content_block_stop', index }, 'content_block_stop'),
      ]
    }),
    event(
      { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } },
      'message_delta',
    ),
    event({ type: 'message_stop' }, 'message_stop'),
  ]
}

/** How a block begins, and what comes of it afterwards. */
function anthropicPieces(block: Json): object[] {
  switch (block.type) {
    case 'text':
      return [{ ...block, text: '' }, ...halves(block.text).map((text) => ({ type: 'text_delta', text }))]
    case 'thinking':
      return [
        { type: 'thinking', thinking: '', signature: '' },
        ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'tool_use': {
      const deltas = halves(typeof block.input === 'string' ? block.input : JSON.stringify(block.input)).map(
        (partial_json) => ({ type: 'input_json_delta', partial_json }),
      )
      return [{ ...block, input: {} }, ...deltas]
    }
    default:
      return [block]
  }
}

export function chatEvents(answer: object): string[] {
  const { choices, usage, ...head } = answer as Json
  const [{ message, finish_reason }] = choices
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...halves(message.content ?? '').map((content) => chunk({ content })),
    ...(message.tool_calls ?? []).flatMap((call: Json, index: number) => {
      const [first, second] = halves(call.function.arguments)
      return [
        chunk({ tool_calls: [{ ...call, index, function: { ...call.function, arguments: first } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: second } }] }),
      ]
    }),
    chunk({}, finish_reason),
    event({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
    'data: [DONE]\n\n',
  ]
}

export function responsesEvents(answer: object): string[] {
  const { output, ...head } = answer as Json
  let sequence_number = 0
  const numbered = (data: { type: string; [more: string]: unknown }) =>
    event({ ...data, sequence_number: sequence_number++ }, data.type)
  return [
    numbered({ type: 'response.created', response: { ...head, status: 'in_progress', output: [] } }),
    ...output.flatMap((item: Json, output_index: number) => [
      numbered({ type: 'response.output_item.added', output_index, item: begun(item) }),
      ...responsePieces(item).map((piece) => numbered({ ...piece, output_index, item_id: item.id })),
      numbered({ type: 'response.output_item.done', output_index, item }),
    ]),
    numbered({
      type: head.status === 'completed' ? 'response.completed' : 'response.incomplete',
      response: answer,
    }),
  ]
}

/** An item before there is anything in it. */
function begun(item: Json): object {
  if (item.type === 'function_call') return { ...item, arguments: '', status: 'in_progress' }
  if (item.type === 'reasoning') return { ...item, summary: [], encrypted_content: '' }
  return { ...item, content: [], status: 'in_progress' }
}

/** What comes of an item between its beginning and its end. */
function responsePieces(item: Json): { type: string; [more: string]: unknown }[] {
  if (item.type === 'function_call') {
    return halves(item.arguments).map((delta) => ({ type: 'response.function_call_arguments.delta', delta }))
  }
  if (item.type === 'reasoning') {
    return item.summary.flatMap(({ text }: Json, summary_index: number) => [
      { type: 'response.reasoning_summary_part.added', summary_index },
      ...halves(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index, delta })),
      { type: 'response.reasoning_summary_part.done', summary_index },
    ])
  }
  return halves(item.content[0].text).map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta }))
}

export function googleEvents(answer: object): string[] {
  const { candidates, usageMetadata, ...head } = answer as Json
  const [{ content, finishReason, ...candidate }] = candidates
  const pieces = (content?.parts ?? []).flatMap((part: Json) =>
    typeof part.text === 'string' ? halves(part.text).map((text) => ({ ...part, text })) : [part],
  )
  return [
    ...pieces.map((part: object) =>
      event({ ...head, candidates: [{ ...candidate, content: { role: 'model', parts: [part] } }] }),
    ),
    event({ ...head, candidates: [{ ...candidate, finishReason }], usageMetadata }),
  ]
}
