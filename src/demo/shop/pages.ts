import { Html, html } from '../../web/html.ts'
import type { Goods, Product, Size } from './goods.ts'
import { money } from './goods.ts'
import { type CartLine, COUNT_MAX, nameOf, type Order, sumOf } from './orders.ts'

const CUP = (body: string, rim: string) =>
  `<path d="M100 70 h120 v50 q0 45 -60 45 t-60 -45z" fill="${body}"/><ellipse cx="160" cy="70" rx="60" ry="14" fill="${body}" stroke="${rim}" stroke-width="3"/>` +
  `<path d="M100 85 q-45 0 -40 35 t50 25" fill="none" stroke="${body}" stroke-width="12"/>`
const SHAPES: Readonly<Record<string, (body: string, rim: string) => string>> = {
  Cups: CUP,
  Teapots: (body, rim) =>
    `<path d="M205 85 q40 -10 45 -45 l12 4 q0 55 -55 66z" fill="${body}"/>${CUP(body, rim)}<circle cx="160" cy="48" r="9" fill="${body}"/>`,
  Teas: (body, rim) =>
    `<path d="M90 150 q0 -100 140 -110 q10 110 -100 118 q-25 0 -40 -8z" fill="${body}"/><path d="M80 165 q50 -75 120 -100" fill="none" stroke="${rim}" stroke-width="5"/>`,
  Tools: (body, rim) =>
    `<path d="M135 40 h50 l10 60 q20 40 -35 62 q-55 -22 -35 -62z" fill="${body}"/><path d="M147 100 v50 M160 100 v58 M173 100 v50 M128 98 h64" stroke="${rim}" stroke-width="4"/>`,
}

const picture = ({ name, kind, colours: [body, rim] }: Product): Html => {
  const shape = (SHAPES[kind] ?? CUP)(body, rim)
  const label = html`${name}`.text
  return new Html(
    `<svg viewBox="0 0 320 200" role="img" aria-label="${label}"><rect width="320" height="200" fill="${rim}"/>${shape}</svg>`,
  )
}

const card = (product: Product): Html => html`<li class="card">
${picture(product)}
<h2><a href="/product/${product.id}">${product.name}</a></h2>
<div class="kind">${product.kind}</div>
<div class="price">${money(product.cents)}</div>
</li>`

const found = (products: readonly Product[]): Html =>
  html`<p>${products.length === 1 ? '1 product' : `${products.length} products`}</p>
<ul class="grid">${products.map(card)}</ul>`

export const productList = (title: string, products: readonly Product[]): Html => html`<h1>${title}</h1>
${found(products)}`

/** Where results are put when they have arrived. */
export const searchPage = (
  query: string,
  address: string,
): Html => html`<h1>${query === '' ? 'All products' : `Results for “${query}”`}</h1>
<div data-results="${address}" aria-live="polite"><p>Looking through the shelves …</p></div>`

export const resultList = (products: readonly Product[]): string => found(products).text

const sizeOption = ({ id, name, soldOut }: Size, chosen: boolean): Html =>
  html`<option value="${id}"${soldOut ? html` disabled` : html``}${chosen ? html` selected` : html``}>${name}${soldOut ? ' (sold out)' : ''}</option>`

const sizeField = (sizes: readonly Size[]): Html => {
  const first = sizes.find(({ soldOut }) => !soldOut)
  return html`<div class="field">
<label for="size">Size</label>
<select id="size" name="size">${sizes.map((size) => sizeOption(size, size === first))}</select>
</div>`
}

export const productPage = (product: Product): Html => html`<div class="product">
<div>${picture(product)}</div>
<div>
<h1>${product.name}</h1>
<p class="kind">${product.kind}</p>
<p>${product.says}</p>
<p class="price">Price: ${money(product.cents)}</p>
<form method="post" action="/cart">
<input type="hidden" name="product" value="${product.id}">
${product.sizes ? sizeField(product.sizes) : html``}
<div class="field">
<label for="count">Quantity</label>
<input id="count" name="count" type="number" min="1" max="${COUNT_MAX}" value="1" required>
</div>
<button>Add to cart</button>
</form>
</div>
</div>`

export const linesTable = (lines: readonly CartLine[], more: readonly Html[]): Html => html`<table>
<thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col" class="amount">Price</th></tr></thead>
<tbody>${lines.map(
  (line) =>
    html`<tr><td>${nameOf(line)}</td><td>${line.count}</td><td class="amount">${money(line.product.cents * line.count)}</td></tr>`,
)}</tbody>
<tfoot>${more}</tfoot>
</table>`
export const totalRow = (label: string, cents: number): Html =>
  html`<tr><th scope="row" colspan="2">${label}</th><td class="amount">${money(cents)}</td></tr>`

export const cartPage = (lines: readonly CartLine[]): Html =>
  lines.length === 0
    ? html`<h1>Your cart</h1><p>Your cart is empty.</p><p><a class="button" href="/">Look around</a></p>`
    : html`<h1>Your cart</h1>
${linesTable(lines, [totalRow('Subtotal', sumOf(lines))])}
<p><a class="button" href="/checkout">Go to checkout</a></p>
<form method="post" action="/cart/empty"><button>Empty the cart</button></form>`

export const confirmationPage = (
  order: Order,
  goods: Goods,
): Html => html`<h1>${order.cancelled ? 'Your order is cancelled' : html`Thank you, ${order.name}!`}</h1>
<p>Order number: <strong>${order.number}</strong></p>
${linesTable(order.lines, [
  totalRow(`Delivery: ${order.delivery.name}`, order.delivery.cents),
  ...(order.giftWrap ? [totalRow('Gift wrap', goods.giftWrapCents)] : []),
  totalRow('Total', order.totalCents),
])}
<p>Total to pay: <strong>${money(order.totalCents)}</strong></p>
<p>Payment: ${order.payment}.${order.picture === null ? '' : ` Gift card with the picture ${order.picture}.`}</p>
<p>It goes to ${order.address}. A confirmation would be sent to ${order.email}.</p>
<p><a href="/order/${order.number}/invoice.pdf">Download the invoice</a></p>
${
  order.cancelled
    ? html``
    : html`<form method="post" action="/order/${order.number}/cancel" data-confirm="Really cancel order ${order.number}?"><button>Cancel the order</button></form>`
}`

/** The lines of an order's invoice. */
export const invoiceLines = (order: Order, goods: Goods): string[] => [
  'Kettle & Leaf',
  `Invoice for order ${order.number}`,
  `${order.name}, ${order.address}`,
  ...order.lines.map((line) => `${line.count} x ${nameOf(line)}: ${money(line.product.cents * line.count)}`),
  `Delivery, ${order.delivery.name}: ${money(order.delivery.cents)}`,
  ...(order.giftWrap ? [`Gift wrap: ${money(goods.giftWrapCents)}`] : []),
  `Total: ${money(order.totalCents)}`,
  `Payment: ${order.payment}`,
  ...(order.cancelled ? ['Cancelled'] : []),
]

export const notFoundPage = html`<h1>Not found</h1><p>There is no such page. <a href="/">Back to the shop</a></p>`
