import { ErrorInStream, StreamEnded } from './failure.ts'
import { type Generated, type Hear, isSaid } from './generated.ts'
import { type ContentPart, InvalidResponseDataError, type StreamPart } from './sdk.ts'

type Block = Extract<ContentPart, { type: 'text' | 'reasoning' }>
type Finish = Extract<StreamPart, { type: 'finish' }>

/**
 * [L37] Reads a streamed reply to its end, into the parts that it would have had as a whole.
 * @throws NetworkError when the stream ends before the reply does, ErrorInStream for an error of the provider in it.
 */
export async function readStream(stream: ReadableStream<StreamPart>, hear: Hear): Promise<Generated> {
  const content: ContentPart[] = []
  const blocks = new Map<string, Block>()
  let finish: Finish | null = null
  let text = ''
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block: Block = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '', ...metadataOf(part) }
        blocks.set(part.id, block)
        content.push(block)
        break
      }
      case 'text-delta':
        text += part.delta
        extend(blocks.get(part.id), part)
        break
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        extend(blocks.get(part.id), part)
        break
      case 'tool-call':
        content.push(part)
        break
      case 'finish':
        finish = part
        break
      case 'error':
        throw errorOf(part.error)
    }
    // What comes before the first piece is only the head.
    if (part.type !== 'stream-start' && part.type !== 'response-metadata') hear(text)
  }
  if (finish === null || isUnfinished(finish)) throw new StreamEnded()
  return { content: content.filter(isSaid), finishReason: finish.finishReason, usage: finish.usage }
}

function errorOf(error: unknown): unknown {
  // So one provider's reader says that there was no more.
  if (InvalidResponseDataError.isInstance(error)) return new StreamEnded()
  return error instanceof Error ? error : new ErrorInStream(error)
}

/** The providers say so when they were not told why a reply ended. */
const isUnfinished = ({ finishReason: { unified, raw } }: Finish): boolean => unified === 'other' && raw === undefined

type Piece = Extract<StreamPart, { type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>

const metadataOf = ({ providerMetadata }: Piece) => (providerMetadata === undefined ? {} : { providerMetadata })

/** A piece brings more of the text, or more of what the provider wants back with it, as its signature. */
function extend(block: Block | undefined, piece: Piece): void {
  if (!block) return
  if ('delta' in piece) block.text += piece.delta
  for (const [provider, more] of Object.entries(piece.providerMetadata ?? {})) {
    block.providerMetadata = {
      ...block.providerMetadata,
      [provider]: { ...block.providerMetadata?.[provider], ...more },
    }
  }
}
