import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createActivityLog } from '../../../src/main/log-lines.ts'
import { eventually } from '../../support/eventually.ts'
import { memoryLog } from '../../support/http-wire.ts'
import { openLive } from '../../support/live.ts'
import { closeReceivers, receiver } from '../../webhooks/receiver.ts'

const test = suite('log of what is done')

test('[O4] each start, end, refusal, connection, key, sign-in, webhook and request is a line with ids and duration, and no line has a secret or a text', async () => {
  const live = await openLive({ transport: 'uws', store: 'lmdb' }, { LOG_REQUESTS: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' })
  const webhook = await receiver()
  const address = `http://127.0.0.1:${webhook.port}/SECRET-PATH`
  const { lines } = live.log
  const fieldsOf = (message: string) => lines.filter((line) => line.message === message).map(({ fields }) => fields)
  const seen = (message: string, fields: Record<string, unknown>) =>
    eventually(
      () =>
        fieldsOf(message).some((found) =>
          Object.entries(fields).every(([name, value]) => Reflect.get(found, name) === value),
        ),
      `${message} ${JSON.stringify(fields)} in ${JSON.stringify(fieldsOf(message))}`,
      5_000,
    )
  try {
    const tenant = await live.workspace()
    const workspaceId = tenant.id
    const { id: sessionId, token, browser } = await tenant.browser()
    await seen('A pairing link was created', { workspaceId, keyId: tenant.keyId })
    await seen('A browser was paired', { workspaceId, sessionId })
    await seen('A browser is connected', { sessionId })

    await tenant.api.post('/v1/webhook_endpoints', { url: address, types: ['task.ended'] })
    const { json: task } = await tenant.api.start(sessionId, 'a call about SECRET-TEA', {
      url: 'https://shop.example/SECRET-PAGE',
      webhook_url: address,
    })
    await seen('A task was started', { taskId: task.id, workspaceId, sessionId, door: 'http' })
    await seen('A task ended', { taskId: task.id, workspaceId, endedBy: 'completed', inputTokens: 14 })
    await seen('A webhook was attempted', { taskId: task.id, status: 200 })
    await eventually(
      () =>
        fieldsOf('A webhook was attempted').some(
          (fields) =>
            Reflect.has(fields, 'deliveryId') &&
            Reflect.get(fields, 'taskId') === task.id &&
            Reflect.get(fields, 'type') === 'task.ended',
        ),
      'a delivery',
    )
    await tenant.api.start('00000000-0000-4000-8000-000000000000', 'SECRET-TEA')
    await seen('A task was refused', { workspaceId, code: 'session_not_found' })

    const { json: key } = await tenant.api.post('/v1/api-keys', { name: 'SECRET-NAME' })
    await seen('A key was created', { workspaceId, keyId: key.id, type: 'secret' })
    await tenant.api.ask('DELETE', `/v1/api-keys/${key.id}`)
    await seen('A key was deleted', { workspaceId, keyId: key.id })

    const person = { email: 'SECRET-PERSON@example.com', password: 'SECRET-PASSWORD', name: 'SECRET-NAME' }
    await tenant.api.post('/api/auth/sign-in/email', person)
    await seen('A sign-in was refused', { status: 401 })
    await tenant.api.post('/api/auth/sign-up/email', person)
    await eventually(() => fieldsOf('A user signed in').length === 1, 'a sign-in', 5_000)

    await tenant.api.post('/dashboard/key', `key=${tenant.api.key}`, {
      origin: live.service.url,
      'content-type': 'application/x-www-form-urlencoded',
    })
    await seen('Signed in to the pages with a key', { kind: 'key' })

    browser.disconnect()
    await seen('A browser is disconnected', { sessionId })
    await tenant.api.ask('DELETE', `/v1/browser-sessions/${sessionId}`)
    await seen('A browser session was removed', { sessionId, workspaceId })

    await tenant.api.get(`/v1/tasks/${task.id}?token=SECRET-QUERY`)
    await seen('A request was answered', { method: 'GET', route: '/v1/tasks/:id', status: 200, workspaceId })
    await seen('A request was answered', { method: 'POST', route: '/v1/tasks', status: 404, keyId: tenant.keyId })
    const timed = ['A task ended', 'A webhook was attempted', 'A browser is disconnected', 'A request was answered']
    for (const fields of timed.flatMap(fieldsOf)) assert.type(Reflect.get(fields, 'ms'), 'number')

    const all = JSON.stringify(lines)
    for (const secret of ['SECRET', token, key.key, tenant.api.key, 'Done.'])
      assert.not.ok(all.includes(secret), secret)
  } finally {
    await Promise.all([live.close(), closeReceivers()])
  }
})

test('[O4] an answer of 500 and more is an error in the log', () => {
  const log = memoryLog()
  const answered = { requestId: 'r', method: 'GET', route: '/v1/me', ms: 1, workspaceId: null, keyId: null }
  for (const status of [200, 499, 500, 503]) createActivityLog(log).request({ ...answered, status })
  assert.equal(
    log.lines.map(({ level }) => level),
    ['info', 'info', 'error', 'error'],
  )
})

test('requests are not logged unless LOG_REQUESTS is on', async () => {
  const live = await openLive({ transport: 'uws', store: 'lmdb' })
  try {
    const tenant = await live.workspace()
    await tenant.api.get('/v1/tasks')
    assert.equal(
      live.log.lines.filter(({ message }) => message === 'A request was answered'),
      [],
    )
  } finally {
    await live.close()
  }
})

test.run()
