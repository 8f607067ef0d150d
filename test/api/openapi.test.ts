import { Validator } from '@seriousme/openapi-schema-validator'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { routesOf } from '../../src/api/handle.ts'
import { TaskListQuery } from '../../src/wire/tasks.ts'
import { makeSurface } from '../support/http-surface.ts'
import { expanded, type Operation, plainDocument, type Schema } from '../support/openapi-document.ts'

const surface = await makeSurface()
const routes = routesOf(surface.deps)
const document = plainDocument(surface)
const sent = (await surface.ask('GET', '/openapi.json')).json

const schemas: Record<string, Schema> = document.components.schemas
const bare = ({ description, examples, ...schema }: Schema = {}) => schema
const operations = (): [string, string, Operation][] =>
  Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [method, path, operation]),
  )
const operation = (method: string, path: string): Operation => document.paths[path][method]

const test = suite('openapi')

test('[P4] anybody may read it, as OpenAPI 3.1', async () => {
  const { status, headers } = await surface.ask('GET', '/openapi.json')
  assert.is(status, 200)
  assert.is(headers['content-type'], 'application/json')
  assert.match(document.openapi, /^3\.1\./)
  assert.is(document.info.version, 'dev')
})
test('[P4] it is valid: a validator of its own says so, and says what is wrong with a broken one', async () => {
  assert.equal(await new Validator().validate(structuredClone(sent)), { valid: true })
  const broken = { ...structuredClone(sent), paths: { '/v1/tasks': { get: { responses: 'none' } } } }
  assert.is((await new Validator().validate(broken)).valid, false)
})
test('[P4] what is sent is the same with its references followed, and takes less than 3 KB for each operation', () => {
  assert.ok(JSON.stringify(sent).length < operations().length * 3_000, `${JSON.stringify(sent).length}`)
  for (const [method, path, { parameters, responses, requestBody, ...rest }] of operations()) {
    const short = sent.paths[path][method]
    const one = expanded(short, sent)
    const where = `${method} ${path}`
    const parametersOf = (of: Operation['parameters']) => of.map((each) => ({ required: false, ...each }))
    assert.equal(parametersOf(one.parameters), parameters, where)
    for (const [key, value] of Object.entries(rest)) {
      const usual = { security: sent.security, description: one.summary } as Record<string, unknown>
      assert.equal(one[key] ?? usual[key], value, `${where} ${key}`)
    }
    assert.equal(one.requestBody?.required, requestBody?.required || undefined, where)
    assert.equal(Object.keys(one.responses), Object.keys(responses), where)
    for (const [status, { description, headers = {}, content }] of Object.entries(responses)) {
      const answer = one.responses[status]
      assert.is(answer.description, description, `${where} ${status}`)
      // A response that several operations share has the headers of each.
      assert.equal({ ...answer.headers, ...headers }, answer.headers ?? {}, `${where} ${status}`)
      const schemaOf = (of: typeof content) => Object.entries(of ?? {}).map(([type, { schema }]) => [type, schema])
      assert.equal(schemaOf(answer.content), schemaOf(content), `${where} ${status}`)
    }
  }
  const fieldsOf = ({ allOf = [], properties = {}, required = [] }: Extended): object =>
    Object.assign(
      asFields(properties, required),
      ...allOf.map((one) => fieldsOf(one.$ref ? sent.components.schemas[one.$ref.split('/').at(-1) ?? ''] : one)),
    )
  const isSent = ([name]: [string, unknown]) => name in sent.components.schemas
  // Other tools warn of schemas that no operation refers to.
  const unused = Object.keys(schemas).filter((name) => !JSON.stringify(sent).includes(`schemas/${name}"`))
  assert.equal(
    Object.keys(schemas).filter((name) => !(name in sent.components.schemas)),
    unused,
  )
  for (const [name, schema] of Object.entries(schemas).filter(isSent)) {
    const whole = fieldsOf(sent.components.schemas[name])
    assert.equal(sorted(whole), sorted(asFields(schema.properties ?? {}, schema.required ?? [])), name)
  }
})
interface Extended {
  readonly $ref?: string
  readonly allOf?: readonly Extended[]
  readonly properties?: object
  readonly required?: readonly string[]
}
/** Which fields there are, what they mean and which must be there. */
const asFields = (properties: object, required: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { description }]) => [name, [description, required.includes(name)]]),
  )
const sorted = (object: object) => Object.fromEntries(Object.entries(object).sort())

test('[P4] what must not be blank, and what must be a URL, is told to those who read the schemas', () => {
  const { task, url } = schemas.CreateTaskBody?.properties ?? {}
  assert.equal(bare(task), { type: 'string', pattern: '\\S', maxLength: 10_000 })
  assert.equal(bare(url), {
    anyOf: [{ type: 'string', maxLength: 2_048, format: 'uri' }, { type: 'null' }],
  })
})
test('[P4] it names exactly the routes that the router has', () => {
  const documented = operations().map(
    ([method, path]) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
  )
  assert.equal(documented.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort())
})
test('[P4] it names every route of the specification', () => {
  for (const [method, path] of [
    ['get', '/v1/health'],
    ['get', '/v1/debug-cookies'],
    ['get', '/v1/me'],
    ['post', '/v1/billing/webhook'],
    ['post', '/v1/browser-sessions/register'],
    ['post', '/v1/browser-sessions/pair'],
    ['get', '/v1/browser-sessions'],
    ['delete', '/v1/browser-sessions/{id}'],
    ['post', '/v1/tasks'],
    ['get', '/v1/tasks'],
    ['get', '/v1/tasks/{id}'],
    ['post', '/v1/tasks/{id}/cancel'],
    ['get', '/v1/tasks/{id}/steps'],
    ['get', '/v1/tasks/{id}/screenshots/{step}'],
    ['get', '/v1/usage'],
    ['get', '/v1/billing/credits'],
    ['post', '/v1/api-keys'],
    ['get', '/v1/api-keys'],
    ['delete', '/v1/api-keys/{id}'],
  ] as const) {
    assert.ok(operation(method, path), `${method} ${path}`)
  }
})
test('[P4] a start with every status and every code that it can be answered with', () => {
  const { responses } = operation('post', '/v1/tasks')
  assert.equal(Object.keys(responses).sort(), [
    '201',
    '400',
    '401',
    '402',
    '403',
    '404',
    '409',
    '413',
    '421',
    '422',
    '429',
    '500',
    '503',
  ])
  for (const status of ['201', '429']) {
    const { headers } = responses[status] as { headers?: object }
    assert.ok(Object.keys(headers ?? {}).includes('RateLimit'), `E27: ${status}`)
  }
  const codes = (status: string) => responses[status]?.description.split(', ')
  assert.equal(codes('400'), [
    'body_invalid',
    'task_required',
    'task_invalid',
    'context_invalid',
    'url_invalid',
    'browser_session_id_invalid',
    'webhook_url_invalid',
    'inputs_invalid',
    'recipe_invalid',
    'metadata_invalid',
    'output_schema_invalid',
    'approvals_invalid',
    'ask_user_invalid',
    'on_limit_invalid',
    'priority_invalid',
    'queue_ttl_s_invalid',
    'on_away_invalid',
    'wait_ttl_s_invalid',
    'model_invalid',
    'effort_invalid',
    'max_steps_invalid',
    'max_tokens_invalid',
    'max_cost_usd_invalid',
    'allowed_domains_invalid',
    'secrets_invalid',
    'continue_task_id_invalid',
    'files_invalid',
    'browser_invalid',
    'wait_s_invalid',
    'browser_session_id_required',
    'file_not_fetched',
    'idempotency_key_invalid',
  ])
  assert.equal(codes('402'), ['no_allowance', 'places_held'])
  assert.equal(codes('403')?.sort(), ['foreign_origin', 'publishable_key', 'role_not_allowed', 'session_forbidden'])
  assert.equal(codes('409'), [
    ...[
      'session_not_connected',
      'session_expired',
      'pool_empty',
      'pool_busy',
      'profile_busy',
      'task_running',
      'files_full',
    ],
    'recipe_missing',
    'idempotency_in_progress',
  ])
  assert.equal(codes('429'), [
    ...['rate_limited', 'too_many_running', 'queue_full', 'too_many_files', 'too_many_fetches', 'too_many_schemas'],
    'too_many_idempotency_keys',
  ])
})
test('[P4] a request body is what the route parses', () => {
  assert.equal(operation('post', '/v1/tasks').requestBody?.content['application/json']?.schema, {
    $ref: '#/components/schemas/CreateTaskBody',
  })
  const schema = schemas.CreateTaskBody
  assert.equal(Object.keys(schema?.properties ?? {}), [
    'task',
    'context',
    'url',
    'browser_session_id',
    'webhook_url',
    'inputs',
    'recipe',
    'metadata',
    'output_schema',
    'approvals',
    'ask_user',
    'on_limit',
    'priority',
    'queue_ttl_s',
    'on_away',
    'wait_ttl_s',
    ...['model', 'effort', 'max_steps', 'max_tokens', 'max_cost_usd', 'allowed_domains', 'secrets'],
    ...['continue_task_id', 'files', 'browser'],
  ])
  // [Z7] A browser, or a pool.
  assert.equal(schema?.required, ['task'])
})
test('[P4] a body may be left out where no field is required, and only there', () => {
  const required = (path: string) => operation('post', path).requestBody?.required
  assert.equal(['/v1/tasks', '/v1/api-keys', '/v1/billing/webhook'].map(required), [true, true, true])
  assert.equal(['/v1/browser-sessions/pair', '/v1/tasks/{id}/cancel'].map(required), [false, false])
})
test('[P4] parameters of path and query are named', () => {
  const names = (method: string, path: string) =>
    operation(method, path)
      .parameters.filter((one) => one.in !== 'header')
      .map((one) => `${one.in} ${one.name}`)
  assert.equal(
    names('get', '/v1/tasks'),
    Object.keys(TaskListQuery.entries).map((name) => `query ${name}`),
  )
  assert.equal(names('get', '/v1/tasks/{id}/screenshots/{step}'), ['path id', 'path step'])
  const limit = operation('get', '/v1/tasks').parameters.find((one) => one.name === 'limit')
  assert.equal(limit?.schema, { type: 'integer', minimum: 1, maximum: 100, default: 50 })
})
test('[P4] an image is binary, and nothing that clients would read as JSON', () => {
  const { content } = operation('get', '/v1/tasks/{id}/screenshots/{step}').responses['200'] ?? { content: {} }
  assert.equal(content, { 'image/jpeg': { schema: { type: 'string', format: 'binary' } } })
})
test('[P4] each operation has an id of its own, and says who may ask', () => {
  const all = operations().map(([, , { operationId }]) => operationId)
  assert.is(new Set(all).size, all.length)
  for (const [method, path, { security }] of operations()) {
    const route = routes.find(
      (one) => one.method.toLowerCase() === method && one.path === path.replace(/\{(\w+)\}/g, ':$1'),
    )
    assert.is(security.length > 0, route !== undefined && route.access !== 'open', path)
  }
})
test('[P4] every response that is JSON has a schema', () => {
  for (const [method, path, { responses }] of operations()) {
    for (const [status, { content }] of Object.entries(responses)) {
      if (status === '204') assert.is(content, undefined)
      else assert.ok((content['application/json'] ?? Object.values(content)[0])?.schema, `${method} ${path} ${status}`)
    }
  }
})

test.run()
