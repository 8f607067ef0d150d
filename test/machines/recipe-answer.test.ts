import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { linesOf, placesOfOutput, readOutput } from '../../machines/recipe-answer.ts'
import { templaterOf } from '../../machines/recipe-text.ts'

const test = suite('where the values of an output are read')

const THEN = { goods: 'Kyoto teapot', count: 2 }
const NOW = { goods: 'Harbour teapot', count: 3 }
/** What the places of `output` on the page `before` give on the page `after`; `undefined`: there are no such places. */
function readAgain(output: unknown, before: string, after: string): unknown {
  const places = placesOfOutput(output, [linesOf(before)], THEN, templaterOf(THEN))
  return places === null ? undefined : (readOutput(places, [linesOf(after)], NOW)?.output ?? null)
}

const order = (number: string, goods: string, count: number, total: string) =>
  `Thank you\nOrder number: ${number}\nProduct | Quantity | Price\n${goods} | ${count} | ${total}\nTotal to pay: ${total}`

test('[J15] a value is read beside its words, in its row under its header, or below a line of words', () => {
  const output = { order: 'KL-10023', total: 97, product: 'Kyoto teapot' }
  const then = order('KL-10023', 'Kyoto teapot', 2, '$97.00')
  assert.equal(readAgain(output, then, order('KL-10024', 'Harbour teapot', 3, '$1,120.50')), {
    order: 'KL-10024',
    total: 1120.5,
    product: 'Harbour teapot',
  })
  assert.equal(readAgain({ price: 12 }, 'Tea | $12.00\nPrice\n$12', 'Price\n$15\nTea | $15.00'), undefined)
  assert.equal(readAgain({ price: 12 }, 'Price today\n$12', 'Price today\n$15'), { price: 15 })
  const bill = (sum: string) => `Total | ${sum}\nTotal to pay: ${sum}`
  assert.equal(readAgain({ total_to_pay: '$97.00' }, bill('$97.00'), bill('$99.00')), { total_to_pay: '$99.00' })
  const table = (head: string) => `${head}\nSetagaya | 12.50 | 14.00`
  const tea = { price: 12.5 }
  assert.equal(readAgain(tea, table('Tea | Price | Before'), table('Tea | Price | Before')), tea)
  assert.equal(readAgain(tea, table('Tea | Price | Before'), table('Tea | Before | Price')), null)
})

test('[J15] a list has as many items as there are today, and is not cut short by one of another form', () => {
  const page = (...rows: string[]) => `Our teas\nTea | Price\n${rows.join('\n')}\nOpen every day`
  const output = {
    teas: [
      { name: 'Assam', price: 12 },
      { name: 'Ceylon', price: 15 },
    ],
  }
  const then = page('Assam | $12.00', 'Ceylon | $15.00')
  const now = page('Assam | $12.00', 'Earl Grey | $9.50', 'Sencha | $20.00')
  assert.equal(readAgain(output, then, now), {
    teas: [
      { name: 'Assam', price: 12 },
      { name: 'Earl Grey', price: 9.5 },
      { name: 'Sencha', price: 20 },
    ],
  })
  assert.is(readAgain(output, then, page('Assam | $12.00', 'Ceylon | sold out')), null)
  assert.is(readAgain(output, then, page('Assam | $12.00', 'Ceylon | sold out', 'Sencha | $20.00')), null)
  assert.is(readAgain(output, then, 'Our teas\nNothing today'), null)
  assert.equal(readAgain({ names: ['Assam', 'Ceylon'] }, 'Names\n- Assam\n- Ceylon', 'Names\n- Sencha'), {
    names: ['Sencha'],
  })
})

test('[J15] what is not on the page beyond doubt has no place, and what is not there any more is not made up', () => {
  for (const output of [
    { total: 97, paid: true },
    { total: null },
    { total: 98 },
    { city: 'Berlin' },
    { teas: [] },
    // The one or the other: neither has a word of the name.
    { amount: 97 },
  ])
    assert.is(readAgain(output, order('KL-1', 'Kyoto teapot', 2, '$97.00'), ''), undefined, JSON.stringify(output))
  const once = { total: 97 }
  const then = 'Total: $97.00'
  for (const now of ['', 'Total: free', 'Sum: $97.00', 'Total: $90.00\nTotal: $80.00', 'Total: $1,234'])
    assert.is(readAgain(once, then, now), null, now)
})

test.run()
