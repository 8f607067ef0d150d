import { readFileSync, writeFileSync } from 'node:fs'
import { findings, mentionedNumbers, readRules, testedNumbers, writeNotYet } from '../test/support/rules.ts'

/**
 * `npm run rules`: takes the rules that have a test by now off the list of docs/spec-rules.md, and prints what is missing.
 * It never puts one on the list: a rule that lost its test is an error.
 */
const path = 'docs/spec-rules.md'
const markdown = readFileSync(path, 'utf8')
const rules = readRules(markdown)
const tested = testedNumbers()
const { without, unknownInTests, unknownInCode } = findings(rules, tested, mentionedNumbers())
const notYet = rules.notYet.filter((number) => !tested.has(number))
const written = writeNotYet(markdown, notYet)
if (written !== markdown) writeFileSync(path, written)

const { numbers } = rules
console.log(`${numbers.length} rules, ${numbers.filter((number) => tested.has(number)).length} with tests`)
console.log(`not built yet (${notYet.length}): ${notYet.join(' ') || 'none'}`)
for (const [what, wrong] of Object.entries({
  'without a test': without,
  'named by a test, but no rule': unknownInTests,
  'named by a comment, but no rule': unknownInCode,
})) {
  if (wrong.length === 0) continue
  console.log(`${what} (${wrong.length}): ${wrong.join(' ')}`)
  process.exitCode = 1
}
