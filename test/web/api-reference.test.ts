import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { referenceExamples } from '../docs/reference.ts'
import { makeSurface } from '../support/http-surface.ts'
import { plainDocument } from '../support/openapi-document.ts'
import { ask, depsOf, isPage, serve } from './world.ts'

const test = suite('the reference of the API')

interface Operation {
  readonly operationId: string
  readonly summary: string
}

let closeServer = async () => {}
test.after(() => closeServer())

test('[P25] every operation has its place, its search result, a request to copy and an answer', async () => {
  const document = plainDocument(await makeSurface())
  const { port, close } = await serve(depsOf({ openApi: () => document }))
  closeServer = close
  const answer = await ask(port, '/docs/api')
  isPage(answer)
  const paths = document.paths as Record<string, Record<string, Operation>>
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  assert.ok(operations.length > 40)
  const reference = await referenceExamples()
  for (const { path, method, operationId, summary } of operations) {
    // A title says what to do.
    assert.match(summary, /^[A-Z][a-z]+ [a-zA-Z -]+$/, operationId)
    assert.not.match(summary, /^(The|A|An|What|Whether|Who|Each)\b/, operationId)
    assert.ok(answer.text.includes(`<h3 id="${operationId}">${summary}</h3>`), operationId)
    assert.ok(answer.text.includes(`<a href="#${operationId}">${summary} <span class="method ${method}">`), operationId)
    const found = await ask(port, `/docs/search?q=${encodeURIComponent(`${method} ${path}`)}`)
    assert.ok(found.text.includes(`#${operationId}"`), `${method} ${path} is not found`)
  }
  assert.match(reference.answerOf('createTask', '201') ?? '', /^\{\n {2}"id": "[\s\S]*"status": "running"/)
  assert.match(reference.answerOf('listTaskEvents', '200') ?? '', /^id: 1\nevent: task\.created\ndata: \{/)
  // Each type is described once, and whatever names it leads there.
  const types = [...answer.text.matchAll(/ id="type-(\w+)">/g)].map(([, name]) => name)
  assert.ok(types.length > 20)
  assert.is(new Set(types).size, types.length)
  for (const [, name] of answer.text.matchAll(/href="#type-(\w+)"/g)) assert.ok(types.includes(name), name)
  assert.match(
    answer.text,
    /Query parameters<\/h4>\s*<dl class="properties"><div><dt><code>limit<\/code> <span class="quiet">integer, 1 to 100, default 50/,
  )
  // What one operation alone takes stands where it is taken.
  assert.match(
    answer.text,
    /<h4 id="type-CreateTaskBody">Body<\/h4>[\s\S]{0,900}<code>task<\/code>[\s\S]{0,200}class="required"/,
  )
})

test.run()
