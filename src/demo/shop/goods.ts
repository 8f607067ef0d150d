/** Prices are whole cents. */
export interface Product {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly says: string
  readonly cents: number
  /** Left out where there is but one. They cost the same. */
  readonly sizes?: readonly Size[]
  /** Two colours of its picture: body and rim. */
  readonly colours: readonly [string, string]
}

export interface Size {
  readonly id: string
  readonly name: string
  readonly soldOut: boolean
}

export interface Delivery {
  readonly id: string
  readonly name: string
  readonly cents: number
}

/** All that the shop sells and charges. Every page, and every order, is computed from this. */
export interface Goods {
  readonly products: readonly Product[]
  readonly deliveries: readonly Delivery[]
  readonly giftWrapCents: number
}

export const GOODS: Goods = {
  products: [
    {
      id: 'kyoto-teapot',
      name: 'Kyoto teapot',
      kind: 'Teapots',
      says: 'Stoneware with a bamboo handle. Pours without a drop beside the cup.',
      cents: 4850,
      sizes: [
        { id: 'large', name: 'Large, 1.2 litres', soldOut: true },
        { id: 'regular', name: 'Regular, 0.8 litres', soldOut: false },
      ],
      colours: ['#2f5d62', '#dfeeea'],
    },
    {
      id: 'harbour-teapot',
      name: 'Harbour teapot',
      kind: 'Teapots',
      says: 'A generous 1.4 litres in sea-blue enamel, for a table of six.',
      cents: 3900,
      colours: ['#33658a', '#f6ae2d'],
    },
    {
      id: 'winter-teapot',
      name: 'Winter teapot',
      kind: 'Teapots',
      says: 'Cast iron that keeps tea hot for an hour. Heavy, and meant to be.',
      cents: 7200,
      colours: ['#3c3c3b', '#b9b4ab'],
    },
    {
      id: 'morning-mug',
      name: 'Morning mug',
      kind: 'Cups',
      says: 'A big mug with a thumb rest. Goes into the dishwasher.',
      cents: 1650,
      colours: ['#c8553d', '#ffd5c2'],
    },
    {
      id: 'paper-thin-cup',
      name: 'Paper-thin cup',
      kind: 'Cups',
      says: 'Porcelain so thin that the light shines through.',
      cents: 2100,
      colours: ['#8d99ae', '#edf2f4'],
    },
    {
      id: 'first-flush-darjeeling',
      name: 'First flush Darjeeling',
      kind: 'Teas',
      says: '100 g of the first leaves of spring, light and flowery.',
      cents: 1480,
      colours: ['#588157', '#dad7cd'],
    },
    {
      id: 'smoky-lapsang',
      name: 'Smoky Lapsang',
      kind: 'Teas',
      says: '100 g of black tea dried over pine fires. Not for everyone.',
      cents: 1190,
      colours: ['#6d4c3d', '#e0c9a6'],
    },
    {
      id: 'bamboo-whisk',
      name: 'Bamboo whisk',
      kind: 'Tools',
      says: 'Eighty tines, cut by hand from one piece.',
      cents: 2275,
      colours: ['#a98467', '#f0ead2'],
    },
  ],
  deliveries: [
    { id: 'standard', name: 'Standard (3 to 5 days)', cents: 490 },
    { id: 'express', name: 'Express (tomorrow)', cents: 1250 },
    { id: 'pickup', name: 'Pick up in the shop', cents: 0 },
  ],
  giftWrapCents: 350,
}

const CENTS = 100
const CENTS_MAX = 10_000_000

/** `$48.50` */
export const money = (cents: number): string => `$${(cents / CENTS).toFixed(2)}`

/**
 * The goods with some prices changed: JSON such as `{"kyoto-teapot": 52.5, "express": 15, "gift-wrap": 4}`, in dollars.
 * @throws Error naming what is wrong, as one line.
 */
export function withPrices(goods: Goods, json: string): Goods {
  const prices = parse(json)
  const known = [...goods.products, ...goods.deliveries].map(({ id }) => id).concat('gift-wrap')
  for (const [id, dollars] of Object.entries(prices)) {
    if (!known.includes(id)) throw new Error(`SHOP_PRICES: there is no "${id}": expected ${known.join(', ')}`)
    if (typeof dollars !== 'number' || !(dollars >= 0 && dollars * CENTS <= CENTS_MAX)) {
      throw new Error(`SHOP_PRICES: the price of "${id}" is not valid: expected dollars from 0 to ${CENTS_MAX / CENTS}`)
    }
  }
  const centsOf = (id: string, cents: number) =>
    typeof prices[id] === 'number' ? Math.round(prices[id] * CENTS) : cents
  return {
    products: goods.products.map((product) => ({ ...product, cents: centsOf(product.id, product.cents) })),
    deliveries: goods.deliveries.map((delivery) => ({ ...delivery, cents: centsOf(delivery.id, delivery.cents) })),
    giftWrapCents: centsOf('gift-wrap', goods.giftWrapCents),
  }
}

function parse(json: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    value = null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('SHOP_PRICES is not valid: expected a JSON object such as {"kyoto-teapot": 52.5}')
  }
  return value as Record<string, unknown>
}
