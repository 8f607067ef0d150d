import { randomBytes } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { aKey, aWorkspace, makeSurface } from '../support/http-surface.ts'
import { type Operation, plainDocument } from '../support/openapi-document.ts'
import { aTask } from '../support/stores.ts'

const surface = await makeSurface({ secretBox: createSecretBox(randomBytes(32)) })
const workspace = await aWorkspace(surface)
const { key } = await aKey(surface, workspace.id)
const document = plainDocument(surface)

type Parameter = Operation['parameters'][number] & { readonly example?: unknown }
type Documented = Omit<Operation, 'parameters'> & { readonly parameters: Parameter[] }
const operations = Object.entries(document.paths as Record<string, Record<string, Documented>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
)

const query = (name: string, example: unknown): string =>
  typeof example === 'object'
    ? Object.entries(example ?? {})
        .map(([part, value]) => query(`${name}[${part}]`, value))
        .join('&')
    : `${encodeURIComponent(name)}=${encodeURIComponent(String(example))}`

/** The request of an operation with all of its examples. */
function exampleOf({ method, path, operation: { parameters, requestBody } }: (typeof operations)[number]) {
  const of = (where: string) => parameters.filter((one) => one.in === where)
  const target = of('path').reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  const search = of('query')
    .map(({ name, example }) => query(name, example))
    .join('&')
  const media = requestBody?.content['application/json'] as { readonly example?: unknown } | undefined
  const headers = Object.fromEntries(of('header').map(({ name, example }) => [name.toLowerCase(), String(example)]))
  delete headers['x-workspace-id']
  return [
    method.toUpperCase(),
    search === '' ? target : `${target}?${search}`,
    { key, headers, body: media?.example },
  ] as const
}

/** Their examples are for others: the provider signs its events, and the operator sets what an owner may not. */
const NOT_AS_THEY_STAND = ['/v1/billing/webhook', '/v1/limits']

const test = suite('examples of the document')

for (const operation of operations) {
  const { method, path } = operation
  if (NOT_AS_THEY_STAND.includes(path)) continue
  test(`[P29] ${method.toUpperCase()} ${path} understands its own example`, async () => {
    const { status, json } = await surface.ask(...exampleOf(operation))
    assert.is.not(status, 400, JSON.stringify(json))
  })
}

test('[P29] the example of a start is a start, and that of a rerun, too', async () => {
  const before = aTask({ workspaceId: workspace.id, status: 'complete' })
  const [start, rerun] = ['/v1/tasks', '/v1/tasks/{id}/rerun'].map((path) =>
    operations.find((one) => one.path === path && one.method === 'post'),
  )
  assert.ok(start && rerun)
  const [, path, { body }] = exampleOf(start)
  const { continue_task_id, model, ...fields } = body as Record<string, unknown>
  for (const id of [continue_task_id, before.id])
    surface.taskService.tasksById.set(String(id), { ...before, id: String(id), state: 'closed' })
  const more = { ...fields, continue_task_id, model: surface.taskService.models()[0] }
  assert.is((await surface.ask('POST', path, { key, body: more })).status, 201)
  assert.is((await surface.ask('POST', `/v1/tasks/${before.id}/rerun`, { key, body: more })).status, 201)
  assert.is(typeof model, 'string')
})

test('[P29] a field that may be null has no default: generated clients do not require it', () => {
  assert.not.match(JSON.stringify(document.components.schemas), '"default":null')
})

test('[P29] the example of an error says what its code says', () => {
  const { responses } = document.paths['/v1/tasks'].post
  for (const [status, error] of [
    ['409', 'Browser not connected'],
    ['404', 'Browser session not found'],
  ])
    assert.is(responses[status as string].content['application/json'].example.error, error)
  for (const status of ['409', '429', '503']) assert.ok('Retry-After' in responses[status].headers, status)
})

test.run()
