import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findings, mentionedNumbers, readRules, tagged, testedNumbers, writeNotYet } from './support/rules.ts'

const test = suite('rules')

const rules = readRules(readFileSync('docs/spec-rules.md', 'utf8'))
const tested = testedNumbers()
const found = findings(rules, tested, mentionedNumbers())

test('the document has rules, each number once', () => {
  assert.ok(rules.numbers.length > 0)
  assert.equal(found.doubled, [])
})
test('the numbers of an area have no gap', () => {
  const last = new Map<string, number>()
  for (const number of rules.numbers) {
    const area = number.charAt(0)
    const expected = (last.get(area) ?? 0) + 1
    assert.is(number, `${area}${expected}`)
    last.set(area, expected)
  }
})
test('no test names a number that does not exist', () => assert.equal(found.unknownInTests, []))
test('no comment in the code names a number that does not exist', () => assert.equal(found.unknownInCode, []))
test('no rule is without a test, but for those that are not built yet', () => assert.equal(found.without, []))
test('no rule that is not built yet has a test, or does not exist (npm run rules)', () => {
  assert.equal(found.builtMeanwhile, [])
  assert.equal(found.unknownNotYet, [])
})

const document = (notYet: string) =>
  `# Rules\n\n- **T1** one\n- **T2** two, see T9\n- **L1** three\n\n## Not built yet\n\nText.\n\n\`\`\`\n${notYet}\`\`\`\n`

test('rules and the list are read from the document', () => {
  assert.equal(readRules(document('T2\nL1\n')), { numbers: ['T1', 'T2', 'L1'], notYet: ['T2', 'L1'] })
  assert.equal(readRules(document('')).notYet, [])
})
test('the list is written one area a line, the rest as it was', () => {
  assert.is(writeNotYet(document('T1\n'), ['T1', 'T2', 'L1']), document('T1 T2\nL1\n'))
  assert.is(writeNotYet(document('T1\n'), []), document(''))
})
test('numbers count in texts, not in comments or code', () => {
  const source = `// [T1]\ntest('[T2] a', () => x[T3])\ntest(\`[T4 L5][L6] b\`)\ntest("[T7, T8] c [not] [t9]")`
  assert.equal(tagged(source, 'texts'), ['T2', 'T4', 'L5', 'L6', 'T7', 'T8'])
  assert.equal(tagged(source, 'comments'), ['T1'])
})

const ask = (notYet: string, testedHere: string[], mentioned: string[] = []) =>
  findings(readRules(document(notYet)), new Set(testedHere), new Set(mentioned))

test('a number that does not exist is found, in tests, in code and in the list', () => {
  const { unknownInTests, unknownInCode, unknownNotYet } = ask('T1 T7\n', ['T2', 'T9'], ['L1', 'L8'])
  assert.equal([unknownInTests, unknownInCode, unknownNotYet], [['T9'], ['L8'], ['T7']])
})
test('a rule without a test is found', () => assert.equal(ask('', ['T1', 'L1']).without, ['T2']))
test('a rule that is said to be unbuilt and has a test is found', () =>
  assert.equal(ask('T1 T2\n', ['T1', 'L1']).builtMeanwhile, ['T1']))
test('a number given twice is found', () =>
  assert.equal(findings(readRules(`${document('')}- **T1** again\n`), new Set(), new Set()).doubled, ['T1']))

test.run()
