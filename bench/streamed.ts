interface Message {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly input?: object }[]
  readonly stop_reason: string
  readonly usage: { readonly output_tokens: number }
}

const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/**
 * A message of Anthropic as the stream in which it would come, its text in so many pieces and each input in two; joined
 * to parts of some pieces, as they reach the network together.
 */
export function streamOf(message: object, pieces: number, atOnce: number): readonly string[] {
  const { content, stop_reason, usage, ...head } = message as Message
  const start = { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  const events = [
    event({ type: 'message_start', message: start }),
    ...content.flatMap((block, index) => {
      const delta = (delta: object) => event({ type: 'content_block_delta', index, delta })
      const text = block.text ?? ''
      const json = JSON.stringify(block.input ?? {})
      const deltas =
        block.type === 'text'
          ? inPieces(text, pieces).map((piece) => delta({ type: 'text_delta', text: piece }))
          : inPieces(json, 2).map((piece) => delta({ type: 'input_json_delta', partial_json: piece }))
      const begun = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} }
      return [
        event({ type: 'content_block_start', index, content_block: begun }),
        ...deltas,
        event({ type: 'content_block_stop', index }),
      ]
    }),
    event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: usage.output_tokens } }),
    event({ type: 'message_stop' }),
  ]
  return Array.from({ length: Math.ceil(events.length / atOnce) }, (_, at) =>
    events.slice(at * atOnce, (at + 1) * atOnce).join(''),
  )
}

function inPieces(text: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / count))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}
