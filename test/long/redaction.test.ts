import { suite } from 'uvu'
import { checkCases } from '../support/redaction-cases.ts'

const test = suite('redaction')

test('[X6] 100,000 cases of values, spellings, neighbours and cuts leave no 8 characters of a value', () => {
  checkCases(1, 100_000)
})

test.run()
