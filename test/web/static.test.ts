import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { refusal } from '../support/refusal.ts'
import { ask, depsOf, serve } from './world.ts'

const test = suite('static files')
let port = 0
let close = async () => {}

test.before(async () => {
  try {
    ;({ port, close } = await serve(depsOf()))
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
})
test.after(() => close())

test('[P2] have their content type', async () => {
  for (const [name, type] of [
    ['style.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ]) {
    const answer = await ask(port, `/static/${name}`)
    assert.is(answer.status, 200)
    assert.is(answer.headers['content-type'], type)
    assert.ok(answer.text.length > 0)
  }
})

test('[P2] have an ETag, answered 304 without a body when it matches', async () => {
  const { headers } = await ask(port, '/static/style.css')
  const etag = String(headers.etag)
  assert.match(etag, /^"[\w-]+"$/)
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await ask(port, '/static/style.css', { headers: { 'if-none-match': tag } })
    assert.is(answer.status, 304, tag)
    assert.is(answer.text, '')
    assert.is(answer.headers.etag, etag)
  }
  const other = await ask(port, '/static/style.css', { headers: { 'if-none-match': '"other"' } })
  assert.is(other.status, 200)
  const icon = await ask(port, '/static/icon.svg')
  assert.is.not(icon.headers.etag, etag)
})

test('[P2] are compressed for who takes that, under a tag of its own', async () => {
  const get = async (encoding: string, tag = '') => {
    const headers = { 'accept-encoding': encoding, ...(tag ? { 'if-none-match': tag } : {}) }
    const answer = await fetch(`http://127.0.0.1:${port}/static/style.css`, { headers })
    return { answer, text: await answer.text() }
  }
  const plain = await get('identity')
  assert.is(plain.answer.headers.get('content-encoding'), null)
  for (const [encoding, wanted] of [
    ['gzip', 'gzip'],
    ['br, gzip;q=0.5', 'br'],
    ['deflate, GZIP', 'gzip'],
  ] as const) {
    const { answer, text } = await get(encoding)
    assert.is(answer.headers.get('content-encoding'), wanted, encoding)
    assert.match(answer.headers.get('vary') ?? '', /Accept-Encoding/)
    assert.ok(Number(answer.headers.get('content-length')) < plain.text.length / 2)
    assert.is(text, plain.text)
    const tag = answer.headers.get('etag') ?? ''
    assert.is.not(tag, plain.answer.headers.get('etag'))
    assert.is((await get(encoding, tag)).answer.status, 304)
  }
  for (const encoding of ['gzip;q=0', 'brotli', 'gzipped']) {
    assert.is((await get(encoding)).answer.headers.get('content-encoding'), null, encoding)
  }
})

test('[P2] are named by pages with their hash, under which they are kept for a year', async () => {
  const { text } = await ask(port, '/dashboard', { headers: { cookie: 'ann' } })
  const named = [...text.matchAll(/(?:href|src)="(\/static\/[^"]+)"/g)].map(([, path = '']) => path)
  assert.equal([...new Set(named.map((path) => path.replace(/=[\w-]{43}$/, '=')))].sort(), [
    '/static/client/tasks.js?v=',
    '/static/icon.svg?v=',
    '/static/style.css?v=',
  ])
  const keptAs = async (path: string) => (await ask(port, path)).headers['cache-control']
  for (const path of named) assert.is(await keptAs(path), 'public, max-age=31536000, immutable', path)
  // What another version named, or nobody, is asked for again.
  for (const query of ['', '?v=', '?v=other', `${named[0]?.slice(named[0].indexOf('?'))}&x`])
    assert.is(await keptAs(`/static/style.css${query}`), 'no-cache', query)
})

test('[E4] HEAD has the headers and no body', async () => {
  const answer = await ask(port, '/static/style.css', { method: 'HEAD' })
  assert.is(answer.status, 200)
  assert.is(answer.text, '')
  assert.ok(answer.headers.etag)
})

test('[P3] neither dots, raw or encoded, nor folders leave or list them', async () => {
  for (const path of [
    '/static',
    '/static/',
    '/static//',
    '/static/.',
    '/static/..',
    '/static/../pages.ts',
    '/static/../static/style.css',
    '/static/./style.css',
    '/static/%2e%2e/pages.ts',
    '/static/%2e%2e%2fpages.ts',
    '/static/..%2fpages.ts',
    '/static/..%5cpages.ts',
    '/static/%252e%252e/pages.ts',
    '/static/..%c0%afpages.ts',
    '/static/....//pages.ts',
    '/static/style.css/',
    '/static/style.css%00',
    '/static/style.css%00.svg',
    '/static//etc/passwd',
    '/static/%2fetc%2fpasswd',
    '/static/../../package.json',
    '/static/%',
    '/static/%E0%A4%A',
    '/static/constructor',
    '/static/__proto__',
  ]) {
    const answer = await ask(port, path)
    assert.is(answer.status, 404, path)
    assert.equal(JSON.parse(answer.text), refusal('Not found', 'not_found'), path)
  }
})

test('[P3] are only where they are', async () => {
  for (const path of ['/statics/style.css', '/STATIC/style.css', '//static/style.css', '/style.css']) {
    assert.is((await ask(port, path)).text, 'not a page', path)
  }
})

test('[E3] are read only', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    assert.is((await ask(port, '/static/style.css', { method })).status, 404, method)
  }
})

test.run()
