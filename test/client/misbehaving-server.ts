import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { BrowserTasks } from '../../src/client/index.ts'

/** Answers one request, well or badly. */
export type Act = (response: ServerResponse, request: IncomingMessage) => unknown

export const opened = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n: connected\n\n')
export const frame = (seq: number) =>
  `id: ${seq}\nevent: x\ndata: ${JSON.stringify({ seq, type: seq === 3 ? 'task.ended' : 'step.started' })}\n\n`
export const sending =
  (text: string, end: 'end' | 'cut' = 'end'): Act =>
  (response) => {
    opened(response)
    response.write(text, () => setTimeout(() => (end === 'end' ? response.end() : response.destroy()), 10))
  }
export const rest: Act = (response, request) => {
  const after = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after'))
  sending(
    [1, 2, 3]
      .filter((seq) => seq > after)
      .map(frame)
      .join(''),
  )(response, request)
}
export const answering =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Act =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
export const html =
  (status: number): Act =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><h1>Sorry</h1>')
export const cut: Act = (response) => response.destroy()

/** A server whose answers are these in turn, the last one for ever, and a client of it. */
export async function serving(acts: Act[], options: { maxRetries?: number; retryForMs?: number } = {}) {
  const asked: { method: string; url: string; key: string | undefined; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    asked.push({ method, url, key: headers['idempotency-key']?.toString(), body })
    const act = acts.length > 1 ? acts.shift() : acts[0]
    act?.(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new BrowserTasks({ baseUrl, maxRetries: 1, retryForMs: 60_000, ...options })
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { baseUrl, client, asked, close, afters: () => asked.map(({ url }) => /after=(\w+)/.exec(url)?.[1]) }
}
export const failure = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => assert.unreachable('it succeeded') as never,
    (error) => error,
  )
