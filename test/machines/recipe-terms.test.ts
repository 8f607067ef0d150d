import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Terms, Values } from '../../machines/recipe.ts'
import { numberOf, termsDiffer } from '../../machines/recipe-terms.ts'

const test = suite('terms of a recipe')

const before: Values = { goods: 'Kyoto teapot', count: 2, name: 'Ada' }
/** As it was when two Kyoto teapots were ordered, with places. */
const terms: Terms = {
  form: 'POST http://shop/checkout',
  fields: [
    { name: 'name', value: '{{name}}' },
    { name: 'delivery', value: 'express' },
    { name: 'token', value: '0123456789abcdef', hidden: true },
  ],
  lines: [
    'link "Cart ({{count}})"',
    'row "{{goods}} | {{count}} | $97.00"',
    'row "Subtotal | $97.00"',
    'row "Express, {{count}} to 3 days | $12.50"',
    'row "Total | $109.50"',
  ],
}
const page = (goods: string, count: number, price: string, total: string, more: Partial<Terms> = {}): Terms => ({
  form: terms.form,
  fields: [
    { name: 'name', value: 'Ada' },
    { name: 'delivery', value: 'express' },
    { name: 'token', value: 'fedcba9876543210', hidden: true },
  ],
  lines: [
    `link "Cart (${count})"`,
    `row "${goods} | ${count} | $${price}"`,
    `row "Subtotal | $${price}"`,
    'row "Express, 2 to 3 days | $12.50"',
    `row "Total | $${total}"`,
  ],
  ...more,
})
const differ = (now: Values, found: Terms) =>
  termsDiffer({ terms, before, now: { ...before, ...now }, choosing: ['goods'] }, found)

test('[J8] the same terms are the same, and a token is another one each time', () => {
  assert.is(differ({}, page('Kyoto teapot', 2, '97.00', '109.50')), null)
})
test('[J8] with the same inputs no number may differ', () => {
  assert.match(differ({}, page('Kyoto teapot', 2, '97.01', '109.51')) ?? '', '97.01')
  assert.match(differ({}, page('Kyoto teapot', 2, '97.00', '119.50')) ?? '', '119.50')
})
test('[J8] three for two cost half as much again, and not more', () => {
  assert.is(differ({ count: 3 }, page('Kyoto teapot', 3, '145.50', '158.00')), null)
  assert.match(differ({ count: 3 }, page('Kyoto teapot', 3, '150.00', '162.50')) ?? '', '150.00')
  assert.match(differ({ count: 3 }, page('Kyoto teapot', 3, '145.50', '168.00')) ?? '', '168.00')
})
test('[J8] other goods have the price that their line has, and the sum differs by just that', () => {
  assert.is(differ({ goods: 'Winter teapot' }, page('Winter teapot', 2, '144.00', '156.50')), null)
  assert.match(differ({ goods: 'Winter teapot' }, page('Winter teapot', 2, '144.00', '256.50')) ?? '', '256.50')
  assert.is(differ({ goods: 'Winter teapot', count: 1 }, page('Winter teapot', 1, '72.00', '84.50')), null)
})
test('[J8] another name is no reason for another price, also in a line that has it', () => {
  const named = (name: string, total: string): Terms => ({
    form: null,
    fields: [],
    lines: [`"Total for ${name}: $${total}"`],
  })
  const expected = { terms: named('{{name}}', '12.00'), before, now: { ...before, name: 'Grace' }, choosing: ['goods'] }
  assert.is(termsDiffer(expected, named('Grace', '12.00')), null)
  assert.match(termsDiffer(expected, named('Grace', '99.00')) ?? '', '99.00')
})
test('[J8] other goods, or another count, than was asked for is another order', () => {
  assert.ok(differ({ count: 3 }, page('Kyoto teapot', 2, '97.00', '109.50')))
  assert.ok(differ({ goods: 'Winter teapot' }, page('Kyoto teapot', 2, '97.00', '109.50')))
  assert.ok(differ({}, page('Winter teapot', 2, '97.00', '109.50')))
})
test('[J8] a fee that came, a field that somebody filled, and a form that goes elsewhere are other terms', () => {
  const same = page('Kyoto teapot', 2, '97.00', '109.50')
  assert.match(differ({}, { ...same, lines: [...same.lines, 'row "Fee | $5.00"'] }) ?? '', 'Fee')
  assert.match(differ({}, { ...same, lines: same.lines.slice(0, -1) }) ?? '', 'Total')
  assert.match(differ({}, { ...same, fields: [...same.fields, { name: 'tip', value: '20' }] }) ?? '', 'tip')
  const other = same.fields.map((field) => (field.name === 'delivery' ? { ...field, value: 'standard' } : field))
  assert.match(differ({}, { ...same, fields: other }) ?? '', 'delivery')
  assert.match(differ({}, { ...same, form: 'POST http://evil/checkout' }) ?? '', 'evil')
})
test('[J8] a fee that is now just as much as an input is another fee', () => {
  const amounts: Values = { amount: 100, count: 2 }
  const differs = (line: string, now: Values, found: string) =>
    termsDiffer(
      { terms: { form: null, fields: [], lines: [line] }, before: amounts, now: { ...amounts, ...now }, choosing: [] },
      { form: null, fields: [], lines: [found] },
    )
  const transfer = 'Transfer {{amount}} EUR, fee 5.00 EUR'
  assert.is(differs(transfer, {}, 'Transfer 100 EUR, fee 5.00 EUR'), null)
  assert.is(differs(transfer, { amount: 40 }, 'Transfer 40 EUR, fee 5.00 EUR'), null)
  assert.ok(differs(transfer, {}, 'Transfer 100 EUR, fee 100 EUR'))
  assert.ok(differs(transfer, {}, 'Transfer 5.00 EUR, fee 100 EUR'))
  assert.ok(differs(transfer, { amount: 40 }, 'Transfer 40 EUR, fee 40 EUR'))
  assert.ok(differs('{{count}} pieces for $ 1.00', { count: 50 }, '50 pieces for $ 50'))
})
test('[J8] a hidden field is another one each time only where its name says that it is a token', () => {
  const same = page('Kyoto teapot', 2, '97.00', '109.50')
  const hidden = (name: string, value: string) => ({ name, value, hidden: true }) as const
  const iban = hidden('iban', 'DE89370400440532013000')
  const expected = { terms: { ...terms, fields: [...terms.fields, iban] }, before, now: before, choosing: [] }
  const found = (...fields: Terms['fields']) => ({ ...same, fields: [...same.fields, ...fields] })
  assert.is(termsDiffer(expected, found(iban)), null)
  assert.match(termsDiffer(expected, found(hidden('iban', 'GB33BUKB20201555555555'))) ?? '', 'iban')
  assert.match(differ({}, found(hidden('insurance', 'yes'))) ?? '', 'insurance')
  assert.is(differ({}, found(hidden('csrf_token', '89abcdef01234567'), hidden('gift', ''))), null)
})
test('[J8] numbers are read as they are written anywhere', () => {
  assert.equal(['1,234.50', '1.234,50', '1’234.5', '1 234', '48,5'].map(numberOf), [1234.5, 1234.5, 1234.5, 1234, 48.5])
})

test.run()
