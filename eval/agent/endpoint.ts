import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Reply, WIRES } from '../../test/support/model-endpoint-wires.ts'

/** A request of the service as Anthropic's wire carries it. */
export interface WireRequest {
  readonly model: string
  readonly stream?: boolean
  readonly system?: unknown
  readonly tools?: readonly { readonly name: string }[]
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[]
}
export interface Block {
  readonly type: string
  readonly text?: string
  readonly content?: string | readonly Block[]
  readonly is_error?: boolean
}

export interface Endpoint {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string
  close(): Promise<void>
}

/** What an image costs a model, about. */
const IMAGE_TOKENS = 1_500
const CHARS_PER_TOKEN = 4

/** Tokens of a request by an estimate: characters of all texts, and a fixed number for each image. */
export function tokensOf(request: WireRequest): number {
  let images = 0
  const text = JSON.stringify(request, (_, value) => {
    if (typeof value !== 'object' || value === null || value.type !== 'image') return value
    images += 1
    return null
  })
  return Math.round(text.length / CHARS_PER_TOKEN) + images * IMAGE_TOKENS
}
const tokensIn = ({ text, calls }: Reply): number => Math.ceil(JSON.stringify([text, calls]).length / CHARS_PER_TOKEN)

export const textsOf = (content: string | readonly Block[] | undefined): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((block) => block.text ?? textsOf(block.content)).join('\n')

/** A local endpoint that speaks Anthropic's format, plain and streamed; `reply` is the model behind it. Tokens are estimated. */
export async function openEndpoint(reply: (request: WireRequest) => Promise<Reply>): Promise<Endpoint> {
  const wire = WIRES.find(({ name }) => name === 'anthropic')
  if (!wire) throw new Error('No wire format')
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', async () => {
      try {
        const request = JSON.parse(Buffer.concat(chunks).toString() || '{}') as WireRequest
        const said = await reply(request)
        const usage = { input_tokens: tokensOf(request), output_tokens: tokensIn(said) }
        const answer = { ...wire.reply(said, request), usage }
        res.writeHead(200, { 'content-type': request.stream ? 'text/event-stream' : 'application/json' })
        res.end(request.stream ? wire.stream(answer).join('') : JSON.stringify(answer))
      } catch (error) {
        res.writeHead(400, { 'content-type': 'application/json' })
        res.end(JSON.stringify(wire.error(400, error instanceof Error ? error.message : String(error))))
      }
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
