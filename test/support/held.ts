import { createHash } from 'node:crypto'
import type { Held } from '../../machines/held.ts'

/** An order that a browser holds. The same total: the same terms. */
export function anOrder(total: string, fields: Partial<Held> = {}): Held {
  return {
    id: `hold of ${total}`,
    kind: 'request',
    method: 'POST',
    site: 'https://shop.example',
    path: '/orders',
    shape: 'POST https://shop.example/orders',
    target: { role: 'button', name: 'Buy now' },
    fields: [
      { name: 'quantity', value: '2' },
      { name: 'total', value: total },
    ],
    terms: createHash('sha256').update(total).digest('hex'),
    numbers: ['2', total],
    ...fields,
  }
}
