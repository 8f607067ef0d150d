import type { Delivery, Goods, Product } from './goods.ts'

export interface CartLine {
  readonly product: Product
  readonly count: number
}
/** Product id → how many. */
export type Cart = ReadonlyMap<string, number>

export const COUNT_MAX = 20

/** A placed order, with what it cost. */
export interface Order {
  readonly number: string
  readonly name: string
  readonly email: string
  readonly address: string
  readonly delivery: Delivery
  readonly giftWrap: boolean
  readonly lines: readonly CartLine[]
  readonly totalCents: number
}

export const linesOf = (cart: Cart, goods: Goods): CartLine[] =>
  goods.products.flatMap((product) => {
    const count = cart.get(product.id)
    return count === undefined ? [] : [{ product, count }]
  })

export const sumOf = (lines: readonly CartLine[]): number =>
  lines.reduce((sum, { product, count }) => sum + product.cents * count, 0)

/** What was typed into the checkout form, as it came. */
export type CheckoutForm = Readonly<Record<'name' | 'email' | 'address' | 'delivery' | 'gift' | 'terms', string>>
export const EMPTY_FORM: CheckoutForm = { name: '', email: '', address: '', delivery: '', gift: '', terms: '' }

/** Field → what is wrong with it. */
export type Complaints = ReadonlyMap<keyof CheckoutForm, string>

/** Judges a form. An order can be placed when there is no complaint. */
export function complaintsOf(form: CheckoutForm, goods: Goods): Complaints {
  const complaints = new Map<keyof CheckoutForm, string>()
  if (form.name.trim() === '') complaints.set('name', 'Please enter a name.')
  if (!/^\S+@\S+\.\S+$/.test(form.email.trim())) complaints.set('email', 'Please enter an e-mail address.')
  if (form.address.trim() === '') complaints.set('address', 'Please enter an address.')
  if (!goods.deliveries.some(({ id }) => id === form.delivery)) complaints.set('delivery', 'Please choose a delivery.')
  if (form.terms !== 'yes') complaints.set('terms', 'Please accept the terms.')
  return complaints
}

/** Makes the order of a form without complaints. Its total is computed from the goods as they are now. */
export function orderOf(form: CheckoutForm, cart: Cart, goods: Goods, number: string): Order | null {
  const delivery = goods.deliveries.find(({ id }) => id === form.delivery)
  const lines = linesOf(cart, goods)
  if (!delivery || lines.length === 0) return null
  const giftWrap = form.gift === 'yes'
  const totalCents = sumOf(lines) + delivery.cents + (giftWrap ? goods.giftWrapCents : 0)
  const [name, email, address] = [form.name.trim(), form.email.trim(), form.address.trim()]
  return { number, name, email, address, delivery, giftWrap, lines, totalCents }
}
