import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiPage } from '../../src/web/docs/api.ts'
import { makeSurface } from '../support/http-surface.ts'
import { plainDocument } from '../support/openapi-document.ts'

const test = suite('what the reference of the API shows')
const document = plainDocument(await makeSurface())
const NAMES = { typescript: 'client.tgz', python: 'client-1-py3-none-any.whl', service: 'service.tgz' }
const text = String(apiPage(document, NAMES).body)

/** A section of the page by the id of its heading. */
const sectionOf = (id: string): string =>
  new RegExp(`aria-labelledby="${id}">([\\s\\S]*?)</section>`).exec(text)?.[1] ?? ''

test('[P25] Idempotency-Key is among the headers of each operation that takes it', () => {
  for (const id of ['createTask', 'cancelTask', 'createApiKey']) assert.match(sectionOf(id), 'Idempotency-Key')
  assert.not.match(sectionOf('getTask'), 'Idempotency-Key')
})

test('[P25] each webhook is there with its fields and an example of its body', () => {
  const { webhooks } = document as unknown as { webhooks: Record<string, unknown> }
  assert.ok(Object.keys(webhooks).length > 8)
  for (const id of Object.keys(webhooks)) {
    const section = sectionOf(id)
    assert.match(section, `aria-label="Body: ${id}"`)
    assert.match(section, '<dl class="properties">', id)
  }
  assert.match(sectionOf('taskEnded'), /task\.ended/)
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.equal(
    ids.filter((id, at) => ids.indexOf(id) !== at),
    [],
    'ids that occur twice',
  )
})

test('[P45] the clients are named by their addresses', () => {
  for (const name of [NAMES.typescript, NAMES.python]) assert.ok(text.includes(`/clients/${name}`), name)
})

test.run()
