import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { routesOf } from '../../src/api/handle.ts'
import { openApiOf } from '../../src/api/openapi.ts'
import { aKey, aMember, aWorkspace, fakeAccounts, makeSurface } from '../support/http-surface.ts'
import { refusalOf } from '../support/refusal.ts'

const members = new Map()
const surface = await makeSurface({ accounts: fakeAccounts(members) })
const { ask } = surface
const { key } = await aKey(surface)
members.set('ann', aMember('ann', [await aWorkspace(surface)]))
const routes = routesOf(surface.deps).filter(({ body }) => body !== null && typeof body !== 'string')
const start = { task: 'Buy tea', browser_session_id: randomUUID() }

/** What the seed of this service fixes: such a body may have fields of later versions. */
const FIXED: Readonly<Record<string, object>> = {
  'POST /v1/tasks': start,
  'POST /v1/tasks/:id/cancel': {},
  'POST /v1/browser-sessions/pair': {},
  'POST /v1/browser-sessions/register': { pairing_token: 'none' },
  'POST /v1/api-keys': { name: 'a' },
}

const test = suite('unknown fields')

for (const { method, path, access } of routes) {
  const by = access === 'user' ? { headers: { cookie: 'session=ann' } } : { key }
  const name = `${method} ${path}`
  const at = path.replace(/:\w+/g, randomUUID())
  const good = FIXED[name]
  if (good === undefined)
    test(`[E29] ${name} refuses a field that it does not know, and names it`, async () => {
      for (const field of ['happenings', 'constructor', '__proto__']) {
        const answer = await ask(method, at, { ...by, body: `{"${field}": []}` })
        assert.equal(
          [answer.status, answer.json],
          [400, refusalOf(`/${field}`, `Unknown field: ${field}`, 'unknown_field')],
        )
        assert.is(answer.headers.warning, undefined)
      }
    })
  else
    test(`[E29] ${name} warns of a field that it does not know`, async () => {
      const known = await ask(method, at, { key, body: good })
      assert.is(known.headers.warning, undefined)
      const answer = await ask(method, at, { key, body: { ...good, events: [] } })
      assert.equal([answer.status, answer.headers.warning], [known.status, '299 - "Unknown field: events"'])
    })
}

test('[E29] an endpoint for some types is not made one for all by a wrong name', async () => {
  const answer = await ask('POST', '/v1/webhook_endpoints', {
    key,
    body: { url: 'https://example.com/hook', events: ['task.completed'] },
  })
  assert.equal([answer.status, answer.json.code], [400, 'unknown_field'])
  const list = await ask('GET', '/v1/webhook_endpoints', { key })
  assert.equal(list.json.webhook_endpoints, [])
})

test('[E29] names in a warning are five at most, short, and end no header', async () => {
  const names = ['a"b\\', 'x\r\nSet-Cookie: y', 'é', 'n'.repeat(5_000), 'constructor', 'sixth']
  const body = { ...start, ...Object.fromEntries(names.map((name) => [name, 1])) }
  const { headers } = await ask('POST', '/v1/tasks', { key, body })
  assert.is(
    headers.warning,
    ['a?b?', 'x??Set-Cookie: y', '?', 'n'.repeat(100), 'constructor']
      .map((name) => `299 - "Unknown field: ${name}"`)
      .join(', '),
  )
})

test('[E29] a replayed answer warns as well', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  for (const replayed of [undefined, 'true']) {
    const answer = await ask('POST', '/v1/tasks', { key, headers, body: { ...start, events: 1 } })
    assert.equal(
      [answer.status, answer.headers['idempotent-replayed'], answer.headers.warning],
      [201, replayed, '299 - "Unknown field: events"'],
    )
  }
})

test('[E29] the document forbids other fields where the service does', () => {
  const { paths, components } = openApiOf(routesOf(surface.deps), 'dev') as {
    // biome-ignore lint/suspicious/noExplicitAny: JSON of the document
    [part: string]: any
  }
  for (const { method, path } of routes) {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    const { schema } = operation.requestBody.content['application/json']
    const named = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema
    const isFixed = `${method} ${path}` in FIXED
    assert.is(named.additionalProperties, isFixed ? undefined : false, path)
    assert.is(operation.responses[400]['x-codes'].includes('unknown_field'), !isFixed, path)
  }
})

test.run()
