import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { REFUSALS } from '../../machines/texts.ts'
import { routesOf } from '../../src/api/handle.ts'
import { errorList, errorsOf } from '../../src/api/openapi/errors.ts'
import { ERRORS, refuse, refusedStart } from '../../src/api/refusals.ts'
import { docUrlOf } from '../../src/wire/errors.ts'
import { aKey, aWorkspace, makeSurface } from '../support/http-surface.ts'
import { refusal, refusalOf } from '../support/refusal.ts'
import { depsOf, serve, ask as visit } from '../web/world.ts'

const test = suite('where an error is')
const surface = await makeSurface()
const workspace = await aWorkspace(surface)
const { key } = await aKey(surface, workspace.id)
const start = { task: 'Buy tea', browser_session_id: randomUUID() }
const secret = { name: 'pin', value: '4711 4711', domains: ['shop.example'] }

const WRONG: readonly [name: string, body: object, pointer: string, code: string][] = [
  ['a field that is missing', { ...start, task: undefined }, '/task', 'task_required'],
  ['a field of another type', { ...start, url: 5 }, '/url', 'url_invalid'],
  ['a value of an object', { ...start, metadata: { order: 4711 } }, '/metadata/order', 'metadata_invalid'],
  [
    'a field of an object in a list',
    { ...start, secrets: [secret, { ...secret, name: 'my pin' }] },
    '/secrets/1/name',
    'secrets_invalid',
  ],
  [
    'an item of a list',
    { ...start, allowed_domains: ['a.example', '::'] },
    '/allowed_domains/1',
    'allowed_domains_invalid',
  ],
  [
    'a domain in an item',
    { ...start, secrets: [{ ...secret, domains: ['*.com'] }] },
    '/secrets/0/domains/0',
    'secrets_invalid',
  ],
  [
    'what only the start knows',
    { ...start, url: 'https://a.example', allowed_domains: ['b.example'] },
    '/url',
    'url_invalid',
  ],
  [
    'a secret that no page can have',
    { ...start, allowed_domains: ['b.example'], secrets: [secret] },
    '/secrets/0/domains',
    'secrets_invalid',
  ],
  ['a model that there is not', { ...start, model: 'none' }, '/model', 'model_invalid'],
  [
    'a place in a schema',
    { ...start, output_schema: { type: 'object', properties: { 'a/b~c d': { type: 'number', minimum: 'one' } } } },
    '/output_schema/properties/a~1b~0c d/minimum',
    'output_schema_invalid',
  ],
  [
    'a reference in a schema',
    { ...start, output_schema: { type: 'object', properties: { a: { $ref: '#/b' } } } },
    '/output_schema/properties/a/$ref',
    'output_schema_invalid',
  ],
]
for (const [name, body, pointer, code] of WRONG)
  test(`[E31] ${name}: ${pointer}`, async () => {
    const { status, json } = await surface.ask('POST', '/v1/tasks', { key, body })
    assert.is(status, 400, JSON.stringify(json))
    assert.equal(json, refusalOf(pointer, json.error, code))
    assert.ok(json.error.startsWith(json.param), json.error)
  })

for (const [path, param, code] of [
  ['/v1/tasks?limit=none', 'limit', 'limit_invalid'],
  ['/v1/tasks?cursor=%C3%BC', 'cursor', 'cursor_invalid'],
  ['/v1/tasks?cursor=none', 'cursor', 'cursor_invalid'],
  ['/v1/tasks?metadata[Order]=1', 'metadata', 'metadata_invalid'],
] as const)
  test(`[E31] a parameter of the query has a name and no pointer: ${path}`, async () => {
    const { status, json } = await surface.ask('GET', path, { key })
    assert.is(status, 400)
    assert.equal(json, refusal(json.error, code, { param }))
  })

test('[E31] what is about no field has neither', async () => {
  const { json } = await surface.ask('POST', '/v1/tasks', { key, body: '[]' })
  assert.equal(json, refusal('The body must be a JSON object', 'body_invalid'))
})

test('[E31] every code of every operation is on /docs/errors, with what it says', async () => {
  const routes = routesOf(surface.deps)
  const entries = errorList(routes)
  assert.equal(
    entries.filter(({ code, sentence }) => sentence === code).map(({ code }) => code),
    [],
  )
  const { port, close } = await serve(depsOf({ errors: () => entries }))
  const { text } = await visit(port, '/docs/errors')
  await close()
  for (const code of new Set(routes.flatMap((route) => Object.values(errorsOf(route)).flat())))
    assert.match(text, `<tr role="row" id="${code}">`)
})

test('[E13] what is over soon says when to come again', () => {
  for (const code of ['too_many_viewers', 'too_many_uploads', 'store_away', 'too_many_downloads'] as const)
    assert.ok(
      refuse(code).headers.some(([name]) => name === 'Retry-After'),
      code,
    )
  const stopping = { code: 'service_stopping', message: '', allowance: null, retryAfterSeconds: null } as const
  assert.ok(refusedStart(stopping).headers.some(([name]) => name === 'Retry-After'))
})

/** Every code that a source writes, beside those of the two tables. */
const written = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .flatMap((name) => [
    ...readFileSync(`src/${name}`, 'utf8').matchAll(/\b(?:errorBody|badField|badParameter|refuse)\(\s*'([a-z_]+)'/g),
  ])
  .map(([, code = '']) => code)

test('[E31] the doc_url of every code that a source names leads somewhere, those of no operation too', async () => {
  const codes = new Set([...Object.keys(ERRORS), ...Object.keys(REFUSALS), ...written])
  // Answered as `unauthorized`.
  codes.delete('key_invalid')
  for (const code of ['not_found', 'origin_not_allowed', 'auth_not_configured', 'owner_away'])
    assert.ok(codes.has(code))
  assert.ok(codes.size > 80)
  const { port, close } = await serve(depsOf({ errors: () => errorList(routesOf(surface.deps)) }))
  const lost: string[] = []
  for (const code of codes) {
    const { pathname, hash } = new URL(docUrlOf(code), 'http://svc.example')
    const { text } = await visit(port, pathname)
    if (!text.includes(`id="${hash.slice(1)}"`)) lost.push(code)
  }
  await close()
  assert.equal(lost, [])
})

test.run()
