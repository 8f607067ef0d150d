import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CallMemory } from '../../src/browser/call-memory.ts'
import { badgeOf } from '../../src/extension/badge.ts'
import { sessionCalls } from '../../src/extension/connection/call-storage.ts'
import { RESULTS_KEPT_CHARS_MAX } from '../../src/extension/limits.ts'
import { pairingLink } from '../../src/extension/messages.ts'
import { relayAddress } from '../../src/extension/settings.ts'
import { parseSites, refusalOf } from '../../src/extension/sites.ts'
import { storageArea } from './storage-area.ts'

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
    assert.match(refusalOf(deny, url) ?? '', /has blocked tasks on/, url)
  for (const url of ['https://notexample.com/', 'https://example.com.evil.test/', 'http://127.0.0.1:3001/'])
    assert.is(refusalOf(deny, url), null, url)
  assert.is(refusalOf(only, 'https://www.example.com/'), null)
  assert.match(refusalOf(only, 'https://secret.example.com/') ?? '', /has blocked tasks on secret/)
  assert.match(refusalOf(only, 'https://other.example/') ?? '', /only on listed sites/)
})

test('[S14] no other spelling of a denied host gets past', () => {
  const deny = (...sites: string[]) => ({ allow: [], deny: sites })
  for (const site of ['localhost', '127.0.0.1'])
    for (const host of [
      'localhost',
      'localhost.',
      '127.0.0.1',
      '127.0.0.2',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0x7f000001',
      'a.localhost',
    ])
      assert.match(refusalOf(deny(site), `http://${host}:8080/`) ?? '', /has blocked tasks on/, `${site} ${host}`)
  assert.match(refusalOf(deny('localhost:3000'), 'http://[::ffff:7f00:1]:3000/') ?? '', /has blocked tasks on/)
  assert.is(refusalOf(deny('localhost:3000'), 'http://[::ffff:7f00:1]:3001/'), null)
  assert.match(refusalOf(deny('bank.example'), 'https://www.bank.example./') ?? '', /has blocked tasks on/)
  assert.match(refusalOf(deny('bank.example:443'), 'https://bank.example/') ?? '', /has blocked tasks on/)
  assert.match(refusalOf(deny('10.0.0.1'), 'http://[::ffff:10.0.0.1]/') ?? '', /has blocked tasks on/)
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

test('the relay is reached at the origin of the service, by wss where the service has https', () => {
  assert.is(relayAddress('https://tasks.example:8443'), 'wss://tasks.example:8443/relay')
  assert.is(relayAddress('http://127.0.0.1:3456'), 'ws://127.0.0.1:3456/relay')
})

test('the badge says who is acting', () => {
  const task = {
    taskId: 't',
    task: '',
    input: null,
    pausedElsewhere: false,
    answer: null,
    steps: [],
    startedAt: 0,
    endedAt: null,
  }
  const running = { ...task, status: 'running', paused: false } as const
  const badge = (connection: 'connected' | 'waiting' | 'unpaired', tasks: Parameters<typeof badgeOf>[0]['tasks']) =>
    badgeOf({ connection, tasks }).text
  assert.is(badge('connected', []), '')
  assert.is(badge('connected', [running, running]), '2')
  assert.is(badge('connected', [running, { ...running, paused: true }]), '1')
  assert.is(badge('connected', [{ ...running, paused: true }]), 'II')
  const input = { id: 'i', kind: 'question', message: 'Which?', schema: null, call: null, expiresAt: 0 } as const
  assert.is(badge('connected', [running, { ...running, input }]), '?')
  assert.is(badge('waiting', [{ ...running, status: 'complete' }]), '!')
  assert.is(badge('unpaired', []), '')
})

test('[R40] a worker that starts again remembers the calls of the one before, in their order', async () => {
  const storage = storageArea()
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
  const storage = storageArea()
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

test.run()
