import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSurface } from '../support/http-surface.ts'
import { plainDocument } from '../support/openapi-document.ts'
import { ask, depsOf, isPage, serve } from './world.ts'

const test = suite('the reference of the API')

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security: readonly unknown[]
}

test('[P25] every operation has its place, its search result, a request to copy and an answer', async () => {
  const document = plainDocument(await makeSurface())
  const { port, close } = await serve(depsOf({ openApi: () => document }))
  const answer = await ask(port, '/docs/api')
  isPage(answer)
  const paths = document.paths as Record<string, Record<string, Operation>>
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  assert.ok(operations.length > 40)
  for (const { path, method, operationId, security } of operations) {
    assert.ok(answer.text.includes(`<h3 id="${operationId}">`), operationId)
    assert.ok(answer.text.includes(`<a href="#${operationId}">`), operationId)
    const request = answer.text.split(`aria-label="Request: ${operationId}"`)[1]?.split('</pre>')[0] ?? ''
    assert.ok(request.includes(`http://localhost:3456${path}`), operationId)
    assert.is(request.includes('BROWSER_TASK_KEY'), security.length > 0, operationId)
    const found = await ask(port, `/docs/search?q=${encodeURIComponent(`${method} ${path}`)}`)
    assert.ok(found.text.includes(`/docs/api#${operationId}"`), `${method} ${path} is not found`)
  }
  const [start] = answer.text.split('aria-label="Request: createTask"').slice(1)
  assert.match(start ?? '', /--json &#39;\{&quot;task&quot;:&quot;[^}]*browser_session_id/)
  assert.match(answer.text, /aria-label="Response 201: createTask"><code>\{\n/)
  await close()
})

test.run()
