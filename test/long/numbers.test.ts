import * as assert from 'uvu/assert'
import { browserSuite } from '../support/driven-browser.ts'
import { numbers, setAll } from '../support/numbers.ts'

const test = browserSuite('200 numbers in twelve languages')

test('[G37] form_input accepts no number that the field does not hold', async (driven) => {
  const counts = await setAll(driven, numbers(200))
  console.log(JSON.stringify(counts))
  assert.ok(counts.set > 1_000 && counts.refused > 1_000)
})

test.run()
