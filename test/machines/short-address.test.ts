import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { shortAddress, wholeAddress } from '../../machines/short-address.ts'

const test = suite('addresses of links as a page tells them')

const LIST = 'http://shop.test/admin/shop/customer/'
const DATABASE = 'http://db.test/adminer/?username=ada&db=%2Fvar%2Ftea.sqlite&edit=tea'
for (const [page, address, short] of [
  [LIST, '/admin/shop/customer/126/change/', './126/change/'],
  [LIST, '/admin/shop/customer/?o=1', '?o=1'],
  [LIST, '/admin/shop/customer/#top', '#top'],
  [`${LIST}?o=1`, '/admin/shop/customer/?o=1#top', '#top'],
  [DATABASE, '/adminer/?username=ada&db=%2Fvar%2Ftea.sqlite&table=tea', '?…db=…&table=tea'],
  [DATABASE, '/adminer/?username=ada&db=%2Fvar%2Ftea.sqlite', '?…db=…'],
  // Little would be saved, or it would not be clear what is meant.
  ['http://shop.test/tea?page=2', '/tea?page=2&sort=name', '?page=2&sort=name'],
  ['http://shop.test/?kind=black-from-assam&kind=green', '/?kind=black-from-assam&a=b', '?kind=black-from-assam&a=b'],
] as const)
  test(`[G22] ${short} on ${page} is ${address}`, () => {
    assert.is(shortAddress(address, page), short)
    assert.is(wholeAddress(short, page), address)
  })

for (const [page, address] of [
  [LIST, '/admin/shop/order/'],
  [LIST, '/admin/shop/customer/'],
  [LIST, 'https://other.test/admin/shop/customer/1/'],
  ['http://shop.test/', '/login'],
  ['about:blank', '/login'],
] as const)
  test(`[G22] on ${page} ${address} stays as it is`, () => {
    assert.is(shortAddress(address, page), address)
    assert.is(wholeAddress(address, page), null)
  })

test.run()
