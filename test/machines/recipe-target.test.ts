import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Target } from '../../machines/recipe.ts'
import { chosen } from '../../machines/recipe-target.ts'

const test = suite('finding the target of a recipe')

const button = (name: string, more: Partial<Target> = {}): Target => ({ role: 'button', name, alike: 1, ...more })
const among = (target: Target, found: readonly Target[], isExact = false) =>
  chosen(
    target,
    found.map((each) => ({ target: each, isDisabled: false })),
    isExact,
  )

test('[J3] role and name are enough where nothing else is called so', () => {
  assert.equal(among(button('Buy'), [button('Sell'), button('Buy')]), { index: 1 })
  assert.equal(among(button('Cart (2)'), [button('Cart (7)')]), { index: 0 })
  assert.equal(among(button('Buy'), []), { why: 'none' })
  assert.equal(among(button('Buy'), [button('Sell')]), { why: 'other' })
})
test('[J3] two equal buttons are never guessed, wherever the second one came from', () => {
  const one = button('Place order', { landmark: 'main', heading: 'Checkout' })
  assert.equal(among(one, [one, one]), { why: 'several' })
  assert.equal(among(one, [one, button('Place order', { landmark: 'complementary', heading: 'Offer' })]), {
    why: 'several',
  })
})
test('[J3] of many that are called alike the one in the same row is meant', () => {
  const inRow = (row: string) => button('Delete', { row, alike: 3 })
  const rows = [inRow('Ada | 36'), inRow('Grace | 85'), inRow('Edsger | 72')]
  assert.equal(among(inRow('Grace | 85'), rows), { index: 1 })
  assert.equal(among(inRow('Grace | 86'), rows), { index: 1 })
  assert.equal(among(inRow('Alan | 41'), rows), { why: 'several' })
})
test('[J3] another name is the target only by what its author calls it, and never where it cannot be undone', () => {
  const wanted = button('Add to cart', { testId: 'add' })
  const renamed = button('Add to basket', { testId: 'add' })
  assert.equal(among(wanted, [renamed, button('Save')]), { index: 0 })
  assert.equal(among(wanted, [renamed], true), { why: 'other' })
  assert.equal(among(button('Add', { id: 'react-12345' }), [button('Remove', { id: 'react-12345' })]), { why: 'other' })
})
test('[J3] what is disabled is not used, and what is in another frame is another element', () => {
  assert.equal(chosen(button('Buy'), [{ target: button('Buy'), isDisabled: true }], false), { why: 'disabled' })
  assert.equal(among(button('Buy'), [button('Buy', { frame: 'http://ads.example/' })]), { why: 'other' })
})
test('[J3] what is called like an input, or is in its row, is meant only where it is written so', () => {
  const named = (name: string, value: string) => button(name, { says: { name: [value], place: [] } })
  assert.equal(among(named('faucibus', 'faucibus'), [button('Faucibus')]), { why: 'other' })
  assert.equal(among(named('Invoice 12', '12'), [button('Invoice 13')]), { why: 'other' })
  assert.equal(among(named('Invoice 12', '12'), [button('Invoice 13'), button('Invoice 12')]), { index: 1 })
  // The only one that is left is that of other goods.
  const order = button('Order', { row: 'Kyoto teapot | $40', says: { name: [], place: ['Kyoto teapot'] } })
  assert.equal(among(order, [button('Order', { row: 'Lima mug | $12' })]), { why: 'other' })
  assert.equal(among(order, [button('Order', { row: 'Kyoto teapot | $44' })]), { index: 0 })
})

test.run()
