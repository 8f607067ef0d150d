import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A shop whose books a test reads: whatever reaches `/do`, `/go`, `/order` or `/buy`, by any method, is an order. */
export interface AttackedShop {
  readonly origin: string
  /** The same server under another site. */
  readonly elsewhere: string
  /** What was ordered: `POST /do/7`. */
  readonly books: string[]
  /** Other requests that write, with their bodies. */
  readonly writes: string[]
  /** What `/page/<name>` shows. `ELSEWHERE` stands for the other site. */
  readonly pages: Map<string, string>
  /** What pages show that ask for `/price`, and how often each was asked for. */
  price: string
  readonly asked: Map<string, number>
  close(): Promise<void>
}

const ORDERS = /^\/(?:do|go|order|buy)(?:[/?]|$)/

const SENDS = `fetch('/do/worker', { method: 'POST', body: 'item=7' })`
const WORKERS: Readonly<Record<string, string>> = {
  '/shared.js': `onconnect = () => ${SENDS}`,
  '/worker.js': SENDS,
  '/service.js': `onactivate = (event) => event.waitUntil(clients.claim()); onmessage = () => ${SENDS}`,
}

export async function openAttackedShop(): Promise<AttackedShop> {
  const books: string[] = []
  const writes: string[] = []
  const pages = new Map<string, string>()
  const asked = new Map<string, number>()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (data) => {
      body += data
    })
    request.on('end', () => answer(request, response, body))
  })
  function answer({ url = '/', method = 'GET' }: IncomingMessage, response: ServerResponse, body: string): void {
    const { pathname } = new URL(url, 'http://shop')
    if (method === 'OPTIONS') {
      const any = {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': '*',
        'access-control-allow-headers': '*',
      }
      response.writeHead(204, any).end()
      return
    }
    if (ORDERS.test(url)) books.push(`${method} ${url}`)
    else if (method !== 'GET') writes.push(`${method} ${url} ${body}`)
    if (pathname === '/price') {
      asked.set(shop.price, (asked.get(shop.price) ?? 0) + 1)
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(shop.price)
      return
    }
    if (pathname.endsWith('.js')) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(WORKERS[pathname] ?? '')
      return
    }
    const name = decodeURIComponent(pathname.replace(/^\/page\//, ''))
    const page = pages.get(name) ?? '<p>Thank you.'
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'access-control-allow-origin': '*' })
    response.end(`<!doctype html><title>Shop</title><body>${page.replaceAll('ELSEWHERE', shop.elsewhere)}`)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const shop: AttackedShop = {
    origin: `http://localhost:${port}`,
    elsewhere: `http://127.0.0.1:${port}`,
    books,
    writes,
    pages,
    price: '',
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return shop
}
