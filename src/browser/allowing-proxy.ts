import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { isHostWithin, isWithin } from '../../machines/domains.ts'

/** An HTTP proxy on this machine that connects to the hosts of some domains alone. */
export interface AllowingProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  close(): Promise<void>
}

/**
 * [F3] All that a browser context sends goes through it, whatever of the page sends it: documents, frames, scripts,
 * workers, WebSockets, beacons, downloads, preconnections. A refused connection is cut: the page sees a network error,
 * and nothing is resolved or sent.
 */
export async function openAllowingProxy(domains: readonly string[]): Promise<AllowingProxy> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer((incoming, answer) => forward(domains, incoming, answer))
  server.on('connection', keep)
  // Of https and of WebSockets: a tunnel to one host and port.
  server.on('connect', ({ url = '' }: IncomingMessage, client: Socket, head: Buffer) => {
    const target = targetOf(url)
    if (target === null || !isTunnelAllowed(domains, target)) return client.destroy()
    const onward = connect(Number(target.port), target.host.replace(/^\[|\]$/g, ''), () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.write(head)
      onward.pipe(client).pipe(onward)
    })
    keep(onward)
    client.on('close', () => onward.destroy())
    onward.on('close', () => client.destroy())
  })
  server.on('clientError', (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function targetOf(text: string): { readonly host: string; readonly port: string } | null {
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:/@]+):(\d{1,5})$/i.exec(text) ?? []
  return host === '' || !URL.canParse(`http://${host}/`) ? null : { host: new URL(`http://${host}/`).hostname, port }
}

/** Which scheme a tunnel is for cannot be seen: both default ports are good for a domain that names none. */
const isTunnelAllowed = (domains: readonly string[], { host, port }: { host: string; port: string }): boolean =>
  ['80', '443'].some((standard) => isHostWithin(domains, host, port, standard))

/** Plain HTTP: the request line has the whole URL. */
function forward(domains: readonly string[], incoming: IncomingMessage, answer: ServerResponse): void {
  const { url = '', method, headers } = incoming
  if (!isWithin(domains, url) || !url.startsWith('http:')) {
    incoming.socket.destroy()
    return
  }
  const { 'proxy-connection': _, 'proxy-authorization': __, ...own } = headers
  const onward = request(url, { method, headers: { ...own, host: new URL(url).host }, agent: false }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.statusMessage, response.rawHeaders as never)
    response.pipe(answer)
    response.on('error', () => answer.destroy())
  })
  onward.on('error', () => incoming.socket.destroy())
  answer.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
