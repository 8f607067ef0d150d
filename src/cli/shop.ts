import { GOODS, withPrices } from '../demo/shop/goods.ts'
import { openShop } from '../demo/shop.ts'
import { Failed, usageError } from './exit-codes.ts'
import { onInterrupt } from './interrupt.ts'
import { say } from './terminal.ts'

/** The goods of the demo shop, with the prices that `SHOP_PRICES` changes. */
export function shopGoods() {
  const prices = process.env.SHOP_PRICES?.trim()
  return prices ? withPrices(GOODS, prices) : GOODS
}

/** Serves the demo shop on loopback until it is interrupted. */
export async function shopCommand(options: { port: string }): Promise<void> {
  const port = Number(options.port)
  if (!/^\d{1,5}$/.test(options.port) || port > 65_535) {
    throw usageError(`--port ${JSON.stringify(options.port)} is not valid: expected a port from 0 to 65535`)
  }
  const shop = await openShop({ port, goods: shopGoods() }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new Failed(`Port ${port} on 127.0.0.1 is in use`) : error
  })
  say(`The demo shop is open at ${shop.url}. End it with Ctrl-C.`)
  await new Promise<void>((resolve) => onInterrupt(() => resolve()))
  await shop.close()
}
