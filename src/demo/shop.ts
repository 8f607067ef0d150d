import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Html } from '../web/html.ts'
import { cardPage, digitsOf, wrongWithCard } from './shop/card.ts'
import { checkoutPage } from './shop/checkout.ts'
import { Counter } from './shop/counter.ts'
import { GOODS, type Goods, type Product } from './shop/goods.ts'
import { download, formOf, json, plain, type Reply, script, seeOther, send, shown, textOf } from './shop/http.ts'
import { page } from './shop/layout.ts'
import {
  articleOf,
  CHECKOUT_FIELDS,
  type CheckoutForm,
  COUNT_MAX,
  complaintsOf,
  EMPTY_FORM,
  linesOf,
  type Order,
  orderOf,
} from './shop/orders.ts'
import {
  cartPage,
  confirmationPage,
  invoiceLines,
  notFoundPage,
  productList,
  productPage,
  resultList,
  searchPage,
} from './shop/pages.ts'
import { pdf } from './shop/pdf.ts'
import { CARD_SCRIPT, SHOP_SCRIPT } from './shop/scripts.ts'

const WELCOME = 'Tea, and all that goes with it'
const QUERY_CHARS_MAX = 100
const RESULTS_LATE_MS = 600
const YEAR_S = 365 * 24 * 60 * 60
const CART = /(?:^|;\s*)cart=([0-9a-f-]{36})/
const COOKIES = /(?:^|;\s*)cookies=(necessary|all)/

export interface Shop {
  /** Without a trailing slash. */
  readonly url: string
  /** What was ordered, oldest first. */
  readonly orders: readonly Order[]
  close(): Promise<void>
}

/**
 * A small web shop to try the service on, with what real ones have: a cookie banner, results that load late, a size that
 * is sold out, a checkout with a payment form of another site in a frame and a file, an invoice to download, and a question before
 * an order is cancelled. It listens on loopback only, and every amount is computed from `goods`. Rejects when the port is taken.
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

/** Who asks, from where. */
interface Visit {
  readonly shop: Counter
  readonly url: URL
  readonly visitor: string | null
  readonly asksForCookies: boolean
  /** The page that was open before. */
  readonly from: string
  /** The payment provider's page: the same port under another name, so that it is another site to the browser. */
  readonly cardFrame: string
}

async function answer(shop: Counter, request: IncomingMessage): Promise<Reply> {
  const { host = '127.0.0.1', cookie = '', referer = '/' } = request.headers
  const { port, hostname } = new URL(`http://${host}`)
  const visit: Visit = {
    shop,
    url: new URL(request.url ?? '/', 'http://shop'),
    visitor: CART.exec(cookie)?.[1] ?? null,
    // Who comes from elsewhere is asked anew, so that a second task finds what the first one found.
    asksForCookies: !COOKIES.test(cookie) || request.headers.referer === undefined,
    from: URL.canParse(referer) ? new URL(referer).pathname.replace(/^\/+/, '/') + new URL(referer).search : '/',
    cardFrame: `http://${hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${port}/pay`,
  }
  if (request.method === 'POST') {
    const form = await formOf(request).catch(() => undefined)
    if (form === undefined) return plain(400, 'That is not a form.')
    return form === null ? plain(413, 'That is too much.') : post(visit, form)
  }
  return request.method === 'GET' || request.method === 'HEAD' ? get(visit) : plain(405, 'Not allowed.')
}

/** Nothing but our own pages and scripts, and the payment provider's frame. */
const policyOf = ({ cardFrame }: Visit): string =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'self'; connect-src 'self'; form-action 'self'; frame-src ${new URL(cardFrame).origin}`
const CARD_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'"

function show(visit: Visit, title: string, content: Html, status = 200): Reply {
  const { shop, url, visitor, asksForCookies } = visit
  const inCart = [...shop.cart(visitor).values()].reduce((sum, count) => sum + count, 0)
  return shown(status, page(title, { inCart, query: queryOf(url), asksForCookies }, content), policyOf(visit))
}

const queryOf = ({ searchParams }: URL): string => (searchParams.get('q') ?? '').trim().slice(0, QUERY_CHARS_MAX)

function get(visit: Visit): Reply | Promise<Reply> {
  const { shop, url, visitor, cardFrame } = visit
  const { goods } = shop
  const query = queryOf(url)
  const lines = linesOf(shop.cart(visitor), goods)
  switch (url.pathname) {
    case '/':
      return show(visit, WELCOME, productList(WELCOME, goods.products))
    case '/search':
      return show(visit, 'Search', searchPage(query, `/search/results?q=${encodeURIComponent(query)}`))
    case '/search/results':
      return late(shown(200, resultList(search(goods.products, query)), policyOf(visit)))
    case '/cart':
      return show(visit, 'Your cart', cartPage(lines))
    case '/checkout': {
      const empty = { form: EMPTY_FORM, complaints: new Map(), cardFrame }
      return show(visit, 'Checkout', lines.length === 0 ? cartPage(lines) : checkoutPage(goods, lines, empty))
    }
    case '/shop.js':
      return script(SHOP_SCRIPT)
    case '/pay':
      return shown(200, cardPage(), CARD_POLICY)
    case '/pay/card.js':
      return script(CARD_SCRIPT)
  }
  const [, place, name, paper] = url.pathname.split('/')
  const product = place === 'product' ? goods.products.find(({ id }) => id === name) : undefined
  if (product) return show(visit, product.name, productPage(product))
  const order = place === 'order' ? shop.orders.find(({ number }) => number === name) : undefined
  if (order && paper === undefined) return show(visit, 'Thank you', confirmationPage(order, goods))
  if (order && paper === 'invoice.pdf') {
    return download(`invoice-${order.number}.pdf`, pdf(invoiceLines(order, goods)))
  }
  return show(visit, 'Not found', notFoundPage, 404)
}

const late = (reply: Reply): Promise<Reply> =>
  new Promise((resolve) => setTimeout(() => resolve(reply), RESULTS_LATE_MS))

async function post(visit: Visit, form: FormData): Promise<Reply> {
  const { shop, url, visitor, from } = visit
  switch (url.pathname) {
    case '/cookies':
      return seeOther(from, {
        'set-cookie': `cookies=${textOf(form, 'choice') === 'all' ? 'all' : 'necessary'}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`,
      })
    case '/cart':
      return intoCart(visit, form)
    case '/cart/empty':
      shop.empty(visitor)
      return seeOther('/cart')
    case '/checkout':
      return checkout(visit, form)
    case '/pay/token': {
      const card = { number: textOf(form, 'number'), expiry: textOf(form, 'expiry'), code: textOf(form, 'code') }
      const wrong = wrongWithCard(card)
      return wrong === null ? json(200, { token: shop.accept(digitsOf(card.number)) }) : json(422, { error: wrong })
    }
  }
  const [, place, number = '', what] = url.pathname.split('/')
  if (place !== 'order' || what !== 'cancel' || !shop.cancel(number)) return plain(404, 'Not found.')
  return seeOther(`/order/${number}`)
}

function intoCart({ shop, visitor }: Visit, form: FormData): Reply {
  const product = shop.goods.products.find(({ id }) => id === textOf(form, 'product'))
  const count = Number(textOf(form, 'count'))
  if (!product || !Number.isInteger(count) || count < 1 || count > COUNT_MAX) {
    return plain(400, `Quantity must be a whole number from 1 to ${COUNT_MAX}.`)
  }
  const article = articleOf(product, textOf(form, 'size'))
  if (article === null) return plain(400, 'This size is sold out.')
  const id = visitor ?? shop.newVisitor()
  shop.put(id, article, count)
  return seeOther('/cart', { 'set-cookie': `cart=${id}; Path=/; HttpOnly; SameSite=Lax` })
}

function checkout(visit: Visit, posted: FormData): Reply {
  const { shop, visitor, cardFrame } = visit
  const { goods } = shop
  const fields = CHECKOUT_FIELDS.map((name) => [name, textOf(posted, name)] as const)
  const form: CheckoutForm = { ...EMPTY_FORM, ...Object.fromEntries(fields) }
  const card = shop.cardOf(form.token)
  const complaints = complaintsOf(form, goods, card)
  const cart = shop.cart(visitor)
  const file = posted.get('picture')
  const picture = typeof file === 'object' && file !== null && file.size > 0 ? file.name : null
  const more = { number: shop.newNumber(), card, picture }
  const order = complaints.size === 0 ? orderOf(form, cart, goods, more) : null
  if (order === null) {
    const lines = linesOf(cart, goods)
    const again = lines.length === 0 ? cartPage(lines) : checkoutPage(goods, lines, { form, complaints, cardFrame })
    return show(visit, 'Checkout', again, 422)
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
