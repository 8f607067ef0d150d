import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inputsFault, withInputs } from '../../machines/placeholders.ts'
import { addressShape, hasOneOf, hasShape, lineShape } from '../../machines/recipe-shape.ts'
import { filledAll, filledText, templaterOf, valuesIn } from '../../machines/recipe-text.ts'

const test = suite('texts of recipes')

const texts = (task: string, url: string | null = null) => ({ task, url, context: null })

test('[J1] every place has a value, and every value a place', () => {
  assert.is(inputsFault(texts('Buy {{count}} {{goods}}'), { count: 2, goods: 'tea' }), null)
  assert.match(inputsFault(texts('Buy {{count}} {{goods}}'), { count: 2 }) ?? '', '{{goods}}')
  assert.match(inputsFault(texts('Buy tea'), { count: 2 }) ?? '', '{{count}}')
  assert.is(inputsFault(texts('Sign in with {{secret:password}}'), {}), null)
})

test('[J1] values are put in as they are, in an address encoded, and never once more', () => {
  assert.equal(withInputs(texts('Find {{what}}', 'https://a.example/?q={{what}}'), { what: 'a&b {{what}}' }), {
    task: 'Find a&b {{what}}',
    url: 'https://a.example/?q=a%26b%20%7B%7Bwhat%7D%7D',
    context: null,
  })
})

const values = { goods: 'Kyoto teapot', count: 2, day: '2026-12-24', price: 1234.5, gift: true }

test('[J4] values become places where they stand by themselves, in whatever way they are written', () => {
  const { text } = templaterOf(values)
  for (const [given, place] of [
    ['Order 2 pieces of the Kyoto teapot', 'Order {{count}} pieces of the {{goods}}'],
    ['kyoto teapot', '{{goods:lower}}'],
    ['/product/kyoto-teapot', '/product/{{goods:slug}}'],
    ['12/30, 0.2 and 2.0 and 22', '12/30, 0.2 and 2.0 and 22'],
    ['on 24.12.2026', 'on {{day:dmy.}}'],
    ['December 24, 2026', '{{day:MDY}}'],
    ['1,234.50 USD', '{{price:en2}} USD'],
    ['Kyoto teapots', 'Kyoto teapots'],
  ] as const) {
    assert.is(text(given), place)
    assert.is(filledText(place, values), given)
  }
})

test('[J4] a time of day is written with or without the half of its day', () => {
  const { text } = templaterOf({ at: '10:19 AM' })
  assert.is(text('10:19'), '{{at:hm}}')
  for (const [at, written] of [
    ['12:57 AM', '00:57'],
    ['12:05 pm', '12:05'],
    ['5:53 PM', '17:53'],
    ['7:00', '07:00'],
  ] as const)
    assert.is(filledText('{{at:hm}}', { at }), written)
  assert.is(filledText('{{at:hma}}', { at: '00:30' }), '12:30 AM')
})

test('[J3] of a row with a text of an input its numbers may be of chance, as those in brackets are', () => {
  assert.equal(valuesIn(['{{goods}} | {{count}} left', undefined], values), ['Kyoto teapot'])
  assert.equal(valuesIn(['Cart ({{count}})'], values), [])
  assert.equal(valuesIn(['Page {{count}}'], values), ['2'])
})

test('[J4] a choice is an input’s only where it is called like it, and keeps its kind', () => {
  const templater = templaterOf(values)
  assert.is(templater.value(true, 'Wrap as a gift'), '{{gift}}')
  assert.is(templater.value(true, 'I accept the terms'), true)
  assert.is(templater.value('2', 'Quantity'), '{{count}}')
  assert.equal(filledAll({ value: '{{count}}', text: '{{count}}' }, values), { value: 2, text: '2' })
})

test('[J4] of two equal values the one is meant that is called like the field', () => {
  const { text } = templaterOf({ rooms: '2', floor: '2' })
  assert.is(text('2', 'Floor'), '{{floor}}')
  assert.is(text('2', 'Number of rooms'), '{{rooms}}')
})

test('[J4] the shape of an address has no ids and no values of its query', () => {
  assert.is(addressShape('http://shop:1/order/KL-10023/done?b=1&a=2'), 'http://shop:1/order/*/done?a&b')
  assert.ok(hasShape('http://shop:1/order/*', 'http://shop:1/order/KL-999'))
  assert.not.ok(hasShape('http://shop:1/order/*', 'http://shop:1/login'))
  assert.not.ok(hasShape('http://shop:1/product/winter-teapot', 'http://shop:1/product/kyoto-teapot'))
})

test('[J4] an expected line is role and name, whatever its numbers, reference and state', () => {
  const shape = lineShape('+ link "Cart (2)" [e12] focused -> /cart')
  assert.is(shape, 'link "Cart (#)"')
  assert.ok(hasOneOf(['heading "Thank you"', 'link "Cart (#)"'], ['text "Hello"', 'link "Cart (17)" [e3]']))
  assert.not.ok(hasOneOf(['heading "Thank you"'], ['heading "Sorry" [e1]']))
})

test.run()
