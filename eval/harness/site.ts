import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Answers a request for one run of a task; `other` is an origin that is another site. */
export type Serve = (request: IncomingMessage, response: ServerResponse, origins: Origins) => void

export interface Origins {
  /** `http://r7.localhost:4711` */
  readonly own: string
  /** `http://x7.localhost:4711`: another site by its registrable domain, so its frames live in processes of their own. */
  readonly other: string
}

export interface Site {
  readonly port: number
  /** Serves a run on hosts of its own, so that its pages can be told from those of all others. */
  add(run: string, serve: Serve): Origins
  remove(run: string): void
  close(): Promise<void>
}

/** One loopback server for all runs: `r<run>.localhost` and, as another site, `x<run>.localhost`. */
export async function openSite(): Promise<Site> {
  const runs = new Map<string, Serve>()
  const originsOf = (run: string): Origins => ({
    own: `http://r${run}.localhost:${port}`,
    other: `http://x${run}.localhost:${port}`,
  })
  const server = createServer((request, response) => {
    const run = /^[rx](\w+)\.localhost/.exec(request.headers.host ?? '')?.[1] ?? ''
    const serve = runs.get(run)
    if (serve) serve(request, response, originsOf(run))
    else response.writeHead(404).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    port,
    add(run, serve) {
      runs.set(run, serve)
      return originsOf(run)
    },
    remove: (run) => {
      runs.delete(run)
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

export const html = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(text)
}
