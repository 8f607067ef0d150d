import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey, aWorkspace, makeSurface } from '../../support/http-surface.ts'
import { aTask } from '../../support/stores.ts'

const surface = await makeSurface()
const { ask, taskService, clock } = surface
const workspace = await aWorkspace(surface)
const { key } = await aKey(surface, workspace.id)

const test = suite('links to results')

const ANSWER = 'Two flights fit.'
const OUTPUT = { flights: [{ number: 'TP 1273', price: 118 }] }

function aResult(): string {
  const record = aTask({ workspaceId: workspace.id, status: 'complete', answer: ANSWER })
  taskService.tasksById.set(record.id, {
    ...record,
    state: 'closed',
    endedBy: 'completed',
    output: JSON.stringify(OUTPUT),
  })
  return record.id
}
const share = (id: string, body: object = {}, by = key) => ask('POST', `/v1/tasks/${id}/share`, { key: by, body })
const open = (token: string) => ask('GET', `/v1/shared/${token}`)
const isOpen = async (token: string): Promise<boolean> => {
  const { status, json } = await open(token)
  if (status !== 200) assert.equal([status, json.code], [404, 'share_not_found'])
  return status === 200
}

test('[V12] a link shows task, answer and output to whoever has it, and nothing else', async () => {
  const id = aResult()
  const { status, json } = await share(id)
  assert.is(status, 201)
  assert.is(json.expires_at - json.created_at, 7 * 86_400_000)
  assert.match(json.url, new RegExp(`^http://svc.test/shared/${json.token}$`))
  const shown = (await open(json.token)).json
  assert.equal(Object.keys(shown).sort(), [
    ...['answer', 'completed_at', 'created_at', 'ended_by', 'expires_at', 'output', 'status', 'task', 'ungrounded'],
  ])
  assert.equal([shown.answer, shown.output, shown.status], [ANSWER, OUTPUT, 'complete'])
  // The token is of use nowhere else.
  for (const path of [`/v1/tasks/${id}`, `/v1/tasks/${id}/steps`, `/v1/tasks/${id}/share`])
    assert.is((await ask('GET', path, { key: json.token })).status, 401)
})

test('[V12] it opens nothing once it has expired, is ended or replaced', async () => {
  const id = aResult()
  const state = async () => (await ask('GET', `/v1/tasks/${id}/share`, { key })).json
  assert.equal(await state(), { created_by: null, created_at: null, expires_at: null })
  const first = (await share(id, { expires_in_s: 60 })).json
  assert.equal(await state(), {
    ...{ created_by: 'the key “a key”', created_at: clock.at, expires_at: clock.at + 60_000 },
  })
  const second = (await share(id, { expires_in_s: 60 })).json
  assert.equal([await isOpen(first.token), await isOpen(second.token)], [false, true])
  assert.is((await ask('DELETE', `/v1/tasks/${id}/share`, { key })).status, 200)
  assert.is(await isOpen(second.token), false)
  assert.equal(await state(), { created_by: null, created_at: null, expires_at: null })
  const third = (await share(id, { expires_in_s: 60 })).json
  clock.at += 59_999
  assert.is(await isOpen(third.token), true)
  clock.at += 1
  assert.is(await isOpen(third.token), false)
})

test('[V12] it ends with the task, and with the key that made it', async () => {
  const [id, other] = [aResult(), aResult()]
  const own = await aKey(surface, workspace.id)
  const ofTask = (await share(id)).json.token
  const ofKey = (await share(other, {}, own.key)).json.token
  assert.equal([await isOpen(ofTask), await isOpen(ofKey)], [true, true])
  taskService.tasksById.delete(id)
  await ask('DELETE', `/v1/api-keys/${own.id}`, { key })
  assert.equal([await isOpen(ofTask), await isOpen(ofKey)], [false, false])
})

test('[V12] no other token opens a result', async () => {
  const { token } = (await share(aResult())).json
  const unshared = aResult().replaceAll('-', '')
  const changed = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
  for (const wrong of [
    changed,
    `${token}0`,
    token.slice(0, -1),
    'svc_share_',
    `svc_share_${unshared}${token.slice(-32)}`,
  ])
    assert.is(await isOpen(wrong), false, wrong)
})

test('[V12] a running task, that of somebody else and times outside the bounds are refused', async () => {
  const running = aTask({ workspaceId: workspace.id })
  taskService.tasksById.set(running.id, { ...running, state: 'thinking' })
  const foreign = aTask({ workspaceId: randomUUID(), status: 'complete' })
  taskService.tasksById.set(foreign.id, { ...foreign, state: 'closed' })
  const codeOf = async (id: string, body = {}) => (await share(id, body)).json.code
  assert.is(await codeOf(running.id), 'task_running')
  for (const id of [foreign.id, randomUUID(), 'x']) assert.is(await codeOf(id), 'task_not_found')
  for (const method of ['GET', 'DELETE'])
    assert.is((await ask(method, `/v1/tasks/${foreign.id}/share`, { key })).json.code, 'task_not_found')
  for (const expires_in_s of [59, 90 * 86_400 + 1, 1.5, '60'])
    assert.is(await codeOf(aResult(), { expires_in_s }), 'expires_in_s_invalid')
  const { key: publishable } = await aKey(surface, workspace.id, 'publishable')
  assert.is((await share(aResult(), {}, publishable)).json.code, 'publishable_key')
})

test.run()
