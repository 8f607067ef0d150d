import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { A_FILE as A, filesScene } from './files-scene.ts'

const { ask, taskService, key, foreignId, aBrowser, browser, filesOf, asBrowser, bytesOf, aTaskWith, clock } =
  await filesScene()

const test = suite('files of browsers')
test.before.each(() => {
  clock.at += 61_000
})

test('[U4] a browser exchanges files for its own task, with its session token, from any origin', async () => {
  const id = await aTaskWith([A])
  const list = await asBrowser('GET', id)
  assert.is(list.headers['access-control-allow-origin'], '*')
  assert.is(list.headers['access-control-allow-credentials'], undefined)
  const [{ id: fileId }] = list.json.files
  assert.is(bytesOf(await asBrowser('GET', `${id}/${fileId}`)).toString(), 'a')
  const [sibling, stranger, expired] = [
    await aBrowser(),
    await aBrowser({ workspaceId: foreignId }),
    await aBrowser({ expiresAt: clock.at - 1 }),
  ]
  const sent = { body: 'x' }
  for (const path of [id, `${id}/${fileId}`]) {
    for (const { token } of [sibling, stranger]) assert.is((await asBrowser('GET', path, token)).status, 404)
    for (const token of [expired.token, key, 'nobody']) assert.is((await asBrowser('GET', path, token)).status, 401)
  }
  const path = `${id}/${randomUUID()}?name=a`
  for (const { token } of [sibling, stranger]) assert.is((await asBrowser('POST', path, token, sent)).status, 404)
  assert.is((await asBrowser('POST', path, expired.token, sent)).status, 401)
  assert.is((await filesOf(id)).files.length, 1)
})

test('[U10] a browser that may start tasks uploads files for them with its session token', async () => {
  const sent = { body: 'signed' }
  const { status, json, headers } = await asBrowser('POST', '?name=contract.txt', browser.token, sent)
  assert.equal([status, json.name, json.media_type, json.size], [201, 'contract.txt', 'text/plain', 6])
  assert.is(headers['access-control-allow-origin'], '*')
  const id = await aTaskWith([{ file_id: json.id }])
  assert.is((await filesOf(id)).files[0].name, 'contract.txt')
  const { token } = await aBrowser({ allowTasks: false })
  const refused = await asBrowser('POST', '?name=a', token, sent)
  assert.equal([refused.status, refused.json.code], [403, 'tasks_not_allowed'])
  for (const nobody of [key, 'nobody']) assert.is((await asBrowser('POST', '?name=a', nobody, sent)).status, 401)
  assert.is((await asBrowser('POST', '?name=a/b', browser.token, sent)).status, 400)
  const large = Buffer.alloc(25 * 1024 * 1024 + 1)
  assert.is((await asBrowser('POST', '?name=a', browser.token, { body: large })).status, 413)
})

test('[U5] a download is kept once with one event, however often it is sent', async () => {
  const id = await aTaskWith()
  const task = taskService.tasksById.get(id)
  if (task) taskService.keep(taskService.log.begin(task))
  const fileId = randomUUID()
  const send = () => asBrowser('POST', `${id}/${fileId}?name=invoice.pdf`, browser.token, { body: '%PDF-' })
  const answers = [...(await Promise.all([send(), send(), send()])), await send()]
  assert.equal(
    answers.map(({ status }) => status),
    [201, 201, 201, 201],
  )
  const { files } = await filesOf(id)
  assert.equal(files, [
    {
      id: fileId,
      name: 'invoice.pdf',
      media_type: 'application/pdf',
      size: 5,
      origin: 'downloaded',
      created_at: files[0].created_at,
    },
  ])
  const { json } = await ask('GET', `/v1/tasks/${id}/events?types=file.downloaded`, { key })
  assert.equal(
    json.events.map(({ file_id, size }: Record<string, unknown>) => [file_id, size]),
    [[fileId, 5]],
  )
  // The id of another task's file is none of this one's.
  const other = await aTaskWith()
  const taken = await asBrowser('POST', `${other}/${fileId}?name=a`, browser.token, { body: 'x' })
  assert.equal([taken.status, taken.json.code], [404, 'file_not_found'])
})

test('[U5] a download may arrive up to five minutes after its task has ended', async () => {
  const id = await aTaskWith()
  await ask('POST', `/v1/tasks/${id}/cancel`, { key })
  const send = () => asBrowser('POST', `${id}/${randomUUID()}?name=a`, browser.token, { body: 'x' })
  clock.at += 299_000
  assert.is((await send()).status, 201)
  clock.at += 2_000
  assert.is((await send()).status, 404)
})

test('[U4] a browser reads nothing of a task that has ended', async () => {
  const id = await aTaskWith()
  const file = (await asBrowser('POST', `${id}/${randomUUID()}?name=a`, browser.token, { body: 'x' })).json.id
  const reads = async () => [
    (await asBrowser('GET', id, browser.token)).status,
    (await asBrowser('GET', `${id}/${file}`, browser.token)).status,
  ]
  assert.equal(await reads(), [200, 200])
  await ask('POST', `/v1/tasks/${id}/cancel`, { key })
  assert.equal(await reads(), [404, 404])
  assert.is((await ask('GET', `/v1/tasks/${id}/files/${file}`, { key })).status, 200)
})

test('[U2] a file over 25 MB is 413, on every way', async () => {
  const body = new Uint8Array(25 * 1024 * 1024 + 1)
  const id = await aTaskWith()
  const upload = await ask('POST', '/v1/files?name=a', { key, body })
  assert.equal([upload.status, upload.json.code], [413, 'body_too_large'])
  assert.is((await asBrowser('POST', `${id}/${randomUUID()}?name=a`, browser.token, { body })).status, 413)
  assert.is((await ask('POST', '/v1/files?name=a', { key, body: body.subarray(1) })).status, 201)
})

test('[U8] 50 downloads of a task and 60 uploads a minute are taken, no more', async () => {
  const id = await aTaskWith()
  const send = () => asBrowser('POST', `${id}/${randomUUID()}?name=a`, browser.token, { body: 'x' })
  for (let count = 0; count < 50; count++) assert.is((await send()).status, 201)
  const over = await send()
  assert.equal([over.status, over.json.code], [409, 'files_full'])
  const upload = () => ask('POST', '/v1/files?name=a', { key, body: 'x' })
  for (let count = 0; count < 60; count++) assert.is((await upload()).status, 201)
  const late = await upload()
  assert.equal([late.status, late.json.code], [429, 'too_many_files'])
})

test.run()
