import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey, makeSurface } from '../../support/http-surface.ts'

const test = suite('allowed_domains')

const surface = await makeSurface()
const { ask, taskService } = surface
const { key } = await aKey(surface)
const post = (fields: object) =>
  ask('POST', '/v1/tasks', { key, body: { task: 'Buy tea', browser_session_id: 's', ...fields } })

for (const [given, kept] of [
  [
    ['Example.com', '*.shop.example:8443'],
    ['example.com', '*.shop.example:8443'],
  ],
  [
    ['co.uk', '*.example.co.uk', '*.ann.github.io', '*.ck.example'],
    ['co.uk', '*.example.co.uk', '*.ann.github.io', '*.ck.example'],
  ],
  [null, null],
  [undefined, null],
] as const)
  test(`[F1] ${JSON.stringify(given)} is kept with the task`, async () => {
    assert.is((await post({ allowed_domains: given })).status, 201)
    assert.equal(taskService.started.at(-1)?.request.allowedDomains, kept)
  })

for (const given of [
  'example.com',
  [],
  [5],
  ['https://example.com'],
  ['*.com'],
  ['*.co.uk'],
  ['*.github.io:8443'],
  ['*.foo.ck'],
  ['*.xn--p1ai'],
  ['*', 'a.example'],
  Array(51).fill('a.example'),
])
  test(`[F1] [E11] ${JSON.stringify(given).slice(0, 40)} is 400 allowed_domains_invalid`, async () => {
    const { status, json } = await post({ allowed_domains: given })
    assert.equal([status, json.code], [400, 'allowed_domains_invalid'])
    assert.match(json.error, /^allowed_domains must /)
  })

test('[F1] the url of the task must be within the domains', async () => {
  const { status, json } = await post({ allowed_domains: ['example.com'], url: 'https://evil.example/' })
  assert.equal([status, json.code, json.error], [400, 'url_invalid', 'url must be within allowed_domains'])
  assert.is((await post({ allowed_domains: ['example.com'], url: 'https://www.example.com/tea' })).status, 201)
})

test('[F1] a rerun is confined as its task was, and its url is looked at again', async () => {
  const { json } = await post({ allowed_domains: ['example.com'], url: 'https://example.com/' })
  const rerun = (body: object) => ask('POST', `/v1/tasks/${json.id}/rerun`, { key, body })
  assert.is((await rerun({})).status, 201)
  assert.equal(taskService.started.at(-1)?.request.allowedDomains, ['example.com'])
  assert.is((await rerun({ url: 'https://evil.example/' })).status, 400)
  assert.is((await rerun({ allowed_domains: ['evil.example'], url: 'https://evil.example/' })).status, 201)
})

test.run()
