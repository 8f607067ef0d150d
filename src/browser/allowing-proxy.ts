import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type LookupFunction, type Socket } from 'node:net'
import { isHostWithin, isWithin } from '../../machines/domains.ts'
import { type AddressGuard, assertAllowed, guardedLookup } from '../net/address-guard.ts'
import type { Refusal } from './own-service.ts'

/** Where a proxy connects to. What is `null` refuses nothing. */
export interface ProxyRules {
  /** [F3] The hosts of these domains alone. */
  readonly domains: readonly string[] | null
  /** [Z15] Hosts that are such an address, or whose name resolves to such addresses alone. */
  readonly addresses: AddressGuard | null
  /** [S13] Nothing that this refuses, such as the service itself. */
  readonly refusalOf: Refusal | null
}

/** An HTTP proxy on this machine that connects to some hosts alone. */
export interface AllowingProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  close(): Promise<void>
}

/**
 * [F3, Z15] All that a browser context sends goes through it, whatever of the page sends it: documents, frames, scripts,
 * workers, WebSockets, beacons, downloads, preconnections. A refused connection is cut: the page sees a network error,
 * and nothing is sent. The proxy resolves names itself and connects to what it has checked: a name that is answered
 * differently the next time gains nothing.
 */
export async function openAllowingProxy(rules: ProxyRules): Promise<AllowingProxy> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const lookup = rules.addresses ? { lookup: guardedLookup(rules.addresses) } : {}
  const server = createServer((incoming, answer) => forward(rules, lookup, incoming, answer))
  server.on('connection', keep)
  // Of https and of WebSockets: a tunnel to one host and port.
  server.on('connect', ({ url = '' }: IncomingMessage, client: Socket, head: Buffer) => {
    const target = targetOf(url)
    if (target === null || !isTunnelAllowed(rules, target)) return client.destroy()
    const to = { port: Number(target.port), host: target.host.replace(/^\[|\]$/g, ''), ...lookup }
    const onward = connect(to, () => {
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
  // A port that there is not cannot be parsed either.
  return host === '' || !URL.canParse(`http://${host}:${port}/`)
    ? null
    : { host: new URL(`http://${host}/`).hostname, port }
}

/** Which scheme a tunnel is for cannot be seen: both default ports are good for a domain that names none. */
const isTunnelAllowed = (rules: ProxyRules, { host, port }: { host: string; port: string }): boolean =>
  (rules.domains === null ||
    ['80', '443'].some((standard) => isHostWithin(rules.domains ?? [], host, port, standard))) &&
  isAllowed(rules, `http://${host}:${port}/`)

/** Whatever the domains: not the service, and no address that is written out and refused. Names are checked as they are resolved. */
function isAllowed({ addresses, refusalOf }: ProxyRules, url: string): boolean {
  if (refusalOf && refusalOf(url) !== null) return false
  try {
    if (addresses) assertAllowed(new URL(url), addresses)
    return true
  } catch {
    return false
  }
}

/** Plain HTTP: the request line has the whole URL. */
function forward(
  rules: ProxyRules,
  lookup: { readonly lookup?: LookupFunction },
  incoming: IncomingMessage,
  answer: ServerResponse,
): void {
  const { url = '', method, headers } = incoming
  const { domains } = rules
  const isFor = url.startsWith('http:') && (domains === null ? URL.canParse(url) : isWithin(domains, url))
  if (!isFor || !isAllowed(rules, url)) {
    incoming.socket.destroy()
    return
  }
  const { 'proxy-connection': _, 'proxy-authorization': __, ...own } = headers
  const sent = { method, headers: { ...own, host: new URL(url).host }, agent: false as const, ...lookup }
  const cut = () => incoming.socket.destroy()
  const onward = request(url, sent, (response) => {
    response.on('error', cut)
    try {
      answer.writeHead(response.statusCode ?? 502, response.statusMessage, headersOf(response) as never)
      response.pipe(answer)
    } catch {
      // Node reads more than it writes: a status of 000, a reason with control characters.
      cut()
    }
  })
  // An answer that changes the protocol was not asked for: WebSockets have a tunnel.
  onward.on('error', cut).on('upgrade', (_, socket) => {
    socket.destroy()
    cut()
  })
  answer.on('error', cut).on('close', () => onward.destroy())
  incoming.pipe(onward)
}

/** Names and values, one after the other. Trailers that are announced do not follow, and Node wants to send them. */
const headersOf = ({ rawHeaders }: IncomingMessage): string[] =>
  rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== 'trailer')
