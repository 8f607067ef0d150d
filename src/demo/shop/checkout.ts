import { type Html, html } from '../../web/html.ts'
import type { Goods } from './goods.ts'
import { money } from './goods.ts'
import { type CartLine, type CheckoutForm, type Complaints, sumOf } from './orders.ts'
import { linesTable, totalRow } from './pages.ts'

const option = (value: string, label: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? ' selected' : ''}>${label}</option>`

const wrong = (complaints: Complaints, field: keyof CheckoutForm): Html => {
  const complaint = complaints.get(field)
  return complaint === undefined ? html`` : html`<div class="wrong" id="${field}-wrong">${complaint}</div>`
}
const marks = (complaints: Complaints, field: keyof CheckoutForm): Html =>
  complaints.has(field) ? html` aria-invalid="true" aria-describedby="${field}-wrong"` : html``

/** @param cardFrame address of the payment provider's page, on another site. */
export function checkoutPage(
  goods: Goods,
  lines: readonly CartLine[],
  { form, complaints, cardFrame }: { form: CheckoutForm; complaints: Complaints; cardFrame: string },
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
<form id="checkout" method="post" action="/checkout" enctype="multipart/form-data" novalidate>
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
${goods.deliveries.map(({ id, name, cents }) => option(id, `${name}, ${money(cents)}`, form.delivery))}
</select>
${wrong(complaints, 'delivery')}</div>
${check('gift', `Wrap as a gift (${money(goods.giftWrapCents)})`)}
<div class="field">
<label for="picture">Picture for the gift card (optional)</label>
<input id="picture" name="picture" type="file" accept="image/*">
</div>
<div class="field">
<label for="payment">Payment</label>
<select id="payment" name="payment"${marks(complaints, 'payment')}>
${option('card', 'Card', form.payment)}
${option('invoice', 'Invoice', form.payment)}
</select>
${wrong(complaints, 'payment')}</div>
<iframe id="card" title="Card" src="${cardFrame}"></iframe>
<input type="hidden" name="token" value="">
${check('terms', 'I accept the terms of sale')}
<button>Place order</button>
</form>`
}
