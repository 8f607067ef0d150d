import { createInterface } from 'node:readline'
import { serverSentEvents } from '../client/index.ts'
import type { ServiceOptions } from './client.ts'
import { usageError } from './exit-codes.ts'

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly name?: unknown
    readonly uri?: unknown
    readonly requestId?: string | number
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

/** JSON-RPC's code for what goes wrong at the server. */
const SERVER_ERROR = -32_000
const VERSION_META = 'io.modelcontextprotocol/protocolVersion'

/**
 * [Y16] MCP over standard input and output, passed on to `/mcp` of a service: the tools are those of the service, whatever
 * the version of this command. Resolves when the client has closed the input.
 */
export async function bridgeMcp({ service, key }: ServiceOptions): Promise<void> {
  if (!key) throw usageError('No key given. Use --key or set BROWSER_TASK_KEY.')
  if (!URL.canParse(service)) throw usageError(`${service} is not a valid service address.`)
  const url = `${service.replace(/\/+$/, '')}/mcp`
  const pending = new Map<string | number, AbortController>()
  const reply = (text: string) => process.stdout.write(`${text.replaceAll('\n', ' ')}\n`)
  const refuse = (id: Message['id'], message: string) => {
    if (id !== undefined) reply(JSON.stringify({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } }))
  }

  const pass = async (line: string, message: Message): Promise<void> => {
    const { id, method, params } = message
    // Over HTTP, a call is cancelled by its connection.
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) pending.get(params.requestId)?.abort()
    const stop = new AbortController()
    if (id !== undefined && method !== undefined) pending.set(id, stop)
    try {
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...standardHeaders(message),
      }
      const answer = await fetch(url, { method: 'POST', headers, body: line, signal: stop.signal })
      const type = answer.headers.get('content-type') ?? ''
      if (type.startsWith('text/event-stream') && answer.body) {
        for await (const { data } of serverSentEvents(answer.body)) if (data !== '') reply(data)
        return
      }
      const text = await answer.text()
      const body = jsonIn(text) as { jsonrpc?: string; error?: unknown } | null
      if (body?.jsonrpc !== undefined) reply(text)
      else if (!answer.ok)
        refuse(id, typeof body?.error === 'string' ? body.error : `The service answered with ${answer.status}.`)
    } catch {
      if (!stop.signal.aborted) refuse(id, `No service answers at ${new URL(url).origin}.`)
    } finally {
      if (id !== undefined && method !== undefined) pending.delete(id)
    }
  }

  for await (const line of createInterface({ input: process.stdin })) {
    const message = jsonIn(line)
    if (typeof message === 'object' && message !== null) void pass(line, message)
  }
  for (const stop of pending.values()) stop.abort()
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What revision 2026-07-28 wants in headers, too; clients of earlier ones name no version with each message. */
function standardHeaders({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[VERSION_META]
  if (typeof version !== 'string' || method === undefined) return {}
  const name = params?.name ?? params?.uri
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': inHeader(name) } : {}),
  }
}

const inHeader = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) && !text.startsWith('=?') ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
