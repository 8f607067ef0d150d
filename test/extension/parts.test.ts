/// <reference path="../../src/extension/chrome.d.ts" />
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RESULTS_KEPT_CHARS_MAX } from '../../machines/limits.ts'
import { CallMemory } from '../../src/browsers/call-memory.ts'
import { badgeOf } from '../../src/extension/badge.ts'
import { buildExtension } from '../../src/extension/build/build.ts'
import { zip } from '../../src/extension/build/zip.ts'
import { sessionCalls } from '../../src/extension/connection/call-storage.ts'
import { pairingLink } from '../../src/extension/messages.ts'
import { parseSites, refusalOf } from '../../src/extension/sites.ts'

const test = suite('parts of the extension')

test('a list of sites is read as people write it, and a slip is named', () => {
  const { sites, wrong } = parseSites(' Example.com \n\nhttps://shop.example/login?x\n*.bank.example\nlocalhost:3000\n')
  assert.equal(sites, ['example.com', 'shop.example', 'bank.example', 'localhost:3000'])
  assert.is(wrong, null)
  for (const slip of ['no site', 'a*b.example', 'http://', '!'])
    assert.is(parseSites(`ok.example\n${slip}`).wrong, slip)
})

test('a site is meant with all below it, and nothing beside it', () => {
  const deny = { allow: [], deny: ['example.com', 'local:80', '127.0.0.1:3000'] }
  const only = { allow: ['example.com'], deny: ['secret.example.com'] }
  for (const url of ['https://example.com/', 'http://a.b.example.com:8080/x', 'http://127.0.0.1:3000/'])
    assert.match(refusalOf(deny, url) ?? '', /does not let tasks act on/, url)
  for (const url of ['https://notexample.com/', 'https://example.com.evil.test/', 'http://127.0.0.1:3001/'])
    assert.is(refusalOf(deny, url), null, url)
  assert.is(refusalOf(only, 'https://www.example.com/'), null)
  assert.match(refusalOf(only, 'https://secret.example.com/') ?? '', /does not let tasks act on secret/)
  assert.match(refusalOf(only, 'https://other.example/') ?? '', /named sites only/)
})

test('pages of the browser and its shops of extensions are no place to act, whatever the lists say', () => {
  const all = { allow: [], deny: [] }
  for (const url of [
    'chrome://settings/',
    'chrome-extension://abc/options.html',
    'file:///etc/passwd',
    'https://chromewebstore.google.com/detail/x',
    'https://chrome.google.com/webstore/category/extensions',
    'https://microsoftedge.microsoft.com/addons',
  ])
    assert.match(refusalOf(all, url) ?? '', /^The browser does not let an extension act on/, url)
  for (const url of ['', 'about:blank', 'chrome-error://chromewebdata/', 'https://google.com/webstore'])
    assert.is(refusalOf(all, url), null, url)
})

test('a pairing link is an http or https address of exactly its form', () => {
  const token = `svc_pair_${'0a'.repeat(32)}`
  assert.equal(pairingLink(`https://tasks.example:8443/pair/${token}?x#y`), {
    origin: 'https://tasks.example:8443',
    token,
  })
  for (const address of ['', token, `ftp://x/pair/${token}`, `https://x/pair/${token}0`, `https://x/a/pair/${token}`])
    assert.is(pairingLink(address), null, address)
})

test('the badge says who is acting', () => {
  const task = { taskId: 't', task: '', answer: null, steps: [], startedAt: 0, endedAt: null }
  const running = { ...task, status: 'running', paused: false } as const
  const badge = (connection: 'connected' | 'waiting' | 'unpaired', tasks: Parameters<typeof badgeOf>[0]['tasks']) =>
    badgeOf({ connection, tasks }).text
  assert.is(badge('connected', []), '')
  assert.is(badge('connected', [running, running]), '2')
  assert.is(badge('connected', [running, { ...running, paused: true }]), '1')
  assert.is(badge('connected', [{ ...running, paused: true }]), 'II')
  assert.is(badge('waiting', [{ ...running, status: 'complete' }]), '!')
  assert.is(badge('unpaired', []), '')
})

/** `chrome.storage.session`, as far as it is used. */
function area(): ChromeStorageArea & { readonly kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>()
  return {
    kept,
    get: async (keys) => {
      const wanted = keys === null ? [...kept.keys()] : typeof keys === 'string' ? [keys] : keys
      return structuredClone(Object.fromEntries(wanted.flatMap((key) => (kept.has(key) ? [[key, kept.get(key)]] : []))))
    },
    set: async (items) => {
      for (const [key, value] of Object.entries(items)) kept.set(key, structuredClone(value))
    },
    remove: async (keys) => {
      for (const key of typeof keys === 'string' ? [keys] : keys) kept.delete(key)
    },
    onChanged: { addListener() {} },
  }
}

test('[R40] a worker that starts again remembers the calls of the one before, in their order', async () => {
  const storage = area()
  const before = await CallMemory.load(sessionCalls(storage))
  for (const id of ['one', 'two', 'three']) {
    await before.started(id, id)
    if (id !== 'three') await before.finished(id, `result of ${id}`)
  }
  const after = await CallMemory.load(sessionCalls(storage))
  assert.is(after.instance, before.instance)
  assert.is(after.get('one')?.result, 'result of one')
  assert.is(after.get('two')?.result, 'result of two')
  // Whoever ran it is gone.
  assert.match(after.get('three')?.result ?? '', /interrupted while it did this, so the outcome is unknown/)
  assert.equal(after.undelivered().length, 3)
})

test('[R40] results too large to be kept give way, the oldest first; that they ran is never forgotten', async () => {
  const storage = area()
  const memory = await CallMemory.load(sessionCalls(storage))
  const large = 'x'.repeat(RESULTS_KEPT_CHARS_MAX / 2 - 10_000)
  for (const id of ['one', 'two', 'three']) {
    await memory.started(id, id)
    await memory.finished(id, large + id)
  }
  const after = await CallMemory.load(sessionCalls(storage))
  assert.match(
    after.get('one')?.result ?? '',
    /^\{"type":"tool_result","requestId":"one","error":"The browser did it, but/,
  )
  assert.is(after.get('two')?.result, `${large}two`)
  assert.is(after.get('three')?.result, `${large}three`)
  const chars = [...storage.kept.values()].reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0)
  assert.ok(chars < RESULTS_KEPT_CHARS_MAX + 10_000)
})

test('what is built: only the permissions that are explained, a strict policy, no eval, and a zip of the same files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'extension-built-'))
  const files = await buildExtension(folder)
  const text = (name: string) => Buffer.from(files.get(name) ?? '').toString()
  const manifest = JSON.parse(text('manifest.json'))
  const docs = readFileSync('docs/extension.md', 'utf8')
  assert.equal(
    Object.keys(manifest).filter((key) => /permissions|externally/.test(key)),
    ['permissions'],
  )
  for (const permission of manifest.permissions) assert.ok(docs.includes(`| \`${permission}\` |`), permission)
  const policy = manifest.content_security_policy.extension_pages
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  assert.not.match(policy, /unsafe|\*/)
  assert.is(manifest.version, JSON.parse(readFileSync('package.json', 'utf8')).version)
  for (const name of files.keys()) {
    if (name.endsWith('.js')) assert.not.match(text(name), /\beval\(|new Function\(/, name)
    if (name.endsWith('.html')) assert.not.match(text(name), /\son\w+=|\sstyle=|<script>|javascript:/, name)
  }
  assert.equal(unzipped(zip(files)), new Map([...files].map(([name, bytes]) => [name, Buffer.from(bytes)])))
  await rm(folder, { recursive: true })
})

/** The files of a zip, read by its directory; every checksum is looked at. */
function unzipped(archive: Uint8Array): Map<string, Buffer> {
  const bytes = Buffer.from(archive)
  const end = bytes.length - 22
  assert.is(bytes.readUInt32LE(end), 0x06054b50)
  const files = new Map<string, Buffer>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    assert.is(bytes.readUInt32LE(at), 0x02014b50)
    const [crc, packed, size] = [16, 20, 24].map((offset) => bytes.readUInt32LE(at + offset))
    const name = bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28))
    const local = bytes.readUInt32LE(at + 42)
    assert.is(bytes.readUInt32LE(local), 0x04034b50)
    const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const content = inflateRawSync(bytes.subarray(data, data + (packed ?? 0)))
    assert.is(content.length, size)
    assert.is(crc32(content), crc)
    files.set(name, content)
    at += 46 + bytes.readUInt16LE(at + 28)
  }
  return files
}

test.run()
