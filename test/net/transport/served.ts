import type { Test } from 'uvu'
import type { Handler, Listener, Response, Transport } from '../../../src/net/transport.ts'
import { listenWith, type memoryLog, RawClient } from '../../support/http-wire.ts'

export const text = (body: string, status = 200): Response => ({ status, headers: [['X-Test', 'yes']], body })
export const echo: Handler = ({ method, path, query, headers, body, bodyTooLarge, ip }) =>
  text(JSON.stringify({ method, path, query, headers, ip, bodyTooLarge, body: Buffer.from(body).toString() }))

/** Opens listeners and clients of a suite, and closes them after each of its tests. */
export function served(test: Test, transport: Transport, log: ReturnType<typeof memoryLog>) {
  const open: (Listener | RawClient)[] = []
  const client = async (listener: Listener) => {
    const raw = await RawClient.open(listener.port)
    open.push(raw)
    return raw
  }
  const serve = async (handle: Handler, maxBodyBytes?: number) => {
    const listener = await listenWith(transport, handle, {}, maxBodyBytes)
    open.push(listener)
    return listener
  }
  test.after.each(async () => {
    log.lines.length = 0
    for (const one of open.splice(0).reverse()) await (one instanceof RawClient ? one.destroy() : one.close())
  })
  return { client, serve }
}
