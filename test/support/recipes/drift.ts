import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Values } from '../../../machines/recipe.ts'
import type { Act } from './player.ts'

/** What is different about the site this time. */
export interface Variant {
  readonly ids?: 'other'
  readonly isReversed?: boolean
  readonly labels?: Readonly<Record<string, string>>
  readonly banner?: boolean
  readonly blockingDialog?: boolean
  readonly asksOnceMore?: boolean
  readonly aside?: boolean
  readonly second?: 'same' | 'advert'
  readonly price?: number
  readonly fee?: number
  readonly note?: string
  readonly phone?: boolean
  readonly slowMs?: number
  readonly heading?: string
  readonly prefilled?: string
  readonly soldOut?: boolean
  readonly signedOut?: boolean
  readonly action?: string
  readonly delivery?: string
  readonly disabled?: boolean
  readonly link?: boolean
  readonly more?: readonly string[]
  readonly paged?: boolean
  readonly hidden?: string
  readonly wrapped?: boolean
  readonly thanks?: string
  readonly counter?: number
  /** The fields in another order, another currency, an item above the list, terms to accept. */
  readonly isTurned?: boolean
  readonly currency?: string
  readonly recommended?: string
  readonly terms?: boolean
}

export interface Site {
  readonly url: string
  /** What was ordered: goods, name and delivery. */
  readonly orders: string[]
  variant: Variant
}

const PRICES: Readonly<Record<string, number>> = { Assam: 12, Ceylon: 15, Darjeeling: 18 }

/** A small shop of which everything can be different the next time. It keeps no process alive. */
export async function openSite(): Promise<Site> {
  const orders: string[] = []
  const site = { variant: {} as Variant }
  const server = createServer((request, response) => {
    const { variant } = site
    const url = new URL(request.url ?? '/', 'http://site')
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const form = new URLSearchParams(body)
      const answer = () => {
        if (request.method === 'POST') {
          orders.push([form.get('goods'), form.get('name'), form.get('delivery')].join(', '))
          response.writeHead(303, { location: `/thanks/${1_000 + orders.length}` }).end()
          return
        }
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(url, variant))
      }
      setTimeout(answer, variant.slowMs ?? 0)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  server.unref()
  const { port } = server.address() as AddressInfo
  return Object.assign(site, {
    url: `http://127.0.0.1:${port}`,
    orders,
  })
}

function pageOf(url: URL, variant: Variant): string {
  const { labels = {}, ids } = variant
  const label = (text: string) => labels[text] ?? text
  const id = (name: string) =>
    `id="${ids === 'other' ? `x${name.length}f3a9c21` : name}" class="${ids ?? 'plain'}-${name}"`
  const wrap = (inner: string) => (variant.wrapped ? `<div><section><div>${inner}</div></section></div>` : inner)
  const banner = variant.banner
    ? `<div style="position:fixed;inset:auto 0 0;background:#ddd">We use cookies. <button onclick="this.parentNode.remove()">Reject</button></div>`
    : ''
  const blocking = variant.blockingDialog
    ? `<div role="dialog" aria-label="Survey" style="position:fixed;inset:0;background:#fff">How do you like us? <button>Good</button></div>`
    : ''
  const frame = (title: string, content: string) =>
    `<!doctype html><title>${title}</title><style>body{font:16px sans-serif}${variant.phone ? 'nav{display:none}' : ''}</style>` +
    `<nav><a href="/">Home</a> <a href="/checkout">Basket</a></nav>${wrap(content)}${banner}${blocking}`
  if (variant.signedOut && url.pathname !== '/')
    return frame(
      'Sign in',
      '<h1>Sign in</h1><form><label>Password <input type="password" name="p"></label><button>Sign in</button></form>',
    )
  if (url.pathname === '/') {
    const names = [...Object.keys(PRICES), ...(variant.more ?? [])]
    const rows = (variant.isReversed ? names.toReversed() : names).map((name) => {
      const priceOf = name === 'Ceylon' ? (variant.price ?? PRICES[name]) : (PRICES[name] ?? 20)
      const add = `<a href="/checkout?goods=${name}">${label('Order')}</a>`
      const state = variant.soldOut && name === 'Ceylon' ? 'sold out' : variant.paged && name === 'Ceylon' ? '' : add
      return variant.paged && name === 'Ceylon'
        ? ''
        : `<tr><td>${name}</td><td>$${priceOf}.00</td><td>${state}</td></tr>`
    })
    const also = variant.recommended
      ? `<aside><h2>Recommended</h2><table><tr><td>${variant.recommended}</td><td>$9.00</td><td><a href="/checkout?goods=${variant.recommended}">${label('Order')}</a></td></tr></table></aside>`
      : ''
    return frame('Teas', `<h1>${variant.heading ?? 'Our teas'}</h1>${also}<table>${rows.join('')}</table>`)
  }
  if (url.pathname === '/checkout') {
    const goods = url.searchParams.get('goods') ?? 'Assam'
    const price = (goods === 'Ceylon' ? variant.price : undefined) ?? PRICES[goods] ?? 20
    const fee = variant.fee ?? 0
    const sign = variant.currency ?? '$'
    const button = variant.link
      ? `<a href="#" onclick="this.closest('form').submit()">${label('Place order')}</a>`
      : `<button ${id('place')} data-testid="place"${variant.disabled ? ' disabled' : ''}>${label('Place order')}</button>`
    const again = variant.asksOnceMore
      ? `<script>document.querySelector('form').addEventListener('submit', (event) => {
          if (document.querySelector('dialog')) return
          event.preventDefault()
          document.body.insertAdjacentHTML('beforeend', '<dialog>Really? <button onclick="document.forms[0].submit()">Yes</button></dialog>')
          document.querySelector('dialog').showModal()
        })</script>`
      : ''
    const second =
      variant.second === 'same'
        ? '<button>Place order</button>'
        : variant.second === 'advert'
          ? '</form><aside><h2>Offer</h2><form method="post" action="/advert"><input type="hidden" name="goods" value="Advert"><button>Place order</button></form></aside><form>'
          : ''
    const delivery = ['Standard', 'Express'].map(
      (name) => `<option${name === (variant.delivery ?? '') ? ' selected' : ''}>${name}</option>`,
    )
    const fields = [
      `<label>${label('Name')} <input ${id('name')} name="name" value="${variant.prefilled ?? ''}"></label>`,
      variant.note === undefined ? '' : `<label>Note <input name="note" value="${variant.note}"></label>`,
      `<label>${label('Delivery')} <select ${id('delivery')} name="delivery">${delivery.join('')}</select></label>`,
    ]
    return frame(
      'Checkout',
      `<h1>${label('Checkout')}</h1>${variant.counter ? `<p>${variant.counter} people look at this</p>` : ''}<table><tr><td>${goods}</td><td>${sign}${price}.00</td></tr>` +
        `${fee > 0 ? `<tr><td>Fee</td><td>${sign}${fee}.00</td></tr>` : ''}<tr><td>Total</td><td>${sign}${price + fee}.00</td></tr></table>` +
        `<form method="post" action="${variant.action ?? '/order'}"><input type="hidden" name="goods" value="${goods}">` +
        `${variant.hidden ? `<input type="hidden" name="extra" value="${variant.hidden}">` : ''}` +
        (variant.isTurned ? fields.toReversed() : fields).join(' ') +
        `${variant.terms ? ' <label><input type="checkbox" name="terms" required> I accept the terms</label>' : ''} ` +
        `${variant.aside ? `</form><aside><h2>Summary</h2>` : ''}` +
        `${variant.aside ? button.replace('<button', '<button form="f"') : button}${second}</form>${again}` +
        `${variant.aside ? `</aside><script>document.forms[0].id = 'f'</script>` : ''}`,
    )
  }
  const number = url.pathname.split('/').at(-1)
  return frame('Thank you', `<h1>${variant.thanks ?? 'Thank you'}</h1><p>Order number: ${number}</p>`)
}

/** What a model did the first time, when there was a banner. */
export const ordering = (url: string, { goods, name }: Values): Act[] => [
  { tool: 'navigate', input: { url } },
  { tool: 'computer', input: { action: 'left_click' }, on: /button "Reject"/ },
  {
    tool: 'computer',
    input: { action: 'left_click', look: 'changes' },
    on: new RegExp(`-> /checkout\\?goods=${goods}`),
  },
  { tool: 'form_input', input: { value: name }, on: /textbox "Name"/ },
  { tool: 'form_input', input: { value: 'Express' }, on: /combobox "Delivery"/ },
  { tool: 'computer', input: { action: 'left_click' }, on: /button "Place order"/ },
  { tool: 'get_page_text' },
]

/** What must come of each drift: the order, or a stop before a wrong one. */
export interface Drift {
  readonly name: string
  readonly variant: Variant
  readonly inputs?: Values
  /** The step of the recipe where it deviates; left out: it is played to its end. */
  readonly deviates?: number
}

export const FIRST: Values = { goods: 'Ceylon', name: 'Ada' }

export const DRIFTS: readonly Drift[] = [
  { name: 'nothing changed', variant: { banner: true } },
  { name: 'the banner is not there', variant: {} },
  { name: 'other inputs', variant: {}, inputs: { goods: 'Darjeeling', name: 'Grace' } },
  { name: 'ids and classes changed', variant: { ids: 'other' } },
  { name: 'another order of the list', variant: { isReversed: true } },
  { name: 'another order and other inputs', variant: { isReversed: true }, inputs: { goods: 'Assam', name: 'Alan' } },
  { name: 'wrapped in more elements', variant: { wrapped: true } },
  { name: 'more goods in the list', variant: { more: ['Earl Grey', 'Sencha'] } },
  { name: 'another heading of the list', variant: { heading: 'Teas of the season' } },
  { name: 'no navigation on a phone', variant: { phone: true } },
  { name: 'slow', variant: { slowMs: 700 } },
  { name: 'the form prefilled by somebody else', variant: { prefilled: 'Somebody' } },
  { name: 'a choice made already', variant: { delivery: 'Express' } },
  { name: 'an empty field more', variant: { note: '' } },
  // What a recipe must not do by itself.
  { name: 'another price', variant: { price: 19 }, deviates: 6 },
  { name: 'a fee', variant: { fee: 3 }, deviates: 6 },
  { name: 'a field more, filled by somebody else', variant: { note: 'Twice, please' }, deviates: 6 },
  { name: 'a hidden field of a form that goes elsewhere', variant: { action: '/subscribe' }, deviates: 6 },
  { name: 'another number on the page', variant: { counter: 17 }, deviates: 6 },
  { name: 'a second "Place order" button', variant: { second: 'same' }, deviates: 6 },
  { name: 'an advertisement with the same button', variant: { second: 'advert' }, deviates: 6 },
  { name: 'a button moved to a section with a heading of its own', variant: { aside: true }, deviates: 6 },
  { name: 'a reworded button that cannot be undone', variant: { labels: { 'Place order': 'Buy now' } }, deviates: 6 },
  { name: 'a disabled button', variant: { disabled: true }, deviates: 6 },
  { name: 'sold out', variant: { soldOut: true }, deviates: 3 },
  { name: 'on another page of the list', variant: { paged: true }, deviates: 3 },
  { name: 'signed out', variant: { signedOut: true }, deviates: 3 },
  { name: 'something covers the page', variant: { blockingDialog: true }, deviates: 3 },
  { name: 'one more confirmation', variant: { asksOnceMore: true }, deviates: 6 },
  {
    name: 'another language',
    variant: {
      labels: { Order: 'Bestellen', Name: 'Vorname', Delivery: 'Versand', Checkout: 'Kasse', 'Place order': 'Kaufen' },
    },
    deviates: 3,
  },
  { name: 'another label of a field', variant: { labels: { Name: 'Your name' } } },
  { name: 'another page of thanks', variant: { thanks: 'Payment failed' }, deviates: 6 },
  { name: 'fields in another order', variant: { isTurned: true } },
  { name: 'a link in the place of the button', variant: { link: true }, deviates: 6 },
  { name: 'a hidden field more', variant: { hidden: 'campaign-2026' } },
  { name: 'something recommended above the list', variant: { recommended: 'Oolong' } },
  { name: 'what is wanted is recommended at another price, too', variant: { recommended: 'Ceylon' } },
  { name: 'another currency', variant: { currency: '€' }, deviates: 6 },
  { name: 'terms to accept', variant: { terms: true }, deviates: 6 },
  { name: 'goods that are not there', variant: {}, inputs: { goods: 'Oolong', name: 'Ada' }, deviates: 3 },
]
