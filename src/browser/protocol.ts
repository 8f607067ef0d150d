import type { CdpSession } from './act/cdp.ts'

/** The raw protocol of a session, whose own types name every method and event. */
export function protocolOf(session: unknown): CdpSession {
  const raw = session as {
    send(method: string, params?: object): Promise<unknown>
    on(event: string, listener: (params: never) => void): void
    off(event: string, listener: (params: never) => void): void
  }
  return {
    send: (method, params) => raw.send(method, params),
    on(event, listener) {
      raw.on(event, listener)
      return () => raw.off(event, listener)
    },
  }
}
