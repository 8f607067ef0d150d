import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey } from '../../support/http-surface.ts'
import { A_FILE as A, filesScene } from './files-scene.ts'

const {
  ask,
  taskService,
  surface,
  key,
  foreignKey,
  publishable,
  browser,
  base64,
  start,
  filesOf,
  bytesOf,
  aTaskWith,
  clock,
} = await filesScene()

const test = suite('files')
// The limit of uploads a minute is another test's.
test.before.each(() => {
  clock.at += 61_000
})

test('[U1] files given with a task are kept and told to it, by name, type and size', async () => {
  const id = await aTaskWith([
    { name: 'Vertrag “ä”.pdf', data: base64('%PDF-1.4') },
    { name: 'list', media_type: 'text/csv', data: base64('a,b') },
    { name: 'empty.txt', data: '' },
  ])
  const { files } = await filesOf(id)
  const about = files.map(({ name, media_type, size, origin }: Record<string, unknown>) => [
    name,
    media_type,
    size,
    origin,
  ])
  assert.equal(about, [
    ['Vertrag “ä”.pdf', 'application/pdf', 8, 'given'],
    ['list', 'text/csv', 3, 'given'],
    ['empty.txt', 'text/plain', 0, 'given'],
  ])
  const asked = taskService.started.at(-1)?.request.files
  assert.equal(
    asked?.map(({ name }) => name),
    files.map(({ name }: { name: string }) => name),
  )
})

for (const [files, error] of [
  ['a', 'files must be a list of files'],
  [[1], 'files must be a list of files'],
  [[{ data: base64('a') }], 'files need a name beside data'],
  [[{ name: 'a' }], 'files must have one of data, url and file_id'],
  [[{ ...A, file_id: randomUUID() }], 'files must have one of data, url and file_id'],
  [[A, { ...A, data: 'no base64' }], 'files[1].data must be base64, padded and without line breaks'],
  [[{ ...A, data: 'YQ' }], /files\[0\]\.data must be base64/],
  [[{ ...A, media_type: 'text' }], 'files[0].media_type must be a media type such as application/pdf'],
  [[{ ...A, media_type: 'text/html\r\nSet-Cookie: a=b' }], /files\[0\]\.media_type/],
  [[A, A], 'files must have different names'],
  [Array(11).fill(A), 'files must be at most 10'],
  [[{ file_id: 'x' }], /files\[0\]\.file_id/],
  [[{ file_id: randomUUID() }], 'files must name files of this workspace by their file_id'],
  ...['', '.', '..', '../a', 'a/b', 'a\\b', 'a\0b', 'a\nb', '\u202egnp.exe', ' ', 'x'.repeat(256), '\ud800', 7].map(
    (name) => [[{ ...A, name }], /^files\[0\]\.name must be a file name of 1 to 255 characters/] as const,
  ),
] as const) {
  test(`[U2] files ${JSON.stringify(files).slice(0, 60)} are refused`, async () => {
    const started = taskService.started.length
    const { status, json } = await start(files)
    assert.is(status, 400, JSON.stringify(json))
    assert.is(json.code, 'files_invalid')
    if (typeof error === 'string') assert.is(json.error, error)
    else assert.match(json.error, error)
    assert.is(taskService.started.length, started)
  })
}

test('[U2] [E8] a start may bring 8 MB of files; more is refused, and so is a large body without files', async () => {
  const megabyte = randomBytes(1024 * 1024)
  const some = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `${n}`, data: base64(megabyte) }))
  await aTaskWith(some(8))
  const over = await start([...some(8), A])
  assert.is(over.json.code, 'files_invalid')
  assert.match(over.json.error, /at most 8388608 bytes in all: upload larger ones by POST \/v1\/files/)
  const larger = await start(some(9))
  assert.equal([larger.status, larger.json.code], [413, 'body_too_large'])
  const body = { task: 'x', browser_session_id: browser.id, padding: 'x'.repeat(200_000) }
  assert.is((await ask('POST', '/v1/tasks', { key, body })).status, 500)
  // Megabytes of small values are not parsed.
  const small = `{"task":"x","browser_session_id":"${browser.id}","files":[${'{},'.repeat(1_000_000)}{}]}`
  assert.is((await ask('POST', '/v1/tasks', { key, body: small })).status, 500)
})

test('[U3] an upload is used by tasks, by its id, and by no other workspace', async () => {
  const upload = await ask('POST', '/v1/files?name=big.bin', { key, body: new Uint8Array([1, 2, 3]) })
  assert.is(upload.status, 201)
  const { id: file_id, ...about } = upload.json
  assert.equal(about, {
    name: 'big.bin',
    media_type: 'application/octet-stream',
    size: 3,
    created_at: clock.at,
    expires_at: clock.at + 24 * 60 * 60_000,
  })
  for (const _ of [1, 2]) {
    const id = await aTaskWith([{ file_id }, { file_id, name: 'again.png', media_type: 'image/png' }])
    const { files } = await filesOf(id)
    assert.equal(files.map(({ name }: { name: string }) => name).sort(), ['again.png', 'big.bin'])
    const read = await ask('GET', `/v1/tasks/${id}/files/${files[0].id}`, { key })
    assert.equal([...bytesOf(read)], [1, 2, 3])
  }
  const foreign = await start([{ file_id }], { key: foreignKey })
  assert.equal([foreign.status, foreign.json.code], [400, 'files_invalid'])
  assert.is((await ask('POST', '/v1/files?name=a', { key: publishable, body: 'a' })).status, 403)
  assert.is((await ask('POST', '/v1/files?name=a', { body: 'a' })).status, 401)
  for (const query of ['', '?name=', '?name=../a', '?name=a&media_type=x'])
    assert.is((await ask('POST', `/v1/files${query}`, { key, body: 'a' })).status, 400, query)
})

test('[U3] [E21] an upload that is sent again with its Idempotency-Key is kept once, and other bytes are refused', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const send = (body: string) => ask('POST', '/v1/files?name=a', { key: foreignKey, headers, body })
  const [first, second] = [await send('a'), await send('a')]
  assert.equal(second.json, first.json)
  assert.is(second.headers['idempotent-replayed'], 'true')
  assert.is((await send('b')).status, 422)
})

test('[U1] [E23] a start that is sent again brings its files once; a refused one leaves none', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const [first, second] = [await start([A], { headers }), await start([A], { headers })]
  assert.is(second.json.id, first.json.id)
  assert.is((await filesOf(first.json.id)).files.length, 1)
  const { key: own, workspaceId: alone } = await aKey(surface)
  taskService.refusals.push({ code: 'rate_limited' })
  assert.is((await start([A], { key: own })).status, 429)
  assert.equal(await taskService.files.takenBy(alone), { files: 0, bytes: 0 })
})

test('[U1] [T58] a rerun has the files of the earlier task, unless it brings its own', async () => {
  const id = await aTaskWith([A])
  const again = await ask('POST', `/v1/tasks/${id}/rerun`, { key })
  assert.is(again.status, 201)
  const [file] = (await filesOf(again.json.id)).files
  assert.is(file.name, 'a.txt')
  assert.is.not(file.id, (await filesOf(id)).files[0].id)
  const body = { files: [{ ...A, name: 'b.txt' }] }
  const other = await ask('POST', `/v1/tasks/${id}/rerun`, { key, body })
  assert.equal(
    (await filesOf(other.json.id)).files.map(({ name }: { name: string }) => name),
    ['b.txt'],
  )
})

test('[U6] a file is an attachment of no type that a browser shows, under its own name', async () => {
  const name = 'a "quoted" €\'(1).html'
  const id = await aTaskWith([{ name, media_type: 'text/html', data: base64('<script>alert(1)</script>') }])
  const [{ id: fileId }] = (await filesOf(id)).files
  const { status, headers } = await ask('GET', `/v1/tasks/${id}/files/${fileId}`, { key })
  assert.is(status, 200)
  assert.is(headers['content-type'], 'application/octet-stream')
  assert.is(
    headers['content-disposition'],
    `attachment; filename="a _quoted_ _'(1).html"; filename*=UTF-8''a%20%22quoted%22%20%E2%82%AC%27%281%29.html`,
  )
  assert.is(headers['x-content-type-options'], 'nosniff')
  assert.match(headers['content-security-policy'] ?? '', /sandbox/)
})

test('[U6] [A8] files are listed page by page, and not for another workspace or key', async () => {
  const id = await aTaskWith(['a', 'b', 'c'].map((name) => ({ ...A, name })))
  const page = await ask('GET', `/v1/tasks/${id}/files?limit=2`, { key })
  assert.is(page.json.files.length, 2)
  const next = await ask('GET', `/v1/tasks/${id}/files?limit=2&cursor=${page.json.next_cursor}`, { key })
  assert.equal([next.json.files.length, next.json.next_cursor], [1, null])
  const fileId = page.json.files[0].id
  for (const path of ['files', `files/${fileId}`]) {
    assert.is((await ask('GET', `/v1/tasks/${id}/${path}`, { key: foreignKey })).status, 404)
    assert.is((await ask('GET', `/v1/tasks/${id}/${path}`, { key: publishable })).status, 403)
    assert.is((await ask('GET', `/v1/tasks/${id}/${path}`)).status, 401)
  }
  const other = await aTaskWith()
  assert.is((await ask('GET', `/v1/tasks/${other}/files/${fileId}`, { key })).status, 404)
  assert.is((await ask('GET', `/v1/tasks/${other}/files/x`, { key })).status, 404)
})

test.run()
