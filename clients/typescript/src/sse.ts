/** One event of a stream of Server-Sent Events. */
export interface ServerSentEvent {
  /** What a reconnection sends as its cursor. */
  readonly id: string | null
  readonly data: string
}

/** The events in chunks of bytes, however these are cut; ends with them. What is not complete by then is no event. */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  let id: string | null = null
  let data: string[] = []
  for await (const chunk of chunks) {
    // A carriage return at the end may be the first half of a line break.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'data') data.push(value)
      else if (field === 'id') id = value
      if (line !== '') continue
      if (data.length > 0) yield { id, data: data.join('\n') }
      data = []
      id = null
    }
  }
}
