import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readEntries, ScheduleError } from '../../src/schedule/entries.ts'

const SESSION = '5e0f7c1a-0a4b-4d5e-8a51-2f2f4b7f0c11'
const JOB = { cron: '0 8 * * *', workspace: 'default', session: SESSION, task: 'Read the news' }
const test = suite('schedule entries')

const read = (json: string) => readEntries('jobs.json', json, (text) => text !== 'never')
const refusal = (json: string): string => {
  try {
    read(json)
  } catch (error) {
    assert.instance(error, ScheduleError)
    return String((error as ScheduleError).message)
  }
  return 'accepted'
}

test('[T24] reads a list of jobs, and an object with such a list', () => {
  const expected = [{ ...JOB, url: null, context: null, number: 1, line: 1 }]
  assert.equal(read(JSON.stringify([JOB])), expected)
  assert.equal(read(JSON.stringify({ jobs: [JOB] })), expected)
  assert.equal(read('[]'), [])
  const full = { ...JOB, url: 'https://news.example', context: 'In English' }
  assert.equal(read(JSON.stringify([full])), [{ ...full, number: 1, line: 1 }])
})

test('names file, line, entry and field of what is wrong', () => {
  const json = `{
  "jobs": [
    ${JSON.stringify(JOB)},
    {
      "cron": "0 8 * * *", "workspace": "default",
      "session": "${SESSION}",
      "url": "not [a] {url}",
      "task": "say \\"url\\": {"
    }
  ]
}`
  assert.is(refusal(json), 'SCHEDULE_FILE jobs.json, line 7: job 2, field "url": expected a URL')
})

test('refuses each field that is missing, of the wrong type, or out of bounds', () => {
  const bad: [string, unknown][] = [
    ['cron', undefined],
    ['cron', 5],
    ['cron', 'never'],
    ['workspace', ''],
    ['workspace', null],
    ['session', 'my browser'],
    ['session', undefined],
    ['task', '  '],
    ['task', 'x'.repeat(10_001)],
    ['task', undefined],
    ['url', ''],
    ['url', 'nowhere'],
    ['url', `https://x.example/${'x'.repeat(2_048)}`],
    ['context', 7],
    ['context', 'x'.repeat(50_001)],
    ['webhook', 'https://x.example'],
  ]
  for (const [field, value] of bad) {
    const message = refusal(JSON.stringify([JOB, { ...JOB, [field]: value }]))
    assert.ok(message.startsWith(`SCHEDULE_FILE jobs.json, line 1: job 2, field "${field}": `), message)
  }
})

test('refuses what is no JSON in one line, and what is no list of jobs', () => {
  // What is in the file, a task with a password say, is not repeated.
  assert.match(refusal('[\n  {"cron": 5},\n  oops\n]'), /^SCHEDULE_FILE jobs\.json is not valid JSON(: line 3)?$/)
  assert.match(refusal('[\n  {"cron": 5}\n  {"cron": 5}\n]'), /is not valid JSON: line 3$/)
  for (const json of ['', '[', '{"jobs": [', 'oops']) {
    assert.match(refusal(json), /is not valid JSON(: line 1)?$/)
    assert.not.match(refusal(json), /\n/)
  }
  for (const json of ['{}', '7', 'null', '{"jobs": {}}']) assert.match(refusal(json), /expected a list of jobs/)
  for (const json of ['[7]', '[null]', '["x"]']) assert.match(refusal(json), /job 1: expected an object/)
})

test.run()
