import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskEvent } from '../../../src/client/index.ts'
import { callsOf, conversationOf, questionOf } from '../../../src/web/client/inspector/conversation.ts'

const test = suite('the conversation of a task')
const event = (type: TaskEvent['type'], more: object) => ({ seq: 1, at: 1, type, task_id: 't', ...more }) as TaskEvent
const call = (tool: string, output: string) => [
  event('tool.called', { step: 1, call_id: tool, tool, input: { question: 'Which tea?', query: 'tea' } }),
  event('tool.result', { at: 13, step: 1, call_id: tool, tool, output, duration_ms: 1, has_screenshot: false }),
]

test('[P38] a question goes from the task to its user, and neither it nor an end goes to the browser', () => {
  const said = conversationOf([
    ...call('find', 'tea'),
    event('input.requested', { message: 'Which tea?' }),
    ...call('ask_user', 'Green'),
    event('input.answered', { action: 'accept' }),
    ...call('finish', 'The task has ended.'),
    event('task.ended', { status: 'complete', ended_by: 'completed', answer: 'Green tea.' }),
  ])
  assert.equal(
    said.map(({ from, to, words }) => `${from} → ${to}: ${words}`),
    [
      'task → browser: Looks for tea',
      'browser → task: Done in 12 ms',
      'task → you: Which tea?',
      'you → task: Agreed or answered',
      'task → you: Green tea.',
    ],
  )
})

test('[P38] a call that the service carries out itself goes to the service; one of a script goes to the browser', () => {
  const file = { step: 1, call_id: 'file', tool: 'files', input: { action: 'write', name: 'tea.csv' } }
  const said = conversationOf([
    ...['note', 'extract', 'script', 'find'].flatMap((tool) => call(tool, 'tea')),
    event('tool.called', file),
    event('tool.result', { ...file, output: '', duration_ms: 1, has_screenshot: false }),
  ])
  const ways = (who: string) => [`task → ${who}`, `${who} → task`]
  assert.equal(
    said.map(({ from, to }) => `${from} → ${to}`),
    ['service', 'service', 'service', 'browser', 'service'].flatMap(ways),
  )
})

test('[P28] a call is named by tool and step, also when it has ended; a question stands until it is answered', () => {
  const asked = [...call('find', 'tea'), event('input.requested', { message: 'Which tea?' })]
  assert.equal([...callsOf(asked)], [['call:find', 'find · step 1']])
  assert.is(questionOf([]), null)
  assert.is(questionOf(asked), 'Which tea?')
  assert.is(questionOf([...asked, event('input.answered', { action: 'accept' })]), null)
  assert.is(questionOf([...asked, event('task.ended', { status: 'error', ended_by: 'cancelled' })]), null)
})

test.run()
