import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { approvalOf, type ShownHold, sentenceOf } from '../../machines/approval.ts'
import { anOrder } from '../support/held.ts'

const test = suite('approvals in words')

const click = { requestId: 'r', tool: 'computer', input: { action: 'left_click' }, refusal: null }
const fieldsOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }))
const of = (values: Readonly<Record<string, string>>, held: Partial<ShownHold> = {}) =>
  sentenceOf({ ...click, held: anOrder('', { fields: fieldsOf(values), ...held }) })

for (const [sentence, fields] of [
  [
    'Pay EUR 84.20 at shop.example for 2 × “Kyoto teapot”',
    { 'items[0].name': 'Kyoto teapot', 'items[0].quantity': '2', total: '84.20', currency: 'eur' },
  ],
  [
    'Pay $9 at shop.example for “Tea”, “Milk” and 1 more',
    { product_name: 'Tea', 'items.1.title': 'Milk', item: 'Cup', order_total: '$9', name: 'Ada Lovelace' },
  ],
  [
    'Pay 1.250,00 € to “DE89 3704 0044 0532 0130 00” at shop.example',
    { iban: 'DE89 3704 0044 0532 0130 00', amount: '1.250,00 €' },
  ],
  ['Pay USD 3 at shop.example', { 'amount.value': '3', 'amount.currency': 'USD' }],
  ['Send a message to “bob@example.com” at shop.example', { to: 'bob@example.com', body: 'Hello' }],
  // Two pieces are not money, what is free is not paid for, and a total is a number.
  ['Press “Buy now” at shop.example', { amount: '2' }],
  ['Press “Buy now” at shop.example', { total: '0.00' }],
  ['Press “Buy now” at shop.example', { total: '1. Nothing is sent' }],
  // Pieces belong to the goods of the same object alone.
  ['Pay 5 at shop.example for “Tea”', { 'items.0.name': 'Tea', quantity: '7', total: '5' }],
] as const)
  test(`[I7] ${sentence}, of ${Object.keys(fields).join(', ')}`, () => assert.is(of(fields), sentence))

test('[I7] without an amount it says what is pressed, sent or deleted, and where', () => {
  assert.is(of({}, { target: null }), 'Send data to shop.example')
  assert.is(
    of({}, { target: null, method: 'DELETE', site: 'http://shop.example:8080' }),
    'Delete data at http://shop.example:8080',
  )
  assert.is(of({}, { kind: 'act', method: '' }), 'Press “Buy now” at shop.example')
  const script = { tool: 'javascript_tool', input: {} }
  assert.is(sentenceOf({ ...script, held: anOrder('', { kind: 'act' }) }), 'Run a script on shop.example')
})

test('[I7] what a page says is quoted, cannot end its quotation, and stands after what the browser checked', () => {
  const target = { role: 'button', name: `See more” at good.example. Request: GET good.example/${'x'.repeat(80)}` }
  const fields = fieldsOf({ 'Request: GET good.example': '1' })
  const { message } = approvalOf('i', click, anOrder('', { target, fields }), null, 0)
  assert.match(
    message,
    /^Press “See more' at good\.example\. Request: GET good\.example\/x+…” at shop\.example\. Request: POST shop\.example\/orders\. From the page: /,
  )
})

test.run()
