import { randomInt, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Html } from '../pages/html.ts'
import { GOODS, type Goods, type Product } from './shop/goods.ts'
import { page } from './shop/layout.ts'
import { type Cart, COUNT_MAX, complaintsOf, EMPTY_FORM, linesOf, type Order, orderOf } from './shop/orders.ts'
import { cartPage, checkoutPage, confirmationPage, notFoundPage, productList, productPage } from './shop/pages.ts'

const WELCOME = 'Tea, and all that goes with it'
const BODY_BYTES_MAX = 16 * 1024
const QUERY_CHARS_MAX = 100
const CARTS_MAX = 1_000
const ONLY_OURSELVES = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'"
const COOKIE = /(?:^|;\s*)cart=([0-9a-f-]{36})/

export interface Shop {
  /** Without a trailing slash. */
  readonly url: string
  /** What was ordered, oldest first. */
  readonly orders: readonly Order[]
  close(): Promise<void>
}

/**
 * A small web shop to try the service on: search, products, cart, checkout with text, select and checkboxes, confirmation.
 * It listens on loopback only, and every amount is computed from `goods`. Rejects when the port is taken.
 */
export async function openShop(options: { port?: number; goods?: Goods } = {}): Promise<Shop> {
  const shop = new Counter(options.goods ?? GOODS)
  const server = createServer((request, response) => {
    answer(shop, request).then(
      (reply) => send(response, reply),
      () => send(response, plain(500, 'Something went wrong.')),
    )
  })
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(options.port ?? 0, '127.0.0.1', listening)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    orders: shop.orders,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** What the shop remembers: a cart for each visitor, and the orders. */
class Counter {
  readonly goods: Goods
  readonly orders: Order[] = []
  readonly #carts = new Map<string, Map<string, number>>()

  constructor(goods: Goods) {
    this.goods = goods
  }

  cart(visitor: string | null): Cart {
    return (visitor !== null && this.#carts.get(visitor)) || new Map()
  }

  put(visitor: string, productId: string, count: number): void {
    const cart = this.#carts.get(visitor) ?? new Map<string, number>()
    cart.set(productId, Math.min(COUNT_MAX, (cart.get(productId) ?? 0) + count))
    const [oldest] = this.#carts.keys()
    if (this.#carts.size >= CARTS_MAX && oldest !== undefined) this.#carts.delete(oldest)
    this.#carts.set(visitor, cart)
  }

  empty(visitor: string | null): void {
    if (visitor !== null) this.#carts.delete(visitor)
  }

  newNumber(): string {
    return `KL-${String(this.orders.length + 1).padStart(3, '0')}-${randomInt(1_000, 9_999)}`
  }
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function answer(shop: Counter, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? '/', 'http://shop')
  const visitor = COOKIE.exec(request.headers.cookie ?? '')?.[1] ?? null
  if (request.method === 'POST') {
    const form = await formOf(request)
    return form === null ? plain(413, 'That is too much.') : post(shop, visitor, url.pathname, form)
  }
  return request.method === 'GET' || request.method === 'HEAD' ? get(shop, visitor, url) : plain(405, 'Not allowed.')
}

function get(shop: Counter, visitor: string | null, { pathname, searchParams }: URL): Reply {
  const { goods } = shop
  const cart = shop.cart(visitor)
  const lines = linesOf(cart, goods)
  const query = (searchParams.get('q') ?? '').trim().slice(0, QUERY_CHARS_MAX)
  const show = (title: string, content: Html, status = 200) => shown(status, page(title, countOf(cart), query, content))

  if (pathname === '/') return show(WELCOME, productList(WELCOME, goods.products))
  if (pathname === '/search') {
    const title = query === '' ? 'All products' : `Results for “${query}”`
    return show('Search', productList(title, search(goods.products, query)))
  }
  if (pathname === '/cart') return show('Your cart', cartPage(lines))
  if (pathname === '/checkout') {
    return show('Checkout', lines.length === 0 ? cartPage(lines) : checkoutPage(goods, lines, EMPTY_FORM, new Map()))
  }
  const [, place, name] = pathname.split('/')
  const product = place === 'product' ? goods.products.find(({ id }) => id === name) : undefined
  if (product) return show(product.name, productPage(product))
  const order = place === 'order' ? shop.orders.find(({ number }) => number === name) : undefined
  if (order) return show('Thank you', confirmationPage(order, goods))
  return show('Not found', notFoundPage, 404)
}

function post(shop: Counter, visitor: string | null, path: string, form: URLSearchParams): Reply {
  const { goods } = shop
  if (path === '/cart') {
    const product = goods.products.find(({ id }) => id === form.get('product'))
    const count = Number(form.get('count'))
    if (!product || !Number.isInteger(count) || count < 1 || count > COUNT_MAX) {
      return plain(400, `Quantity must be a whole number from 1 to ${COUNT_MAX}.`)
    }
    const id = visitor ?? randomUUID()
    shop.put(id, product.id, count)
    return seeOther('/cart', { 'set-cookie': `cart=${id}; Path=/; HttpOnly; SameSite=Lax` })
  }
  if (path === '/cart/empty') {
    shop.empty(visitor)
    return seeOther('/cart')
  }
  if (path !== '/checkout') return plain(404, 'Not found.')

  const cart = shop.cart(visitor)
  const said = { ...EMPTY_FORM, ...Object.fromEntries(form) }
  const complaints = complaintsOf(said, goods)
  const order = complaints.size === 0 ? orderOf(said, cart, goods, shop.newNumber()) : null
  if (order === null) {
    const lines = linesOf(cart, goods)
    const content = lines.length === 0 ? cartPage(lines) : checkoutPage(goods, lines, said, complaints)
    return shown(422, page('Checkout', countOf(cart), '', content))
  }
  shop.orders.push(order)
  shop.empty(visitor)
  return seeOther(`/order/${order.number}`)
}

function search(products: readonly Product[], query: string): Product[] {
  const words = query.toLowerCase().split(/\s+/)
  return products.filter(({ name, kind, says }) => {
    const text = `${name} ${kind} ${says}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const countOf = (cart: Cart): number => [...cart.values()].reduce((sum, count) => sum + count, 0)

async function formOf(request: IncomingMessage): Promise<URLSearchParams | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  return bytes > BODY_BYTES_MAX ? null : new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

const plain = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
})
const shown = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': ONLY_OURSELVES },
  body,
})
const seeOther = (location: string, more: Readonly<Record<string, string>> = {}): Reply => ({
  status: 303,
  headers: { location, ...more },
  body: '',
})

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { 'cache-control': 'no-store', ...headers })
  response.end(body)
}
