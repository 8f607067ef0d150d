import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StepPrinter, wordsOf } from '../../src/cli/steps.ts'
import { lineOf, oneLine, table, wrapped } from '../../src/cli/terminal.ts'
import { durationOf } from '../../src/wire/duration.ts'

const test = suite('command line: what is printed')

type Records = Parameters<StepPrinter['print']>[0]
const BLANK = { tool_name: null, tool_input: null, output: null, has_screenshot: false, duration_ms: null }

/** What is written to standard output meanwhile. */
function printed(work: () => void): string[] {
  const write = process.stdout.write
  let text = ''
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += chunk
    return true
  }
  try {
    work()
  } finally {
    process.stdout.write = write
  }
  return text.split('\n').filter(Boolean)
}

const record = (step: number, status: string, at: number, more: object = {}): Records[number] => ({
  ...BLANK,
  step,
  status,
  created_at: at,
  ...more,
})
const RECORDS: Records = [
  record(1, 'thinking', 1_300, { output: 'I click.' }),
  record(1, 'tool_use', 1_300, { tool_name: 'computer', tool_input: { action: 'left_click', ref: 'e4' } }),
  record(1, 'tool_output', 1_350, { tool_name: 'computer', output: 'Clicked e4\n(button "Buy").', duration_ms: 50 }),
  record(1, 'tool_result', 1_350, { tool_name: 'computer', duration_ms: 50 }),
  record(1, 'tool_use', 1_350, { tool_name: 'find', tool_input: { query: 'total' } }),
  record(1, 'tool_output', 1_350, { tool_name: 'find', output: 'Error: the page is gone', duration_ms: 7 }),
  record(1, 'tool_result', 1_350, { tool_name: 'find', duration_ms: 7 }),
  record(2, 'thinking', 3_400, { output: 'The total is 3.' }),
  record(2, 'complete', 3_400, { output: 'The total is 3.' }),
]

test('prints each record once, with its duration, all lines as long as each other', () => {
  const printer = new StepPrinter(1_000)
  const lines = printed(() => {
    for (let count = 0; count <= RECORDS.length; count += 1) printer.print(RECORDS.slice(0, count))
    printer.print(RECORDS)
  })
  const words = lines.map((line) => line.replace(/ +/g, ' ').trim())
  assert.equal(words, [
    '1 I click. 300 ms',
    'computer Clicked e4 (button "Buy"). 50 ms',
    'find Error: the page is gone 7 ms',
    '2 Final answer 2.0 s',
  ])
  assert.is(new Set(lines.map((line) => line.length)).size, 1)
})

test('cuts what does not fit into a line', () => {
  const long = [record(1, 'thinking', 5, { output: 'word '.repeat(200) }), record(1, 'tool_use', 5)]
  const [line = ''] = printed(() => new StepPrinter(0).print(long))
  assert.ok(line.length <= 110)
  assert.match(line, '…')
})

test('says inputs in a few words', () => {
  assert.is(wordsOf({ action: 'left_click', ref: 'e4' }), 'left_click e4')
  assert.is(wordsOf({ ref: 'e4', value: true }), 'e4 ← true')
  assert.is(wordsOf({ query: 'search box' }), 'search box')
  assert.is(wordsOf({ action: 'scroll', coordinate: [1, 2] }), 'scroll coordinate [1,2]')
  assert.is(wordsOf({}), '')
})

test('says durations as people read them', () => {
  const said = [-5, 0, 999.4, 1_000, 59_940, 60_000, 125_000, 3_900_000].map(durationOf)
  assert.equal(said, ['0 ms', '0 ms', '999 ms', '1.0 s', '59.9 s', '1 min 0 s', '2 min 5 s', '1 h 5 min'])
})

test('wraps, cuts and aligns', () => {
  assert.equal(wrapped('a bb  ccc dddd', 5), ['a bb', 'ccc', 'dddd'])
  assert.equal(wrapped('toolongforit a', 5), ['toolongforit', 'a'])
  assert.is(oneLine('a\n b   c', 10), 'a b c')
  assert.is(oneLine('abcdef', 4), 'abc…')
  assert.is(table(['A', 'LONG'], [['xyz', '1']]), 'A    LONG\nxyz  1')
})

test('says an error in one line, whatever was thrown', () => {
  assert.is(lineOf(new Error('first\n    at somewhere')), 'first')
  assert.is(lineOf(new TypeError('')), 'TypeError')
  assert.is(lineOf('text'), 'text')
})

test.run()
