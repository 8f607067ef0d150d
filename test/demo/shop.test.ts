import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { GOODS, withPrices } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import { Visitor, visiting } from './visitor.ts'

const test = suite('demo shop')

const FORM = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  address: '12 St James’s Square',
  delivery: 'express',
  gift: 'yes',
  payment: 'invoice',
  terms: 'yes',
}
const CARD = { number: '4242 4242 4242 4242', expiry: '12/30', code: '123' }

test('finds products by their words, late as real shops do, and says when there is none', async () => {
  await visiting({}, async (visitor) => {
    const page = await visitor.get('/search?q=KYOTO+teapot')
    assert.match(page.text, 'data-results="/search/results?q=KYOTO%20teapot"')
    assert.not.match(page.text, 'href="/product/')
    const found = await visitor.get('/search/results?q=KYOTO+teapot')
    assert.match(found.text, 'href="/product/kyoto-teapot"')
    assert.match(found.text, '1 product')
    assert.not.match(found.text, 'harbour-teapot')
    assert.match((await visitor.get('/search/results?q=umbrella')).text, '0 products')
    assert.match((await visitor.get('/search/results?q=')).text, `${GOODS.products.length} products`)
  })
})

test('sells no size that is sold out, and the first that is left when none is chosen', async () => {
  await visiting({}, async (visitor, shop) => {
    assert.match((await visitor.get('/product/kyoto-teapot')).text, 'disabled>Large, 1.2 litres (sold out)</option>')
    const refused = await visitor.post('/cart', { product: 'kyoto-teapot', size: 'large', count: '1' })
    assert.equal([refused.status, refused.text], [400, 'This size is sold out.'])
    await visitor.post('/cart', { product: 'kyoto-teapot', count: '1' })
    await visitor.post('/cart', { product: 'kyoto-teapot', size: 'regular', count: '1' })
    await visitor.post('/checkout', FORM)
    assert.equal(
      shop.orders[0]?.lines.map(({ size, count }) => [size?.id, count]),
      [['regular', 2]],
    )
  })
})

test('takes a card only as a token of the payment page, which is another site and keeps the number to itself', async () => {
  await visiting({}, async (visitor, shop) => {
    await visitor.post('/cart', { product: 'morning-mug', count: '1' })
    const { text, response } = await visitor.get('/checkout')
    const frame = `http://localhost:${new URL(shop.url).port}`
    assert.match(text, `<iframe id="card" title="Card" src="${frame}/pay">`)
    assert.match(response.headers.get('content-security-policy') ?? '', `frame-src ${frame}`)
    assert.match((await visitor.get('/pay')).text, '<label for="number">Card number</label>')

    const asked = async (card: Record<string, string>) => JSON.parse((await visitor.post('/pay/token', card)).text)
    assert.equal(await asked({ ...CARD, number: '4242 4242 4242 4241' }), { error: 'Please check the card number.' })
    assert.match((await asked({ ...CARD, expiry: '2030' })).error, 'expiry date')
    assert.match((await asked({ ...CARD, code: '' })).error, 'security code')
    const { token } = await asked(CARD)

    const refused = await visitor.post('/checkout', { ...FORM, payment: 'card', token: 'card_made_up' })
    assert.equal([refused.status, shop.orders.length], [422, 0])
    assert.match(refused.text, 'Please enter the card again.')
    const done = await visitor.post('/checkout', { ...FORM, payment: 'card', token })
    assert.match(done.text, 'Payment: Card ending in 4242.')
    assert.not.match(JSON.stringify(shop.orders), '42424242')
  })
})

test('takes a picture with the order, gives an invoice, and cancels when it is told to', async () => {
  await visiting({}, async (visitor, shop) => {
    await visitor.post('/cart', { product: 'kyoto-teapot', count: '2' })
    const form = new FormData()
    for (const [name, value] of Object.entries(FORM)) form.set(name, value)
    form.set('picture', new Blob(['a picture'], { type: 'image/png' }), 'cat.png')
    const done = await visitor.post('/checkout', form)
    assert.match(done.text, 'Gift card with the picture cat.png.')

    const number = shop.orders[0]?.number ?? ''
    const invoice = await visitor.get(`/order/${number}/invoice.pdf`)
    assert.is(invoice.response.headers.get('content-type'), 'application/pdf')
    assert.is(invoice.response.headers.get('content-disposition'), `attachment; filename="invoice-${number}.pdf"`)
    assert.match(invoice.text, /^%PDF-1\.4\n/)
    assert.match(invoice.text, '(Total: $113.00)')

    assert.match(done.text, `data-confirm="Really cancel order ${number}?"`)
    const cancelled = await visitor.post(`/order/${number}/cancel`, {})
    assert.match(cancelled.text, 'Your order is cancelled')
    assert.is(shop.orders[0]?.cancelled, true)
    assert.is((await visitor.post('/order/KL-009-1234/cancel', {})).status, 404)
  })
})

test('asks about cookies until it has been answered, and again whoever comes from elsewhere', async () => {
  await visiting({}, async (visitor) => {
    assert.match((await visitor.get('/')).text, 'Only necessary')
    assert.match((await visitor.post('/cookies', { choice: 'necessary' })).location ?? '', /^\/$/)
    assert.not.match((await visitor.get('/')).text, 'Only necessary')
    visitor.arrives()
    assert.match((await visitor.get('/')).text, 'Only necessary')
  })
})

test('takes an order through cart and checkout, and computes its total', async () => {
  await visiting({}, async (visitor, shop) => {
    const cart = await visitor.post('/cart', { product: 'kyoto-teapot', count: '2' })
    assert.match(cart.text, '$97.00')
    assert.match((await visitor.get('/checkout')).text, '<label for="delivery">Delivery</label>')
    const done = await visitor.post('/checkout', FORM)
    const [order] = shop.orders
    assert.is(done.location, `/order/${order?.number}`)
    // 2 × 48.50 + 12.50 + 3.50
    assert.is(order?.totalCents, 11_300)
    assert.match(done.text, 'Total to pay: <strong>$113.00</strong>')
    assert.match(done.text, `Order number: <strong>${order?.number}</strong>`)
    assert.match((await visitor.get('/cart')).text, 'Your cart is empty.')
  })
})

test('another price makes another total', async () => {
  const goods = withPrices(GOODS, '{"kyoto-teapot": 52.25, "gift-wrap": 0}')
  await visiting({ goods }, async (visitor, shop) => {
    assert.match((await visitor.get('/product/kyoto-teapot')).text, 'Price: $52.25')
    await visitor.post('/cart', { product: 'kyoto-teapot', count: '2' })
    await visitor.post('/checkout', FORM)
    assert.is(shop.orders[0]?.totalCents, 2 * 5_225 + 1_250)
  })
})

test('takes no order without text, delivery and terms, and says at each field why', async () => {
  await visiting({}, async (visitor, shop) => {
    await visitor.post('/cart', { product: 'morning-mug', count: '1' })
    for (const field of ['name', 'email', 'address', 'delivery', 'payment', 'terms']) {
      const refused = await visitor.post('/checkout', { ...FORM, [field]: '' })
      assert.is(refused.status, 422, field)
      assert.match(refused.text, `id="${field}-wrong"`)
      assert.match(refused.text, `aria-describedby="${field}-wrong"`)
    }
    assert.is(shop.orders.length, 0)
    await visitor.post('/checkout', { ...FORM, gift: '' })
    assert.is(shop.orders[0]?.totalCents, 1_650 + 1_250)
  })
})

test('orders nothing with an empty cart', async () => {
  await visiting({}, async (visitor, shop) => {
    assert.match((await visitor.post('/checkout', FORM)).text, 'Your cart is empty.')
    assert.is(shop.orders.length, 0)
  })
})

test('keeps the carts of visitors apart', async () => {
  await visiting({}, async (visitor, shop) => {
    await visitor.post('/cart', { product: 'morning-mug', count: '1' })
    assert.match((await new Visitor(shop.url).get('/cart')).text, 'Your cart is empty.')
    assert.match((await visitor.get('/cart')).text, 'Morning mug')
  })
})

test('escapes what visitors type', async () => {
  await visiting({}, async (visitor) => {
    const { text } = await visitor.get(`/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
    assert.not.match(text, '<script>')
    assert.match(text, '&quot;&gt;&lt;script&gt;')
  })
})

test('refuses odd quantities, unknown pages, other methods and too much', async () => {
  await visiting({}, async (visitor, shop) => {
    for (const count of ['0', '-1', '1.5', '21', 'many', '']) {
      assert.is((await visitor.post('/cart', { product: 'morning-mug', count })).status, 400, count)
    }
    assert.is((await visitor.post('/cart', { product: 'umbrella', count: '1' })).status, 400)
    assert.is((await visitor.get('/product/umbrella')).status, 404)
    assert.is((await visitor.get('/order/KL-001-1234')).status, 404)
    assert.is((await fetch(shop.url, { method: 'DELETE' })).status, 405)
    assert.is((await visitor.post('/checkout', { name: 'x'.repeat(1_100_000) })).status, 413)
  })
})

test('every control has a label, every page asks no other address but the payment page', async () => {
  await visiting({}, async (visitor) => {
    await visitor.post('/cart', { product: 'morning-mug', count: '1' })
    for (const path of ['/', '/search?q=tea', '/product/morning-mug', '/cart', '/checkout', '/nowhere']) {
      const { text, response } = await visitor.get(path)
      const ids = [...text.matchAll(/<(?:input|select|textarea)(?![^>]*type="hidden")[^>]*\bid="(\w+)"/g)].map(
        ([, id]) => id,
      )
      const controls = [...text.matchAll(/<(?:input|select|textarea)(?![^>]*type="hidden")/g)]
      assert.is(ids.length, controls.length, path)
      for (const id of ids) assert.match(text, `<label for="${id}">`)
      const addresses = [...text.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address ?? '')
      assert.ok(addresses.length > 0)
      for (const address of addresses) assert.match(address, /^(\/|data:|http:\/\/localhost:\d+\/pay$)/)
      assert.match(response.headers.get('content-security-policy') ?? '', "default-src 'none'")
    }
  })
})

test('says what is wrong with prices, in one line', () => {
  const refused = (json: string, said: RegExp) => assert.throws(() => withPrices(GOODS, json), said)
  refused('{', /^SHOP_PRICES is not valid: expected a JSON object/)
  refused('[1]', /^SHOP_PRICES is not valid/)
  refused('{"umbrella": 1}', /^SHOP_PRICES: there is no "umbrella"/)
  refused('{"express": -1}', /^SHOP_PRICES: the price of "express"/)
  refused('{"express": "1"}', /^SHOP_PRICES: the price of "express"/)
})

test('rejects when its port is taken', async () => {
  await visiting({}, async (_, shop) => {
    const outcome = await openShop({ port: Number(new URL(shop.url).port) }).catch(
      (error: NodeJS.ErrnoException) => error,
    )
    assert.is('code' in outcome && outcome.code, 'EADDRINUSE')
  })
})

test.run()
