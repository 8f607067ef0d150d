import { Secret, TOTP, URI } from 'otpauth'

/** One-time codes by RFC 6238. */

const SECRET_BYTES_MIN = 10
const PERIOD_S_MIN = 15
const PERIOD_S_MAX = 300
const ALGORITHMS = ['SHA1', 'SHA256', 'SHA512']

/**
 * What codes are made of: a secret in base32 (6 digits every 30 s by SHA-1), or an `otpauth://totp/` address.
 * @throws Error whose message follows the field's name
 */
export function totpOf(text: string): TOTP {
  const totp = /^otpauth:/i.test(text) ? fromAddress(text) : new TOTP({ secret: secretOf(text) })
  const { algorithm, digits, period, secret } = totp
  if (!ALGORITHMS.includes(algorithm)) throw new Error('must be of SHA1, SHA256 or SHA512')
  if (digits < 6 || digits > 8) throw new Error('must have 6 to 8 digits')
  if (!(period >= PERIOD_S_MIN && period <= PERIOD_S_MAX))
    throw new Error(`must have a period of ${PERIOD_S_MIN} to ${PERIOD_S_MAX} seconds`)
  if (secret.bytes.length < SECRET_BYTES_MIN)
    throw new Error(`must have a secret of at least ${SECRET_BYTES_MIN} bytes`)
  return totp
}

/** The code of a moment in milliseconds since the epoch, and when the next one takes its place. */
export function codeAt(text: string, at: number): { readonly code: string; readonly endsAt: number } {
  const totp = totpOf(text)
  const periodMs = totp.period * 1_000
  return { code: totp.generate({ timestamp: at }), endsAt: (Math.floor(at / periodMs) + 1) * periodMs }
}

const NEITHER = 'must be a secret in base32, or an otpauth://totp/ address'

function secretOf(text: string): Secret {
  const base32 = text.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase()
  if (!/^[A-Z2-7]+$/.test(base32)) throw new Error(NEITHER)
  return Secret.fromBase32(base32)
}

function fromAddress(text: string): TOTP {
  try {
    const parsed = URI.parse(text)
    if (parsed instanceof TOTP) return parsed
  } catch {
    // What the library says may have a part of the secret in it.
  }
  throw new Error(NEITHER)
}
