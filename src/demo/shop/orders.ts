import type { Delivery, Goods, Product, Size } from './goods.ts'

export interface CartLine {
  readonly product: Product
  /** `null` for products of one size. */
  readonly size: Size | null
  readonly count: number
}
/** Quantities by article: a product's id with its size, such as `kyoto-teapot/regular`. */
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
  /** As it is shown: `Card ending in 4242`. */
  readonly payment: string
  /** File name of the picture for the gift card; `null` if none was uploaded. */
  readonly picture: string | null
  readonly cancelled: boolean
}

/** The article of a product in a size. The first size that is left when none is chosen; `null` when it cannot be bought. */
export function articleOf({ id, sizes }: Product, chosen: string): string | null {
  if (!sizes) return id
  const size = sizes.find((each) => (chosen === '' ? !each.soldOut : each.id === chosen))
  return size && !size.soldOut ? `${id}/${size.id}` : null
}

export const linesOf = (cart: Cart, goods: Goods): CartLine[] =>
  goods.products.flatMap((product) =>
    [null, ...(product.sizes ?? [])].flatMap((size) => {
      const count = cart.get(size === null ? product.id : `${product.id}/${size.id}`)
      return count === undefined ? [] : [{ product, size, count }]
    }),
  )

/** `Kyoto teapot (Regular, 0.8 litres)` */
export const nameOf = ({ product, size }: CartLine): string =>
  size === null ? product.name : `${product.name} (${size.name})`

export const sumOf = (lines: readonly CartLine[]): number =>
  lines.reduce((sum, { product, count }) => sum + product.cents * count, 0)

/** What was typed into the checkout form, as it came. */
export type CheckoutForm = Readonly<Record<(typeof CHECKOUT_FIELDS)[number], string>>
export const CHECKOUT_FIELDS = ['name', 'email', 'address', 'delivery', 'gift', 'payment', 'token', 'terms'] as const
export const EMPTY_FORM: CheckoutForm = {
  name: '',
  email: '',
  address: '',
  delivery: '',
  gift: '',
  payment: '',
  token: '',
  terms: '',
}

/** Field → what is wrong with it. */
export type Complaints = ReadonlyMap<keyof CheckoutForm, string>

/**
 * Judges a form. An order can be placed when there is no complaint.
 * @param card the last digits of the card that the token identifies.
 */
export function complaintsOf(form: CheckoutForm, goods: Goods, card: string | null): Complaints {
  const complaints = new Map<keyof CheckoutForm, string>()
  if (form.name.trim() === '') complaints.set('name', 'Please enter a name.')
  if (!/^\S+@\S+\.\S+$/.test(form.email.trim())) complaints.set('email', 'Please enter an e-mail address.')
  if (form.address.trim() === '') complaints.set('address', 'Please enter an address.')
  if (!goods.deliveries.some(({ id }) => id === form.delivery)) complaints.set('delivery', 'Please choose a delivery.')
  if (form.payment !== 'card' && form.payment !== 'invoice') {
    complaints.set('payment', 'Please choose how to pay.')
  } else if (form.payment === 'card' && card === null) complaints.set('payment', 'Please enter the card again.')
  if (form.terms !== 'yes') complaints.set('terms', 'Please accept the terms.')
  return complaints
}

/** Makes the order of a form without complaints. Its total is computed from the goods as they are now. */
export function orderOf(
  form: CheckoutForm,
  cart: Cart,
  goods: Goods,
  more: { readonly number: string; readonly card: string | null; readonly picture: string | null },
): Order | null {
  const delivery = goods.deliveries.find(({ id }) => id === form.delivery)
  const lines = linesOf(cart, goods)
  if (!delivery || lines.length === 0) return null
  const giftWrap = form.gift === 'yes'
  const totalCents = sumOf(lines) + delivery.cents + (giftWrap ? goods.giftWrapCents : 0)
  const [name, email, address] = [form.name.trim(), form.email.trim(), form.address.trim()]
  const { number, card, picture } = more
  const payment = form.payment === 'card' ? `Card ending in ${card}` : 'Invoice'
  return { number, name, email, address, delivery, giftWrap, lines, totalCents, payment, picture, cancelled: false }
}
