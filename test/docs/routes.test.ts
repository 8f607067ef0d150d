import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { routesOf } from '../../src/api/handle.ts'
import { routerOf } from '../../src/api/path-match.ts'
import { makeSurface } from '../support/http-surface.ts'

const router = routerOf(routesOf((await makeSurface()).deps))
const documents = [
  'README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
]

/** The paths of the API that a text names, with the method where it stands before one. */
const named = (text: string) =>
  [...text.matchAll(/\b(?:(GET|POST|PATCH|DELETE|HEAD)\s+)?(?:http:\/\/[\w.:]+)?(\/v1\/[\w/:.<>{}-]*[\w>}])/g)].map(
    ([, method, path = '']) => ({ method, path: path.replace(/<\w+>|\{\w+\}/g, ':id') }),
  )
const exists = (method: string | undefined, path: string) =>
  (method === undefined ? ['GET', 'POST', 'PATCH', 'DELETE'] : [method === 'HEAD' ? 'GET' : method]).some(
    (one) => router.find(one, path) !== null,
  )

const test = suite('routes in the documents')

test('a route is found with its method, in a curl command and in a table', () => {
  assert.equal(named('`POST /v1/tasks/:id/cancel`, curl http://127.0.0.1:3456/v1/tasks/<id>.'), [
    { method: 'POST', path: '/v1/tasks/:id/cancel' },
    { method: undefined, path: '/v1/tasks/:id' },
  ])
  assert.is(exists('POST', '/v1/tasks/x/cancel'), true)
  assert.is(exists('GET', '/v1/tasks/x/cancel'), false)
})
for (const document of documents) {
  test(`[P4] ${document} names no route that does not exist`, () => {
    const wrong = named(readFileSync(document, 'utf8')).filter(({ method, path }) => !exists(method, path))
    assert.equal(wrong, [])
  })
}
test('[P4] every route is named in the documents', () => {
  const all = documents.flatMap((document) => named(readFileSync(document, 'utf8')))
  const found = new Set(
    all.flatMap(({ method, path }) =>
      (method ? [method] : ['GET', 'POST', 'DELETE']).flatMap((one) => router.find(one, path)?.route ?? []),
    ),
  )
  const missing = router.routes.filter((route) => !found.has(route)).map(({ method, path }) => `${method} ${path}`)
  assert.equal(missing, [])
})

test.run()
