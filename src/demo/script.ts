import { fileURLToPath } from 'node:url'
import type { Goods } from './shop/goods.ts'

/** What the demo asks for, of the scripted provider and of real models alike. */
export const DEMO_TASK =
  "Order two pieces of the Kyoto teapot in this shop, for Ada Lovelace (ada@example.com), 12 St James's Square, London. " +
  'Take the large size, or the regular one if that is sold out. ' +
  'Choose express delivery, have it wrapped as a gift and accept the terms. ' +
  'Pay by card: 4242 4242 4242 4242, valid until 12/30, code 123. ' +
  'Then tell me the order number and the total to pay.'

/** The file that the scripted provider plays for `DEMO_TASK`, as for `LLM_SCRIPT`. */
export const DEMO_SCRIPT = fileURLToPath(new URL('./script.json', import.meta.url))

/** What the order of `DEMO_TASK` costs with these goods, in cents. */
export function expectedTotal({ products, deliveries, giftWrapCents }: Goods): number {
  const teapot = products.find(({ id }) => id === 'kyoto-teapot')?.cents ?? 0
  const express = deliveries.find(({ id }) => id === 'express')?.cents ?? 0
  return 2 * teapot + express + giftWrapCents
}
