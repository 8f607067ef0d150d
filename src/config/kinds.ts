import * as v from 'valibot'

/** The kinds of value that settings take. The message says what is accepted. */

const isHttpUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)
export const matching = (test: (text: string) => boolean, accepted: string) =>
  v.pipe(v.string(), v.check(test, accepted))
export const text = v.string()
export const originOnly = (url: string) => new URL(url).origin
export const httpUrl = matching(isHttpUrl, 'an http or https URL')

export const whole = (min: number, max: number, accepted: string) =>
  v.pipe(
    v.string(),
    v.check((value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max, accepted),
    v.transform(Number),
  )

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  v.picklist(names, `one of ${names.join(', ')}`)

export const onOff = v.pipe(
  matching((value) => /^(true|false|1|0|on|off)$/i.test(value), 'true, false, 1, 0, on or off'),
  v.transform((value) => /^(true|1|on)$/i.test(value)),
)

/** The bytes of a `SECRETS_KEY`: 32 in base64 or 64 hexadecimal digits; `null` for anything else. */
export function secretsKeyOf(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  const bytes = Buffer.from(text, 'base64')
  return /^[\w+/-]{43}=?$/.test(text) && bytes.length === 32 ? bytes : null
}

export const secretsKey = matching(
  (value) => secretsKeyOf(value) !== null,
  '32 random bytes in base64, as `openssl rand -base64 32` prints them',
)
