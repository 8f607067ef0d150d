import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { answers, lastResults, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { run } from './command.ts'

const test = suite('command line: users and their tasks')

const model = await openJobModel()
const service = await openService({ env: model.env })
const { api } = service
const session = await api.pair()
const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })
const asked = ['--service', service.url, '--key', service.key]
const command = async (...args: string[]) => {
  const { code, out, err } = await run([...args, ...asked])
  return [code, (out + err).trim()]
}
const becomes = (id: string, state: string) =>
  eventually(async () => (await api.task(id)).state === state, `the task to be ${state}`)

test('[I8 I2 I1] a task is paused, resumed, told something, and cancelled', async () => {
  model.endpoint.plan('hang')
  const { json } = await api.start(session.id, 'Wait')
  assert.equal(await command('pause', json.id), [0, 'Paused.'])
  await becomes(json.id, 'paused')
  assert.equal(await command('message', json.id, 'Green, please'), [0, 'Sent.'])
  assert.equal(await command('resume', json.id), [0, 'Resumed.'])
  await becomes(json.id, 'thinking')
  assert.equal(await command('cancel', json.id), [0, 'Cancelled.'])
  assert.is((await api.task(json.id)).ended_by, 'cancelled')
  assert.equal(await command('pause', json.id), [3, 'The task has ended.'])
  assert.equal(await command('message', 'nothing', 'Hello'), [2, 'Task not found'])
})

test('[I8 Q15] what a task asks is printed with the command that answers it', async () => {
  model.endpoint.plan({ calls: [{ tool: 'ask_user', input: { question: 'Green or black?' } }] }, ({ body }) =>
    answers(/The user answered: [a-z]+/.exec(JSON.stringify(body.messages))?.[0] ?? 'Nothing was answered.'),
  )
  const { json } = await api.start(session.id, 'Choose', { ask_user: true })
  // Nobody sits at this terminal: it does not wait for an answer.
  const asking = await run(['follow', json.id, ...asked])
  assert.is(asking.code, 4, asking.err)
  const [, answer = ''] = /npx browser-task-service (answer \S+ \S+ accept)/.exec(asking.out) ?? []
  assert.equal(await command(...answer.split(' '), 'green'), [0, 'Answered.'])
  const done = await run(['follow', json.id, ...asked])
  assert.is(done.code, 0, done.err)
  assert.match(done.out, 'The user answered: green')
  assert.equal(await command(...answer.split(' '), 'green'), [3, 'This input was answered already.'])
})

test('[I10] run --continue goes on from an ended task, in its browser', async () => {
  model.endpoint.plan(answers('Green tea costs 4.80.'))
  const { json } = await api.start(session.id, 'What does green tea cost?')
  await finished(api, json.id)
  const { code, out } = await run(['run', 'And black tea?', '--continue', json.id, ...asked])
  assert.is(code, 0, out)
  assert.match(lastResults(model.endpoint), /What does green tea cost\?.*Green tea costs 4\.80\..*And black tea\?/)
  assert.equal(await command('run', 'And black tea?', '--continue', 'nothing'), [2, 'Task not found'])
})

test('[I5 F1 L46] run starts a task with approvals, questions, domains and an effort', async () => {
  model.endpoint.plan(answers('Done.'))
  const held = [
    '--approvals',
    'irreversible',
    '--ask-user',
    '--allow',
    'example.com',
    '--allow',
    '*.example.org',
    '--effort',
    'high',
  ]
  assert.is((await run(['run', 'Held', ...held, ...asked])).code, 0)
  const { body } = model.endpoint.requests.at(-1) ?? {}
  assert.match(JSON.stringify(body?.messages), /example\.com.*\*\.example\.org/)
  assert.match(JSON.stringify(body), /effort":"high"/)
  assert.match(JSON.stringify(body?.tools), /ask_user/)
  assert.match(JSON.stringify(body?.tools), /irreversible/)
  assert.equal(await command('run', 'Held', '--approvals', 'sometimes'), [
    2,
    'approvals must be never, irreversible or always',
  ])
  assert.equal(await command('run', 'Held', '--effort', 'most'), [2, 'effort must be low, medium or high'])
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})
test.run()
