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

/** The text of an example, by its label. */
const exampleOf = (page: string, label: string): RegExpExecArray | string[] =>
  (new RegExp(`aria-label="${label}"[^>]*><code>([\\s\\S]*?)</code>`).exec(page) ?? []).map((text) =>
    text
      .replaceAll(/<\/?span[^>]*>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )

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
  const sent: unknown[] = []
  const fetch = async (address: string, { method = 'GET', body }: { method?: string; body?: string } = {}) => {
    sent.push([method, new URL(address).pathname, body === undefined ? undefined : JSON.parse(body)])
    return new Response('{}')
  }
  for (const { path, method, operationId, security } of operations) {
    assert.ok(answer.text.includes(`<h3 id="${operationId}">`), operationId)
    assert.ok(answer.text.includes(`<a href="#${operationId}">`), operationId)
    const [, request = ''] = exampleOf(answer.text, `Request: ${operationId}`)
    assert.ok(request.includes(`http://localhost:3456${path}`), operationId)
    assert.is(request.includes('BROWSER_TASK_KEY'), security.length > 0, operationId)
    const [, typescript = ''] = exampleOf(answer.text, `TypeScript: ${operationId}`)
    if (!typescript.includes('body: file')) {
      const run = new Function('fetch', 'process', 'console', `return (async () => {${typescript}})()`)
      await run(fetch, { env: {} }, { log() {} })
      const [, json] = /--json '([\s\S]*)'$/.exec(exampleOf(answer.text, `Request: ${operationId}`)[1] ?? '') ?? []
      const expected = json === undefined ? undefined : JSON.parse(json.replaceAll("'\\''", "'"))
      assert.equal(sent.pop(), [method.toUpperCase(), path.replaceAll('{', '%7B').replaceAll('}', '%7D'), expected])
    }
    const found = await ask(port, `/docs/search?q=${encodeURIComponent(`${method} ${path}`)}`)
    assert.ok(found.text.includes(`/docs/api#${operationId}"`), `${method} ${path} is not found`)
  }
  assert.match(
    exampleOf(answer.text, 'Request: createTask')[1] ?? '',
    /--json '\{\s*"task": "[\s\S]*browser_session_id/,
  )
  assert.match(exampleOf(answer.text, 'Response 201: createTask')[1] ?? '', /^\{\n/)
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
  assert.match(answer.text, /<h3 id="listTasks">List tasks<\/h3>/)
})

test.run()
