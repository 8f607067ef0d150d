import { DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import type { AgentTask, Place } from './tasks.ts'

const total = `$${(expectedTotal(GOODS) / 100).toFixed(2)}`

/** The demo's shop, with its cookie banner, its size that is sold out and its payment form of another site. */
async function shop(): Promise<Place> {
  const { url, orders, close } = await openShop()
  const said = () =>
    orders.map(({ number, lines, totalCents, payment, giftWrap }) =>
      JSON.stringify({ number, count: lines.map(({ count }) => count), totalCents, payment, giftWrap }),
    )
  return {
    url,
    get told() {
      return said()
    },
    close,
  }
}

/** The task of `npm run demo`. The first version cannot do it: it does not reach frames of another site. */
export const DEMO: AgentTask = {
  name: 'demo',
  task: DEMO_TASK,
  pages: shop,
  async solve(m) {
    await m.act(['click', /link "Kyoto teapot"/])
    await m.act(
      ['fill', /combobox "Size"/, 'Regular, 0.8 litres'],
      ['fill', /spinbutton "Quantity"/, 2],
      ['click', /button "Add to cart"/],
    )
    await m.act(['click', /link "Go to checkout"/])
    await m.act(
      ['fill', /textbox "Full name"/, 'Ada Lovelace'],
      ['fill', /textbox "E-mail"/, 'ada@example.com'],
      ['fill', /textbox "Address"/, "12 St James's Square, London"],
      ['fill', /combobox "Delivery"/, 'express'],
      ['fill', /checkbox "Wrap as a gift/, true],
      ['fill', /textbox "Card number"/, '4242 4242 4242 4242'],
      ['fill', /textbox "Expiry date"/, '12/30'],
      ['fill', /textbox "Security code"/, '123'],
      ['fill', /checkbox "I accept the terms of sale"/, true],
      ['click', /button "Place order"/],
    )
    const number = await m.learn(/Order number:?["\s]*(?:strong )?"?([A-Z0-9-]{4,})/)
    return `Order ${number}; to pay: ${await m.learn(/Total to pay:?\D{0,20}(\$[\d.,]+)/)}.`
  },
  done: [/"count":\[2\],.*"payment":"Card ending in 4242","giftWrap":true/],
  answer: new RegExp(total.replace(/[$.]/g, '\\$&')),
}
