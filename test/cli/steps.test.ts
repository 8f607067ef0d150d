import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StepPrinter } from '../../src/cli/steps.ts'
import { lineOf, oneLine, say, table, wrapped } from '../../src/cli/terminal.ts'
import type { TaskEvent } from '../../src/client/index.ts'
import { durationOf } from '../../src/wire/duration.ts'

const test = suite('command line: what is printed')

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

const HEAD = { id: 'msg_1', seq: 1, task_id: '00000000-0000-4000-8000-000000000000' }
const usage = { inputTokens: 1, outputTokens: 1, apiCalls: 1 }
const replied = (step: number, at: number, text: string): TaskEvent => ({
  ...HEAD,
  type: 'model.replied',
  at,
  step,
  text,
  model: 'm',
  usage,
})
const called = (at: number, tool: string, input: Record<string, unknown>): TaskEvent => ({
  ...HEAD,
  type: 'tool.called',
  at,
  step: 1,
  call_id: 'c',
  tool,
  input,
})
const result = (
  at: number,
  tool: string,
  said: { output: string; error?: string },
  duration_ms: number,
): TaskEvent => ({
  ...HEAD,
  type: 'tool.result',
  at,
  step: 1,
  call_id: 'c',
  tool,
  duration_ms,
  has_screenshot: false,
  ...said,
})
const ended: TaskEvent = {
  ...HEAD,
  type: 'task.ended',
  at: 3_400,
  status: 'complete',
  answer: 'The total is 3.',
  output: null,
  success: true,
  failure: null,
  ended_by: 'completed',
  usage,
}
const EVENTS: TaskEvent[] = [
  { ...HEAD, type: 'task.state', at: 1_000, state: 'thinking' },
  replied(1, 1_300, 'I click.'),
  called(1_300, 'computer', { action: 'left_click', ref: 'e4' }),
  result(1_350, 'computer', { output: 'Clicked e4 (button "Buy").\n~ button "Buy" [e4]\n+ text "In the cart"' }, 50),
  called(1_350, 'find', { query: 'total' }),
  result(1_350, 'find', { output: '', error: 'Error: the page is gone' }, 7),
  replied(2, 3_400, 'The total is 3.'),
  ended,
]

test('prints each event with its duration, all lines as long as each other', () => {
  const printer = new StepPrinter(1_000)
  const lines = printed(() => {
    for (const event of EVENTS) printer.print(event)
  })
  const words = lines.map((line) => line.replace(/ +/g, ' ').trim())
  assert.equal(words, [
    '1 I click. 300 ms',
    'computer Clicks Buy 50 ms',
    'find Error: the page is gone 7 ms',
    '2 Final answer 2.0 s',
  ])
  assert.is(new Set(lines.map((line) => line.length)).size, 1)
})

test('cuts what does not fit into a line', () => {
  const printer = new StepPrinter(0)
  const [line = ''] = printed(() => {
    for (const event of [replied(1, 5, 'word '.repeat(200)), called(5, 'find', {})]) printer.print(event)
  })
  assert.ok(line.length <= 110)
  assert.match(line, '…')
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

test('[L13] what a page or a model says cannot move the cursor, or turn lines around', () => {
  const hostile = 'Buy\u001b[2J\u001b]0;title\u0007\r\u009b1A\u202e now\u001b[8m'
  const lines = printed(() => say(`\u001b[1m${hostile}\u001b[0m\n\ttab`))
  assert.equal(lines, ['\u001b[1mBuy�[2J�]0;title���1A� now�[8m\u001b[0m', '\ttab'])
})

test('[I8] what a task asks is printed, with the command that answers', () => {
  const lines = printed(() =>
    new StepPrinter(0).print({
      ...HEAD,
      type: 'input.requested',
      at: 1,
      request_id: 'r-1',
      kind: 'approval',
      message: 'This presses button "Buy now"',
      expires_at: 2,
    }),
  )
  assert.match(lines[0] ?? '', /Approve this action\? This presses button "Buy now"/)
  assert.match(lines[1] ?? '', new RegExp(`npx browser-task-service answer ${HEAD.task_id} r-1 accept`))
})

test.run()
