import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fingerprintsOf, foundBy, SALT_MAX } from '../../machines/fingerprints.ts'
import { redactorOf } from '../../machines/redaction.ts'

const test = suite('fingerprints of secrets')

const VALUE = 'Tr0ub4dor & 3’s'
const known = [fingerprintsOf([{ name: 'password', value: VALUE }], [1_234_567, 40_001_234])]
const redacted = (text: string) => redactorOf([], known).text(text)

test('[X13] a value is found whole in any usual spelling, and replaced by its placeholder', () => {
  for (const spelling of [
    VALUE,
    VALUE.toUpperCase(),
    encodeURIComponent(VALUE),
    VALUE.replaceAll('&', '&amp;'),
    JSON.stringify(VALUE).slice(1, -1),
    [...VALUE].reverse().join(''),
    'Tr0-ub4-dor &3’s',
    '\\u0054r0ub4dor \\u0026 3\\u2019s',
  ]) {
    assert.is(redacted(`value="${spelling}" more`), 'value="{{secret:password}}" more', spelling)
  }
  assert.equal(redactorOf([], known).value({ [VALUE]: [VALUE, 1, null] }), {
    '{{secret:password}}': ['{{secret:password}}', 1, null],
  })
})

test('[X13] what is not the value stays', () => {
  for (const text of ['', 'Tr0ub4dor', VALUE.slice(1), VALUE.slice(0, -1), 'x'.repeat(10_000), '{{secret:password}}'])
    assert.is(redacted(text), text)
  assert.is(redactorOf([]).text(VALUE), VALUE)
})

test('[X13] a short value is found as a word alone', () => {
  const short = [fingerprintsOf([{ name: 'pin', value: '4711' }], [77_777, 5_000_001])]
  const of = (text: string) => redactorOf([], short).text(text)
  assert.is(of('PIN 4711, not 14711 or 47110'), 'PIN {{secret:pin}}, not 14711 or 47110')
})

test('[X13] values of several tasks, each with a salt of its own, beside values that are known', () => {
  const more = [...known, fingerprintsOf([{ name: 'user', value: 'ada@shop.example' }], [SALT_MAX, 2_000])]
  const redactor = redactorOf([{ name: 'code', value: 'abcdefgh12' }], more)
  assert.is(
    redactor.text(`ada@shop.example ${VALUE} abcdefgh12`),
    '{{secret:user}} {{secret:password}} {{secret:code}}',
  )
})

test('[X13] no part of a value is in its fingerprints, and another salt gives others', () => {
  const of = (salt: readonly [number, number]) =>
    JSON.stringify(fingerprintsOf([{ name: 'password', value: VALUE }], salt))
  assert.not.match(of([1_001, 1_002]), /Tr0u|dor/)
  assert.is.not(of([1_001, 1_002]).replace(/"salt":[^\]]*\]/, ''), of([1_003, 1_004]).replace(/"salt":[^\]]*\]/, ''))
})

test('[X13] a long text is read in time', () => {
  const many = Array.from({ length: 20 }, (_, n) =>
    fingerprintsOf([{ name: `s${n}`, value: `secret value ${n} ${'y'.repeat(n)}` }], [10_007 + n, 20_011 + n]),
  )
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(1_000)
  const before = process.cpuUsage()
  assert.equal(foundBy(many, text), [])
  const { user } = process.cpuUsage(before)
  assert.ok(user < 1_000_000, `${user / 1_000} ms of CPU for ${text.length} characters`)
})

test.run()
