import { MINUTE_MS, SECOND_MS } from '../../machines/limits.ts'
import type { AuthTables } from '../stores/auth-tables.ts'
import { OIDC } from './path.ts'

/** An ID token answers a sign-in that began at most 10 minutes ago; clocks may differ a little. */
const ISSUED_AGO_MS_MAX = 15 * MINUTE_MS
const CLOCK_SKEW_MS_MAX = MINUTE_MS
const SUBJECT_CHARS_MAX = 255

/** What a provider answers a sign-in with, and what the sign-in library made of it: the ID token's claims, or userinfo. */
export interface OidcAnswer {
  readonly tokens: { readonly idToken?: string | undefined }
  readonly profile: unknown
}

/**
 * [A39] The subject of an ID token whose signature, issuer, audience and nonce the sign-in library has verified; this
 * checks what the library leaves open: that there is an ID token at all, its times, its authorized party, that the
 * profile is the same person's, and that the provider has verified the e-mail address.
 *
 * @throws for everything else: the sign-in is refused.
 */
export function subjectOf({ tokens, profile }: OidcAnswer, clientId: string, now: number): string {
  const { sub, aud, azp, exp, iat } = claimsOf(tokens.idToken)
  if (typeof sub !== 'string' || sub.trim() === '' || sub.length > SUBJECT_CHARS_MAX) throw new Error('no usable sub')
  if (typeof exp !== 'number') throw new Error('no exp')
  if (typeof iat !== 'number') throw new Error('no iat')
  const age = now - iat * SECOND_MS
  if (age < -CLOCK_SKEW_MS_MAX || age > ISSUED_AGO_MS_MAX) throw new Error('iat is not of this sign-in')
  const isForOthersToo = Array.isArray(aud) && aud.length > 1
  if ((azp !== undefined || isForOthersToo) && azp !== clientId) throw new Error('issued to another client')
  const person = recordOf(profile)
  if (person.sub !== sub) throw new Error('userinfo is of another subject')
  if (typeof person.email !== 'string') throw new Error('no e-mail address')
  if (person.email_verified !== true) throw new Error('the e-mail address is not verified')
  return sub
}

/**
 * [A39] The id of an account at a provider, in our table. A subject names a person only together with its issuer, so
 * another provider's people are others, whatever their subjects are.
 */
export const accountIdOf = (issuer: string, subject: string): string => `${issuer} ${subject}`

/** [A39] An account that was kept under its subject alone is kept under its issuer, too, from its next sign-in on. */
export async function bindToIssuer(tables: AuthTables, issuer: string, subject: string): Promise<void> {
  const unbound = [is('providerId', OIDC), is('accountId', subject)]
  const [account] = await tables.find('account', unbound, { limit: 1 })
  if (typeof account?.idToken !== 'string') return
  // Its own ID token, kept since its last sign-in, says whose it is: a subject may look like an id of ours.
  const { iss, sub } = claimsOf(account.idToken)
  if (iss !== issuer || sub !== subject) return
  await tables.update('account', unbound, { accountId: accountIdOf(issuer, subject) })
}

const is = (field: string, value: string) => ({ field, value, operator: 'eq' }) as const

/** The claims of an ID token. @throws when there is none. */
function claimsOf(idToken: string | undefined): Readonly<Record<string, unknown>> {
  const [, payload = ''] = idToken?.split('.') ?? []
  return recordOf(JSON.parse(Buffer.from(payload, 'base64url').toString()))
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => ({ ...(value as object | null) })
