import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Goods } from './goods.ts'
import { type Cart, COUNT_MAX, type Order } from './orders.ts'

const CARTS_MAX = 1_000
const TOKENS_MAX = 1_000

/** What the shop remembers: a cart for each visitor, cards that were accepted, and the orders. */
export class Counter {
  readonly goods: Goods
  readonly orders: Order[] = []
  readonly #carts = new Map<string, Map<string, number>>()
  /** Token of the payment frame → the last digits of its card. */
  readonly #cards = new Map<string, string>()

  constructor(goods: Goods) {
    this.goods = goods
  }

  cart(visitor: string | null): Cart {
    return (visitor !== null && this.#carts.get(visitor)) || new Map()
  }

  /** @param article a product's id, with its size: `kyoto-teapot/regular`. */
  put(visitor: string, article: string, count: number): void {
    const cart = this.#carts.get(visitor) ?? new Map<string, number>()
    cart.set(article, Math.min(COUNT_MAX, (cart.get(article) ?? 0) + count))
    const [oldest] = this.#carts.keys()
    if (this.#carts.size >= CARTS_MAX && oldest !== undefined) this.#carts.delete(oldest)
    this.#carts.set(visitor, cart)
  }

  empty(visitor: string | null): void {
    if (visitor !== null) this.#carts.delete(visitor)
  }

  /** A token for a card that was accepted; the number itself is kept nowhere. */
  accept(number: string): string {
    const [oldest] = this.#cards.keys()
    if (this.#cards.size >= TOKENS_MAX && oldest !== undefined) this.#cards.delete(oldest)
    const token = `card_${randomBytes(12).toString('hex')}`
    this.#cards.set(token, number.slice(-4))
    return token
  }

  /** The last digits of the card that a token identifies. */
  cardOf(token: string): string | null {
    return this.#cards.get(token) ?? null
  }

  cancel(number: string): Order | undefined {
    const at = this.orders.findIndex((order) => order.number === number)
    const order = this.orders[at]
    if (order) this.orders[at] = { ...order, cancelled: true }
    return this.orders[at]
  }

  newVisitor = (): string => randomUUID()
  newNumber = (): string => `KL-${String(this.orders.length + 1).padStart(3, '0')}-${randomInt(1_000, 9_999)}`
}
