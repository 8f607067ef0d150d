import { Html, html } from '../../pages/html.ts'
import type { Goods, Product } from './goods.ts'
import { money } from './goods.ts'
import { type CartLine, type CheckoutForm, COUNT_MAX, type Complaints, type Order, sumOf } from './orders.ts'

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

export const productList = (title: string, products: readonly Product[]): Html => html`<h1>${title}</h1>
<p>${products.length === 1 ? '1 product' : `${products.length} products`}</p>
<ul class="grid">${products.map(card)}</ul>`

export const productPage = (product: Product): Html => html`<div class="product">
<div>${picture(product)}</div>
<div>
<h1>${product.name}</h1>
<p class="kind">${product.kind}</p>
<p>${product.says}</p>
<p class="price">Price: ${money(product.cents)}</p>
<form method="post" action="/cart">
<input type="hidden" name="product" value="${product.id}">
<div class="field">
<label for="count">Quantity</label>
<input id="count" name="count" type="number" min="1" max="${COUNT_MAX}" value="1" required>
</div>
<button>Add to cart</button>
</form>
</div>
</div>`

const linesTable = (lines: readonly CartLine[], more: readonly Html[]): Html => html`<table>
<thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col" class="amount">Price</th></tr></thead>
<tbody>${lines.map(
  ({ product, count }) =>
    html`<tr><td>${product.name}</td><td>${count}</td><td class="amount">${money(product.cents * count)}</td></tr>`,
)}</tbody>
<tfoot>${more}</tfoot>
</table>`
const totalRow = (label: string, cents: number): Html =>
  html`<tr><th scope="row" colspan="2">${label}</th><td class="amount">${money(cents)}</td></tr>`

export const cartPage = (lines: readonly CartLine[]): Html =>
  lines.length === 0
    ? html`<h1>Your cart</h1><p>Your cart is empty.</p><p><a class="button" href="/">Look around</a></p>`
    : html`<h1>Your cart</h1>
${linesTable(lines, [totalRow('Subtotal', sumOf(lines))])}
<p><a class="button" href="/checkout">Go to checkout</a></p>
<form method="post" action="/cart/empty"><button>Empty the cart</button></form>`

const wrong = (complaints: Complaints, field: keyof CheckoutForm): Html => {
  const complaint = complaints.get(field)
  return complaint === undefined ? html`` : html`<div class="wrong" id="${field}-wrong">${complaint}</div>`
}
const marks = (complaints: Complaints, field: keyof CheckoutForm): Html =>
  complaints.has(field) ? html` aria-invalid="true" aria-describedby="${field}-wrong"` : html``

export function checkoutPage(
  goods: Goods,
  lines: readonly CartLine[],
  form: CheckoutForm,
  complaints: Complaints,
): Html {
  const field = (name: 'name' | 'email', label: string, type: string, autocomplete: string) => html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${form[name]}"${marks(complaints, name)}>
${wrong(complaints, name)}</div>`
  const check = (name: 'gift' | 'terms', label: string) => html`<div class="check">
<input id="${name}" name="${name}" type="checkbox" value="yes"${form[name] === 'yes' ? ' checked' : ''}${marks(complaints, name)}>
<label for="${name}">${label}</label>
${wrong(complaints, name)}</div>`
  const sorry =
    complaints.size === 0
      ? html``
      : html`<p class="wrong" role="alert">The order was not placed. Please look at what is marked.</p>`
  return html`<h1>Checkout</h1>
${sorry}
${linesTable(lines, [totalRow('Subtotal', sumOf(lines))])}
<form method="post" action="/checkout" novalidate>
${field('name', 'Full name', 'text', 'name')}
${field('email', 'E-mail', 'email', 'email')}
<div class="field">
<label for="address">Address</label>
<textarea id="address" name="address" rows="2" autocomplete="street-address"${marks(complaints, 'address')}>${form.address}</textarea>
${wrong(complaints, 'address')}</div>
<div class="field">
<label for="delivery">Delivery</label>
<select id="delivery" name="delivery"${marks(complaints, 'delivery')}>
<option value="">Please choose</option>
${goods.deliveries.map(
  ({ id, name, cents }) =>
    html`<option value="${id}"${id === form.delivery ? ' selected' : ''}>${name}, ${money(cents)}</option>`,
)}
</select>
${wrong(complaints, 'delivery')}</div>
${check('gift', `Wrap as a gift (${money(goods.giftWrapCents)})`)}
${check('terms', 'I accept the terms of sale')}
<button>Place order</button>
</form>`
}

export const confirmationPage = (order: Order, goods: Goods): Html => html`<h1>Thank you, ${order.name}!</h1>
<p>Order number: <strong>${order.number}</strong></p>
${linesTable(order.lines, [
  totalRow(`Delivery: ${order.delivery.name}`, order.delivery.cents),
  ...(order.giftWrap ? [totalRow('Gift wrap', goods.giftWrapCents)] : []),
  totalRow('Total', order.totalCents),
])}
<p>Total to pay: <strong>${money(order.totalCents)}</strong></p>
<p>It goes to ${order.address}. A confirmation would be sent to ${order.email}.</p>`

export const notFoundPage = html`<h1>Not found</h1><p>There is no such page. <a href="/">Back to the shop</a></p>`
