import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeAt, totpOf } from '../../src/wire/totp.ts'
import { base32 } from '../support/base32.ts'

const test = suite('one-time codes')

/** [RFC 6238, appendix B] Seconds since the epoch, and the codes of 8 digits by algorithm. */
const VECTORS: readonly (readonly [seconds: number, sha1: string, sha256: string, sha512: string])[] = [
  [59, '94287082', '46119246', '90693936'],
  [1_111_111_109, '07081804', '68084774', '25091201'],
  [1_111_111_111, '14050471', '67062674', '99943326'],
  [1_234_567_890, '89005924', '91819424', '93441116'],
  [2_000_000_000, '69279037', '90698825', '38618901'],
  [20_000_000_000, '65353130', '77737706', '47863826'],
]
const digits = '1234567890'.repeat(7)

for (const [at, [algorithm, bytes]] of Object.entries({ SHA1: 20, SHA256: 32, SHA512: 64 }).entries()) {
  test(`[X5] the test vectors of RFC 6238 with ${algorithm}`, () => {
    const secret = base32(digits.slice(0, bytes))
    const address = `otpauth://totp/Shop:ada@example.com?secret=${secret}&issuer=Shop&algorithm=${algorithm}&digits=8`
    for (const [seconds, ...codes] of VECTORS) assert.is(codeAt(address, seconds * 1_000).code, codes[at])
  })
}

test('[X5] a bare secret means 6 digits every 30 s by SHA-1; spaces, hyphens and small letters do not matter', () => {
  const secret = base32(digits.slice(0, 20))
  assert.equal(codeAt(secret, 59_000), { code: '287082', endsAt: 60_000 })
  assert.is(codeAt(secret.toLowerCase().replace(/(.{4})/g, '$1 '), 59_000).code, '287082')
  assert.is(codeAt(`${secret.slice(0, 8)}-${secret.slice(8)}====`, 59_000).code, '287082')
  assert.equal(codeAt(`otpauth://totp/x?secret=${secret}&period=60`, 61_000).endsAt, 120_000)
})

test('[X5] what no codes can be made of is refused in words that have nothing of it', () => {
  const secret = base32(digits.slice(0, 20))
  for (const [given, why] of [
    ['not base32 at all!', /must be a secret in base32/],
    ['', /must be a secret in base32/],
    ['GEZDGNBV', /at least 10 bytes/],
    [`otpauth://hotp/x?secret=${secret}&counter=1`, /must be a secret in base32, or an otpauth:\/\/totp/],
    [`otpauth://totp/x?secret=${secret}&algorithm=MD5`, /must be a secret|SHA1, SHA256 or SHA512/],
    [`otpauth://totp/x?secret=${secret}&algorithm=SHA224`, /SHA1, SHA256 or SHA512/],
    [`otpauth://totp/x?secret=${secret}&digits=5`, /6 to 8 digits|otpauth/],
    [`otpauth://totp/x?secret=${secret}&digits=9`, /6 to 8 digits/],
    [`otpauth://totp/x?secret=${secret}&period=1`, /period of 15 to 300/],
    [`otpauth://totp/x`, /otpauth/],
  ] as const) {
    assert.throws(
      () => totpOf(given),
      ({ message }: Error) => why.test(message) && !message.includes('GEZDGNB'),
      given,
    )
  }
})

test.run()
