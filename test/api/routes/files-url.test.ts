import { randomUUID } from 'node:crypto'
import { createServer as createTcpServer } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FetchFiles } from '../../../src/api/deps.ts'
import { systemClock } from '../../../src/config/clock.ts'
import { createFileFetch } from '../../../src/net/file-fetch.ts'
import { aKey } from '../../support/http-surface.ts'
import { closeReceivers, listening, receiver } from '../../webhooks/receiver.ts'
import { A_FILE, filesScene } from './files-scene.ts'

const MEGABYTE = 1024 * 1024
const lines: Record<string, unknown>[] = []
const note = (fields: object, message: string) => void lines.push({ ...fields, message })
const log = { debug: note, info: note, warn: note, error: note }
const open = createFileFetch({ allowPrivate: true, clock: systemClock, log })
/** Names of the public internet, and one that is not. */
const guarded = createFileFetch({
  allowPrivate: false,
  clock: systemClock,
  log,
  resolve: async (name) =>
    name === 'nowhere.test' ? [] : name === 'mixed.test' ? ['93.184.216.34', '10.0.0.1'] : ['10.0.0.1'],
})
let fetchFiles: FetchFiles = open
const { surface, ask, start, filesOf, bytesOf, key, taskService, clock } = await filesScene({
  fetchFiles: (...args) => fetchFiles(...args),
})

const test = suite('files by url')
test.before.each(() => {
  clock.at += 61_000
  fetchFiles = open
  lines.length = 0
})
test.after.each(closeReceivers)

/** Serves files, and counts what it is asked. */
const site = () =>
  receiver((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    if (pathname.startsWith('/to/')) return void response.writeHead(302, { location: pathname.slice(3) }).end('moved')
    if (pathname === '/away') return void response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    if (pathname === '/round') return void response.writeHead(307, { location: '/round' }).end()
    if (pathname === '/gone') return void response.writeHead(404).end('x')
    if (pathname === '/large') return void response.writeHead(200, { 'content-length': 9 * MEGABYTE }).end('x')
    if (pathname === '/endless') return void endless(response)
    if (pathname === '/zipped') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
    response.writeHead(200, { 'content-type': 'Application/PDF; q=1' }).end('%PDF-1.4')
  })
const endless = (response: { write(bytes: Buffer): boolean; once(event: 'drain', fn: () => void): unknown }) => {
  const more = () => {
    while (response.write(Buffer.alloc(MEGABYTE)));
    response.once('drain', more)
  }
  more()
}

test('[U9] a file is fetched with the start, under its own name and type or those of its address and server', async () => {
  const { port, seen } = await site()
  const url = `http://127.0.0.1:${port}/d/Vertrag%20%C3%A4.pdf?signature=1#x`
  const { status, json } = await start([{ url }, A_FILE, { url, name: 'a.csv', media_type: 'text/csv' }])
  assert.is(status, 201, JSON.stringify(json))
  const { files } = await filesOf(json.id)
  const about = files.map(({ name, media_type, size }: Record<string, unknown>) => [name, media_type, size])
  assert.equal(about.sort(), [
    ['Vertrag ä.pdf', 'application/pdf', 8],
    ['a.csv', 'text/csv', 8],
    ['a.txt', 'text/plain', 1],
  ])
  const { id } = files.find(({ name }: { name: string }) => name === 'a.csv')
  assert.is(bytesOf(await ask('GET', `/v1/tasks/${json.id}/files/${id}`, { key })).toString(), '%PDF-1.4')
  assert.equal(
    seen.map(({ method, path, headers }) => [method, path, headers.cookie, headers.authorization]),
    Array(2).fill(['GET', '/d/Vertrag%20%C3%A4.pdf?signature=1', undefined, undefined]),
  )
  // A rerun has the file as it was, without asking again.
  const again = await ask('POST', `/v1/tasks/${json.id}/rerun`, { key })
  assert.equal([again.status, (await filesOf(again.json.id)).files.length, seen.length], [201, 3, 2])
})

test('[U9] redirects are followed, each checked like the first address', async () => {
  const { port } = await site()
  assert.is((await start([{ url: `http://127.0.0.1:${port}/to/to/a.pdf` }])).status, 201)
  for (const path of ['away', 'round']) {
    const { status, json } = await start([{ url: `http://127.0.0.1:${port}/${path}` }])
    assert.equal([status, json.code], [400, 'file_not_fetched'], path)
  }
  // Only loopback may be called, and sends on to an address that may not.
  fetchFiles = createFileFetch({ allowPrivate: false, allowCidrs: ['127.0.0.1'], clock: systemClock, log })
  const inner = await site()
  assert.is((await start([{ url: `http://127.0.0.1:${inner.port}/to/a.pdf` }])).status, 201)
  const asked = inner.seen.length
  const sending = await receiver((_, res) => res.writeHead(302, { location: `http://127.0.0.2:${inner.port}/` }).end())
  assert.is((await start([{ url: `http://127.0.0.1:${sending.port}/` }])).json.code, 'file_not_fetched')
  assert.equal([inner.seen.length, lines.at(-1)?.reason], [asked, 'PRIVATE_ADDRESS'])
})

test('[A43] the document of an OAuth client is what its own address answers: no redirect is followed', async () => {
  const { port, seen } = await site()
  const fetched = (path: string) =>
    open([`http://127.0.0.1:${port}/${path}`], MEGABYTE, new AbortController().signal, 0)
  assert.is(((await fetched('client.json')) as unknown[]).length, 1)
  for (const path of ['to/client.json', 'to/to/client.json', 'round', 'away'])
    assert.equal(await fetched(path), { failed: 0, isTooLarge: false }, path)
  assert.is(seen.length, 5)
})

test('[U9] [W7] a private network cannot be explored: every failure has the same answer', async () => {
  const { port, seen } = await site()
  const closed = await listening(createTcpServer((socket) => socket.destroy()))
  const answers = new Set<string>()
  const refused = async (url: string) => {
    const { status, json } = await start([A_FILE, { url, name: 'b' }])
    assert.is(status, 400)
    assert.match(json.error, /^files\[1\]\.url could not be fetched/)
    answers.add(JSON.stringify(json))
  }
  for (const path of ['gone', 'zipped', 'round']) await refused(`http://127.0.0.1:${port}/${path}`)
  await refused(`http://127.0.0.1:${closed}/`)
  const open = seen.length
  fetchFiles = guarded
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'mixed.test', 'nowhere.test'])
    await refused(`http://${host}:${port}/a.pdf`)
  assert.is(answers.size, 1)
  assert.is(seen.length, open)
  // The operator reads why, and no path.
  assert.equal(lines.at(-3), {
    host: `localhost:${port}`,
    reason: 'PRIVATE_ADDRESS',
    message: 'A file could not be fetched',
  })
  assert.not.match(JSON.stringify(lines), /a\.pdf/)
})

test('[U9] [U2] 8 MB in all, by what is said of the size and by what comes', async () => {
  const { port } = await site()
  for (const path of ['large', 'endless']) {
    const { status, json } = await start([{ url: `http://127.0.0.1:${port}/${path}` }])
    assert.equal([status, json.code], [400, 'files_invalid'], path)
    assert.match(json.error, /at most 8388608 bytes in all/)
  }
  const data = Buffer.alloc(8 * MEGABYTE - 7).toString('base64')
  const { json } = await start([{ url: `http://127.0.0.1:${port}/a.pdf` }, { name: 'b', data }])
  assert.is(json.code, 'files_invalid')
})

test('[U9] a start whose file cannot be fetched has not begun, and leaves nothing', async () => {
  const { key: own, workspaceId } = await aKey(surface)
  const started = taskService.started.length
  assert.is((await start([A_FILE, { url: 'http://127.0.0.1:1/a' }], { key: own })).status, 400)
  assert.is(taskService.started.length, started)
  assert.equal(await taskService.files.takenBy(workspaceId), { files: 0, bytes: 0 })
})

test('[U9] [E21] a start that is sent again with its Idempotency-Key fetches once; a failed one may be tried again', async () => {
  const { port, seen } = await site()
  const headers = { 'idempotency-key': randomUUID() }
  const send = (path: string) => start([{ url: `http://127.0.0.1:${port}/${path}` }], { headers })
  assert.is((await send('gone')).status, 400)
  const [first, second] = [await send('a.pdf'), await send('a.pdf')]
  assert.equal([first.status, second.json, seen.length], [201, first.json, 2])
})

test('[U9] a start that its allowance or the rate refuses fetches nothing', async () => {
  let fetched = 0
  fetchFiles = async () => {
    fetched++
    return []
  }
  const { limitsLeft } = taskService
  const without = async () => ({ ...(await limitsLeft('')), starts: 0 })
  Object.assign(taskService, { limitsLeft: without })
  const late = await start([{ url: 'https://example.com/a' }])
  Object.assign(taskService, { limitsLeft })
  taskService.left = { freeRemaining: 0, creditBalance: 0 }
  const broke = await start([{ url: 'https://example.com/a' }])
  taskService.left = { freeRemaining: null, creditBalance: 0 }
  assert.equal([late.json.code, broke.json.code, fetched], ['rate_limited', 'no_allowance', 0])
})

test('[U9] at most four starts of a workspace, and sixteen in all, fetch at a time', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  let waiting = 0
  fetchFiles = async () => {
    waiting++
    await held
    return [{ bytes: Buffer.from('a'), mediaType: null }]
  }
  const tenants = await Promise.all([1, 2, 3, 4, 5].map(() => aKey(surface)))
  const files = [{ url: 'https://example.com/a' }]
  const begun = tenants.slice(0, 4).flatMap(({ key }) => [1, 2, 3, 4].map(() => start(files, { key })))
  while (waiting < 16) await new Promise((resolve) => setImmediate(resolve))
  const fifth = await start(files, { key: tenants[0]?.key ?? '' })
  assert.equal([fifth.status, fifth.json.code, fifth.headers['retry-after']], [429, 'too_many_fetches', '1'])
  assert.is((await start(files, { key: tenants[4]?.key ?? '' })).json.code, 'too_many_uploads')
  answer()
  for (const { status } of await Promise.all(begun)) assert.is(status, 201)
  assert.is((await start(files, { key: tenants[4]?.key ?? '' })).status, 201)
})

for (const [url, error] of [
  ['ftp://example.com/a', 'files[0].url must be an http or https URL'],
  ['/etc/passwd', 'files[0].url must be a valid URL'],
  ['https://ada:secret@example.com/', 'files[0].url must not contain a user name or password'],
  [`https://example.com/${'x'.repeat(2_048)}`, 'files[0].url must be at most 2048 characters'],
  [7, 'files[0].url must be a string'],
] as const) {
  test(`[U9] the url ${String(url).slice(0, 40)} is refused`, async () => {
    const { status, json } = await start([{ url }])
    assert.equal([status, json.code, json.error], [400, 'files_invalid', error])
  })
}

test.run()
