import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { redactorOf } from '../../machines/redaction.ts'
import { valuesToRedact } from '../../src/browser/profile-redaction.ts'

const test = suite('which values of a profile are taken out')
const values = (given: Parameters<typeof valuesToRedact>[0]) => valuesToRedact(given).map(({ value }) => value)
const cookie = (value: string, httpOnly = false) => ({ name: 'c', value, httpOnly })

test('[Z16] tokens, in whatever they stand', () => {
  const stored = (value: unknown) => ({
    origins: [{ origin: 'https://a.example', localStorage: [{ name: 'n', value }] }],
  })
  for (const [given, wanted] of [
    [{ cookies: [cookie('9f8e7d6c5b4a')] }, ['9f8e7d6c5b4a']],
    [{ cookies: [cookie('%7B%22t%22%3A%22tok-12345678%22%7D')] }, ['tok-12345678']],
    [{ cookies: [cookie('s%3Aabc123def.sig456%2Fx')] }, ['abc123def.sig456/x']],
    [{ cookies: [cookie('https://a.example/welcome?ticket=TK-998877')] }, ['TK-998877']],
    [stored(JSON.stringify({ user: { access: 'eyJhbGciOi.J9x.y0' }, theme: 'dark-mode' })), ['eyJhbGciOi.J9x.y0']],
    [
      stored(
        JSON.stringify(JSON.stringify({ deep: 'tok-12345678' }))
          .slice(1, -1)
          .replaceAll('\\', ''),
      ),
      ['tok-12345678'],
    ],
    [stored('abcdefghijklmnopqrstuvwxyz'), ['abcdefghijklmnopqrstuvwxyz']],
    [{ origins: [{ indexedDB: [{ stores: [{ records: [{ value: { key: 'idb-token-1' } }] }] }] }] }, ['idb-token-1']],
  ] as const)
    assert.equal(values(given as never), wanted, JSON.stringify(given))
})

test('[Z16] words, dates and short ones stay, unless no script may read the cookie', () => {
  for (const each of [
    'accepted',
    'system-default',
    'Europe/Berlin',
    '2026-11-29',
    '2026-11-29T10:00:00.000Z',
    'x1',
    'shop2.example.com',
    'ann1@shop.example',
  ])
    assert.equal(values({ cookies: [cookie(each)] }), [], each)
  assert.equal(values({ cookies: [cookie('accepted', true), cookie('on', true)] }), ['accepted'])
})

test('[Z16] a full profile is looked through in a moment', () => {
  const localStorage = Array.from({ length: 20_000 }, (_, n) => ({
    name: `n${n}`,
    value: `value-${n}-of-storage-${n}`,
  }))
  const cookies = Array.from({ length: 200 }, (_, n) => cookie(`cookie-${n}-${n * 7}-abcdef`, true))
  const from = process.cpuUsage()
  const all = valuesToRedact({ cookies: cookies as never, origins: [{ origin: 'o', localStorage }] as never })
  const text = redactorOf(all).text(`${'Words of a page. '.repeat(3_000)}cookie-7-49-abcdef`)
  const { user } = process.cpuUsage(from)
  assert.not.match(text, 'cookie-7-49')
  assert.ok(user < 3_000_000, `${user / 1_000} ms`)
})

test('[Z16] addresses of its sites stay readable, whatever a cookie says of them', () => {
  const domain = '.shop1.example.com'
  const cookies = [
    'id=shop1.example.com&t=tok-12345678',
    'https://shop1.example.com/a',
    'shop1.example.com:99887766',
  ].map((value) => ({ name: 'c', value, httpOnly: false, domain }))
  const { text } = redactorOf(valuesToRedact({ cookies }))
  assert.match(
    text('https://shop1.example.com/cart?t=tok-12345678'),
    /^https:\/\/shop1\.example\.com\/cart\?\{\{secret:/,
  )
  assert.is(text('https://shop1.example.com/a/tea'), 'https://shop1.example.com/a/tea')
})

test.run()
