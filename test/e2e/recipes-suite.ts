import { GOODS, type Goods } from '../../src/demo/shop/goods.ts'

/** The demo's shop, in which every teapot has the size that is ordered. */
export const SIZED: Goods = {
  ...GOODS,
  products: GOODS.products.map((product) =>
    product.kind === 'Teapots'
      ? { ...product, sizes: [{ id: 'regular', name: 'Regular, 0.8 litres', soldOut: false }] }
      : product,
  ),
}

/** The demo's order with places. */
export const ORDER =
  'Order {{count}} pieces of the {{goods}} in this shop, for {{name}} ({{email}}), at {{address}}. ' +
  'Choose express delivery, have it wrapped as a gift and accept the terms. ' +
  'Pay by card: 4242 4242 4242 4242, valid until 12/30, code 123. ' +
  'Then tell me the order number and the total to pay.'

export const FIRST = {
  count: 2,
  goods: 'Kyoto teapot',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  address: '12 St James’s Square, London',
}
export const SECOND = {
  count: 3,
  goods: 'Harbour teapot',
  name: 'Grace Hopper',
  email: 'grace@example.org',
  address: '1 Navy Yard, Washington',
}

const click = (ref: string) => ({ tool: 'computer', input: { action: 'left_click', ref: `{{ref:${ref}}}` } })
const set = (ref: string, value: unknown) => ({ tool: 'form_input', input: { ref: `{{ref:${ref}}}`, value } })
const read = { tool: 'read_page', input: { filter: 'interactive' } }
const GOODS_IN = '{{task:/of the (.+?) in this/}}'

const NUMBER = '{{match:/Order number:\\s*(\\S+)/}}'
const TOTAL = '{{match:/Total to pay:\\s*(\\S+)/}}'
const ANSWER = { answer: `The order is placed. Its number is ${NUMBER}, and the total to pay is ${TOTAL}.` }

/** The same as data. */
export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { order_number: { type: 'string' }, total_to_pay: { type: 'string' } },
  required: ['order_number', 'total_to_pay'],
}
export const OUTPUT = {
  tool: 'finish',
  input: { success: true, answer: `Order ${NUMBER} is placed.`, output: { order_number: NUMBER, total_to_pay: TOTAL } },
}

/** What a model does the first time: `url` is the shop's. `thinkMs`: how long it takes for each reply. */
export const orderScript = (url: string, thinkMs: number, last: object = ANSWER) => ({
  when: 'pieces of the',
  think_ms: thinkMs,
  steps: [
    { tool: 'navigate', input: { url } },
    read,
    {
      calls: [
        click('button "Only necessary"'),
        set('searchbox "Search the shop"', GOODS_IN),
        { tool: 'computer', input: { action: 'key', text: 'Enter' } },
        { tool: 'computer', input: { action: 'wait', duration: 1 } },
      ],
    },
    { tool: 'find', input: { query: GOODS_IN } },
    click(`link "${'Kyoto teapot'}"`),
    read,
    {
      calls: [
        set('combobox "Size"', 'Regular, 0.8 litres'),
        set('spinbutton "Quantity"', '{{task:/Order (\\d+) pieces/}}'),
        click('button "Add to cart"'),
      ],
    },
    { tool: 'find', input: { query: 'go to checkout link' } },
    click('link "Go to checkout"'),
    read,
    {
      calls: [
        set('textbox "Full name"', '{{task:/for (.+?) \\(/}}'),
        set('textbox "E-mail"', '{{task:/\\((\\S+@\\S+)\\)/}}'),
        set('textbox "Address"', '{{task:/, at (.+?)\\. Choose/}}'),
        set('combobox "Delivery"', 'express'),
        set('checkbox "Wrap as a gift"', true),
        set('textbox "Card number"', '4242 4242 4242 4242'),
        set('textbox "Expiry date"', '12/30'),
        set('textbox "Security code"', '123'),
        set('checkbox "I accept the terms of sale"', true),
      ],
    },
    { tool: 'computer', input: { action: 'screenshot' } },
    click('button "Place order"'),
    { calls: [{ tool: 'get_page_text', input: {} }] },
    last,
  ],
})
