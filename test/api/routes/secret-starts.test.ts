import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { foundBy } from '../../../machines/fingerprints.ts'
import { createSecretBox } from '../../../src/identity/secret-box.ts'
import { sealedFingerprints } from '../../../src/wire/secrets.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { aTask } from '../../support/stores.ts'

const test = suite('what secrets mean for a start')

const box = createSecretBox(randomBytes(32))
const surface = await makeSurface({ secretBox: box })
const { taskService } = surface
const { key, workspaceId } = await aKey(surface)
const password = { name: 'password', value: 'Tr0ub4dor', domains: ['*.shop.example', 'id.example'] }
const known = { name: 'password', kind: 'value' as const, domains: password.domains, description: null }
const ask = (path: string, body: object) => surface.ask('POST', path, { key, body })
const post = (more: object) => ask('/v1/tasks', { task: 'Sign in', browser_session_id: randomUUID(), ...more })
const started = () => taskService.started.at(-1)?.request

const ended = (allowedDomains: readonly string[]) => {
  const record = aTask({ workspaceId, status: 'complete', url: null, secrets: [known], allowedDomains })
  taskService.tasksById.set(record.id, { ...record, state: 'closed', failure: null })
  return record
}

test('[X13] a continuation has the fingerprints of the task before, sealed for itself, and its own', async () => {
  assert.is((await post({ secrets: [password] })).status, 201)
  const first = taskService.started.at(-1)
  const record = { ...ended(['shop.example']), id: randomUUID(), fingerprints: undefined as string | undefined }
  record.fingerprints = sealedFingerprints(record.id, [{ ...known, value: 'Tr0ub4dor' }], null, box)
  taskService.tasksById.set(record.id, { ...record, state: 'closed', failure: null } as never)
  assert.is((await post({ continue_task_id: record.id })).status, 201)
  const second = taskService.started.at(-1)
  assert.is((await post({ continue_task_id: record.id, secrets: [{ ...password, value: 'another' }] })).status, 201)
  const third = taskService.started.at(-1)
  assert.is((await post({})).status, 201)
  assert.equal([taskService.started.at(-1)?.fingerprints, second?.secrets], [undefined, undefined])
  const of = (task: typeof first) => JSON.parse(box.open(task?.fingerprints ?? '', task?.taskId ?? ''))
  assert.equal([of(first).length, of(second).length, of(third).length], [1, 1, 2])
  assert.equal(
    foundBy(of(second), 'is Tr0ub4dor').map(({ name }) => name),
    ['password'],
  )
})

test('[X14] what is less safe than it may look is warned of, without a word of a value', async () => {
  const warningOf = async (more: object) => {
    const { status, headers } = await post(more)
    assert.is(status, 201)
    return headers.warning ?? null
  }
  assert.is(await warningOf({ secrets: [password] }), null)
  assert.is(await warningOf({ allowed_domains: ['*'] }), null)
  const pin = { ...password, name: 'pin', value: '4711' }
  const short = '299 - "secrets pin: a value this short is taken out of texts as a whole word alone"'
  const everywhere = '299 - "allowed_domains *: pages that read a secret may send it anywhere"'
  assert.is(await warningOf({ secrets: [pin] }), short)
  assert.is(await warningOf({ secrets: [password], allowed_domains: ['*'] }), everywhere)
  assert.is(await warningOf({ secrets: [password, pin], allowed_domains: ['*'] }), `${short}, ${everywhere}`)
})

for (const [more, domains] of [
  [{}, null],
  [{ secrets: [password] }, ['*.shop.example', 'id.example']],
  [{ secrets: [password], url: 'http://127.0.0.1:8080/a' }, ['*.shop.example', 'id.example', '127.0.0.1:8080']],
  [{ secrets: [password], allowed_domains: ['www.shop.example'] }, ['www.shop.example']],
  [{ secrets: [password], allowed_domains: ['*'], url: 'https://other.example' }, null],
  [{ allowed_domains: ['*'] }, null],
] as const)
  test(`[X11] [F1] ${JSON.stringify(more)} is confined to ${JSON.stringify(domains)}`, async () => {
    assert.is((await post(more)).status, 201)
    assert.equal(started()?.allowedDomains ?? null, domains)
  })

test('[F1] "*" stands alone', async () => {
  const { status, json } = await post({ allowed_domains: ['*', 'shop.example'] })
  assert.equal([status, json.code], [400, 'allowed_domains_invalid'])
})

test('[X11] more domains of secrets than a task may name are asked for', async () => {
  const many = (from: number) => Array.from({ length: 30 }, (_, at) => `a${from + at}.example`)
  const secrets = [0, 30].map((from) => ({ name: `s${from}`, value: 'Tr0ub4dor', domains: many(from) }))
  const { status, json } = await post({ secrets })
  assert.equal([status, json.code], [400, 'allowed_domains_invalid'])
  assert.is((await post({ secrets, allowed_domains: ['a1.example', 'a31.example'] })).status, 201)
})

test('[X11] a rerun is confined to the domains of its own secrets; what was said by the client stays', async () => {
  for (const [allowedDomains, secrets, expected] of [
    [password.domains, [{ ...password, domains: ['new.example'] }], ['new.example']],
    [password.domains, [], null],
    [['*.shop.example'], [password], ['*.shop.example']],
  ] as const) {
    const earlier = ended([...allowedDomains])
    assert.is((await ask(`/v1/tasks/${earlier.id}/rerun`, { secrets })).status, 201)
    assert.equal(started()?.allowedDomains ?? null, expected)
  }
})

test('[X11] a task that continues another stays within its domains, and has those of its own secrets beside them', async () => {
  for (const [allowedDomains, secrets, expected] of [
    [password.domains, [], [...password.domains]],
    [password.domains, [{ ...password, domains: ['new.example'] }], [...password.domains, 'new.example']],
    [['shop.example'], [], ['shop.example']],
  ] as const) {
    const earlier = ended([...allowedDomains])
    assert.is((await post({ continue_task_id: earlier.id, secrets })).status, 201)
    assert.equal(started()?.allowedDomains ?? null, expected)
  }
})

for (const [domains, more] of [
  [['127.0.0.1'], { url: 'http://127.0.0.1:18910/' }],
  [['127.0.0.1'], { allowed_domains: ['127.0.0.1:18910'] }],
  [['shop.example:8443'], { url: 'https://shop.example/' }],
  [['shop.example'], { allowed_domains: ['other.example'] }],
] as const)
  test(`[X11] a secret for ${domains} that no page of ${JSON.stringify(more)} can have is refused`, async () => {
    const { status, json } = await post({ secrets: [{ ...password, domains }], ...more })
    assert.equal([status, json.code], [400, 'secrets_invalid'])
    assert.match(json.error, /^secrets\[0\]\.domains has no page that the task may open: .* name another one as in/)
  })

for (const [domains, more] of [
  [['127.0.0.1:18910'], { url: 'http://127.0.0.1:18910/' }],
  [['id.example'], { url: 'https://shop.example/' }],
  [['*.shop.example'], { allowed_domains: ['pay.shop.example'] }],
  [['pay.shop.example'], { allowed_domains: ['*.shop.example'] }],
  [['shop.example'], { allowed_domains: ['*'], url: 'https://other.example/' }],
] as const)
  test(`[X11] a secret for ${domains} is taken with ${JSON.stringify(more)}`, async () => {
    assert.is((await post({ secrets: [{ ...password, domains }], ...more })).status, 201)
  })

test('[X6] the words of a start are kept without values; an address that has one is refused', async () => {
  const words = { task: 'Sign in with Tr0ub4dor', context: btoa('ada:Tr0ub4dor'), metadata: { note: 'TR0UB4DOR' } }
  assert.is((await post({ ...words, secrets: [password] })).status, 201)
  const { task, context, metadata } = started() ?? {}
  assert.equal([task, metadata], ['Sign in with {{secret:password}}', { note: '{{secret:password}}' }])
  assert.match(context ?? '', '{{secret:password}}')
  const { status, json } = await post({ secrets: [password], url: 'https://shop.example/?p=Tr0ub4dor' })
  assert.equal([status, json.error], [400, 'url must not have the value of a secret'])
  assert.is(
    (await post({ secrets: [{ ...password, value: 'https://shop.example/abc' }], url: 'https://shop.example/' }))
      .status,
    201,
  )
})

test.run()
