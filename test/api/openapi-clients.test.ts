import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import { webhookBody } from '../../actors/task-webhook.ts'
import { webhookBodyOf, webhookEventOf } from '../../actors/webhook-events.ts'
import { LOG_TYPES } from '../../machines/task-log.ts'
import { WEBHOOK_TYPES } from '../../machines/webhook-records.ts'
import { ROUTE_TEXTS } from '../../src/api/openapi/route-texts.ts'
import { WEBHOOKS } from '../../src/api/openapi/webhooks.ts'
import { makeSurface } from '../support/http-surface.ts'
import { type Operation, plainDocument, type Schema } from '../support/openapi-document.ts'
import { anEnding, aTask } from '../support/stores.ts'

const surface = await makeSurface()
const document = plainDocument(surface)

const schemas: Record<string, Schema> = document.components.schemas
/** Whether a field is made of others, each of which has an example of its own. */
const isMade = ({ $ref, properties, items, anyOf = [] }: Schema): boolean =>
  $ref !== undefined || properties !== undefined || [items, ...anyOf].some((one) => one !== undefined && isMade(one))

const operations = (): [string, string, Operation][] =>
  Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [method, path, operation]),
  )
/** A schema with the keywords that say of what type a value is. */
interface Typed extends Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Typed>>
  readonly items?: Typed
  readonly anyOf?: readonly Typed[]
  readonly allOf?: readonly Typed[]
}
const operation = (method: string, path: string): Operation => document.paths[path][method]

const test = suite('openapi for clients')

test('[P9] bodies and answers have names', () => {
  const unnamed = operations().flatMap(([method, path, { requestBody, responses }]) =>
    [requestBody, ...Object.values(responses)].flatMap((one) => {
      const schema = one?.content?.['application/json']?.schema as Schema | undefined
      const isNamed = !schema || [schema, ...(schema.anyOf ?? [])].some(({ $ref }) => $ref !== undefined)
      return isNamed || path === '/v1/billing/webhook' ? [] : [`${method} ${path}`]
    }),
  )
  assert.equal(unnamed, [])
  assert.equal(schemas.TaskSummary?.properties?.ended_by?.anyOf?.[0]?.enum?.slice(0, 2), ['completed', 'step_limit'])
  assert.ok(schemas.Step?.properties?.status?.enum?.includes('tool_use'))
})
test('[P9] every field has a description and one example', () => {
  const walk = (where: string, { properties = {}, items, anyOf = [] }: Schema): string[] => [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description && (field.examples?.length === 1 || isMade(field)) ? [] : [`${where}.${name}`]),
      ...walk(`${where}.${name}`, field),
    ]),
    ...[items, ...anyOf].flatMap((one) => (one ? walk(where, one) : [])),
  ]
  assert.equal(
    Object.entries(schemas).flatMap(([name, schema]) => walk(name, schema)),
    [],
  )
})
test('[P9] a union that is told apart by a field names its schemas', () => {
  const unions: { oneOf: Schema[]; discriminator: { mapping: Record<string, string> } }[] = []
  JSON.stringify(document, (_, value) => {
    if (value?.discriminator) unions.push(value)
    return value
  })
  assert.ok(unions.length >= 2)
  for (const { oneOf, discriminator } of unions)
    assert.equal(
      Object.values(discriminator.mapping),
      oneOf.map(({ $ref }) => $ref),
    )
})
test('[P9] an example is of the type of its field', () => {
  const typeOf = (value: unknown) =>
    value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value
  const walk = (where: string, { properties = {}, items, anyOf = [], allOf = [] }: Typed): string[] => [
    ...Object.entries(properties).flatMap(([name, field]) => {
      const types = [field.type ?? []].flat()
      const allowed = [...types, ...(types.includes('number') ? ['integer'] : [])]
      const wrong = (field.examples ?? []).filter((example) => types.length > 0 && !allowed.includes(typeOf(example)))
      return [...wrong.map((example) => `${where}.${name}: ${example}`), ...walk(`${where}.${name}`, field)]
    }),
    ...[items, ...anyOf, ...allOf].flatMap((one) => (one ? walk(where, one) : [])),
  ]
  const all = Object.entries(schemas).flatMap(([name, schema]) => walk(name, schema as Typed))
  assert.equal(all, [])
})
test('[P9] every route and parameter has a text, an example, and a name for clients', () => {
  const bad = operations().flatMap(([method, path, operation]) => {
    const { operationId, description, parameters, requestBody } = operation as Operation & Record<string, unknown>
    const where = `${method} ${path}`
    const media = Object.values(requestBody?.content ?? {})[0] as { example?: unknown } | undefined
    return [
      ...(/^[a-z]+(?:[A-Z][a-z]+)+$/.test(operationId) && description ? [] : [where]),
      ...(ROUTE_TEXTS[`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`] ? [] : [`${where}: text`]),
      ...(media && media.example === undefined ? [`${where}: example`] : []),
      ...parameters.filter((one) => !('description' in one && 'example' in one)).map(({ name }) => `${where}: ${name}`),
    ]
  })
  assert.equal(bad, [])
  assert.is(operation('post', '/v1/tasks').operationId, 'createTask')
})
test('[P9] what the service sends is described, and is what it sends', () => {
  const nameOf = (type: string) => type.replace(/\.(.)/, (_, letter) => letter.toUpperCase())
  const types = [...WEBHOOK_TYPES, 'webhook.test']
  assert.equal(Object.keys(document.webhooks), ['taskCompleted', 'taskFailed', ...types.map(nameOf)])
  const record = aTask()
  const ending = anEnding(record.id)
  const isAs = (name: string, body: unknown) => v.is(WEBHOOKS[name]?.body ?? v.never(), body)
  assert.ok(isAs('taskCompleted', webhookBody(record, ending)))
  assert.ok(isAs('taskFailed', webhookBody(record, { ...ending, status: 'error', endedBy: 'crash' })))
  const event = { seq: 1, at: 1, task_id: record.id, type: 'message.received', text: 'Hello' } as const
  assert.ok(isAs('messageReceived', JSON.parse(webhookBodyOf(webhookEventOf(event)))))
})
test('[P9] each type of event has a schema of its own, and clients tell them apart by its type', () => {
  const { oneOf, discriminator } = document.components.schemas.Event
  assert.equal(discriminator.propertyName, 'type')
  assert.equal(Object.keys(discriminator.mapping), LOG_TYPES)
  assert.equal(
    oneOf.map(({ $ref }: { $ref: string }) => $ref),
    Object.values(discriminator.mapping),
  )
  for (const [type, ref] of Object.entries(discriminator.mapping as Record<string, string>)) {
    const schema = document.components.schemas[ref.replace('#/components/schemas/', '')]
    assert.is(schema.properties.type.const, type)
    assert.is(schema.properties.type.description, 'What happened.')
  }
})
test('[P9] the server is PUBLIC_URL, or where the document was read', async () => {
  assert.is(document.servers[0].url, '/')
  const config = { ...surface.deps.config, publicUrl: 'https://svc.example.com' }
  const other = await makeSurface({ config })
  assert.is((await other.ask('GET', '/openapi.json')).json.servers[0].url, 'https://svc.example.com')
})

test.run()
