import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { numbersIn } from '../../src/browsers/holds/terms.ts'
import { AMOUNTS } from '../support/holds/ways.ts'

const test = suite('numbers among the terms')

for (const [text, numbers] of [
  ['Total: $ 52.50\nQuantity 2', ['52.50', '2']],
  ['52.50\r\n2', ['52.50', '2']],
  ['52.50\t2', ['52.50', '2']],
  ['52.50\u2028100', ['52.50', '100']],
  ['2 52.50', ['2', '52.50']],
  ['10 2024', ['10', '2024']],
  ['1 000,00 €', ['1 000,00']],
  ['1\u00a0000,00 €', ['1 000,00']],
  ['12\u202f345\u2009678,90 €', ['12 345 678,90']],
  ["CHF 1'000.00", ["1'000.00"]],
  ['CHF 1’000.–', ['1’000']],
  ['R$ 1.000,00', ['1.000,00']],
  ['١٬٠٠٠٫٥٠ ر.س', ['١٬٠٠٠٫٥٠']],
  ['१,००० रुपये', ['१,०००']],
  ['¥一千', ['一千']],
  ['$ .99, now 1.', ['.99', '1']],
  ['£1.00 to 12-34-56', ['1.00', '12-34-56']],
  ['ends in 04:59', []],
] as const)
  test(`[I18] the numbers of ${JSON.stringify(text)}`, () => assert.equal(numbersIn(text), numbers))

test('[I18] every amount that changes is another number', () => {
  for (const [before, after] of AMOUNTS) assert.not.equal(numbersIn(before), numbersIn(after))
})

test.run()
