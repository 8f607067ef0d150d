import * as v from 'valibot'
import { ConfigError, shown } from './error.ts'
import { httpUrl, matching, onOff, originOnly, text } from './kinds.ts'

/** A client that a provider of sign-ins knows. */
interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: string
}

export interface AuthConfig {
  /** `null`: made once and kept in the store; in production sign-in is then not configured. */
  readonly secret: string | null
  /** The origin at which browsers reach the service. */
  readonly url: string | null
  readonly google: OAuthClient | null
  /** A provider of OpenID Connect: its issuer, and what the button that leads there calls it. */
  readonly oidc: (OAuthClient & { readonly issuer: string; readonly name: string }) | null
}

/** Where e-mail is handed in, and who it is from. */
export interface MailConfig {
  readonly url: string
  readonly from: string
}

/** The settings of accounts, each with what it accepts. */
export const ACCOUNT_SETTINGS = {
  SIGN_UP: onOff,
  BETTER_AUTH_SECRET: text,
  BETTER_AUTH_URL: v.pipe(httpUrl, v.transform(originOnly)),
  GOOGLE_CLIENT_ID: text,
  GOOGLE_CLIENT_SECRET: text,
  OIDC_ISSUER: httpUrl,
  OIDC_CLIENT_ID: text,
  OIDC_CLIENT_SECRET: text,
  OIDC_NAME: matching((value) => value.length <= 40, 'at most 40 characters'),
  SMTP_URL: matching(
    (value) => /^smtps?:\/\/[^/\s]/.test(value) && URL.canParse(value),
    'a URL that starts with smtp:// or smtps://',
  ),
  SMTP_FROM: matching(
    (value) => /^[^\r\n]*[^\s@]@[^\s@]+$/.test(value),
    'an e-mail address, such as "Tasks <tasks@example.com>"',
  ),
}
const Settings = v.partial(v.object(ACCOUNT_SETTINGS))
type Set = v.InferOutput<typeof Settings> & { readonly PUBLIC_URL?: string | undefined }

export function authOf(set: Set, production: boolean): AuthConfig {
  const { BETTER_AUTH_SECRET: secret } = set
  if (production && secret && secret.length < SECRET_CHARS_WEAK) {
    throw new ConfigError(
      `BETTER_AUTH_SECRET ${shown('BETTER_AUTH_SECRET', secret)} is not valid: expected ${SECRET_CHARS_WEAK} characters or more in production`,
    )
  }
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = set
  if (issuer && !(clientId && clientSecret)) {
    throw new ConfigError('OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET')
  }
  return {
    secret: secret ?? null,
    url: set.BETTER_AUTH_URL ?? set.PUBLIC_URL ?? null,
    google:
      set.GOOGLE_CLIENT_ID && set.GOOGLE_CLIENT_SECRET
        ? { clientId: set.GOOGLE_CLIENT_ID, clientSecret: set.GOOGLE_CLIENT_SECRET }
        : null,
    oidc:
      issuer && clientId && clientSecret
        ? {
            issuer: issuer.replace(/\/+$/, ''),
            clientId,
            clientSecret,
            name: set.OIDC_NAME ?? new URL(issuer).hostname,
          }
        : null,
  }
}

/** [N15] Links in e-mails must lead to this service, whatever host the request that caused them named. */
export function mailOf(set: Set): MailConfig | null {
  if (!set.SMTP_URL) return null
  const url = set.PUBLIC_URL ?? set.BETTER_AUTH_URL
  if (!url) throw new ConfigError('SMTP_URL needs PUBLIC_URL: e-mails have links to this service')
  return { url: set.SMTP_URL, from: set.SMTP_FROM ?? `Browser Task Service <no-reply@${new URL(url).hostname}>` }
}

const SECRET_CHARS_WEAK = 32

/** What is worth a warning at the start. */
export const accountWarnings = (set: Set, production: boolean): readonly (readonly [boolean, string])[] => [
  [
    !set.GOOGLE_CLIENT_ID !== !set.GOOGLE_CLIENT_SECRET,
    'Sign-in with Google needs both GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
  ],
  [
    !set.OIDC_ISSUER && !!(set.OIDC_CLIENT_ID || set.OIDC_CLIENT_SECRET),
    'OIDC_CLIENT_ID and OIDC_CLIENT_SECRET have no effect: OIDC_ISSUER is not set.',
  ],
  [!set.SMTP_URL && !!set.SMTP_FROM, 'SMTP_FROM has no effect: SMTP_URL is not set.'],
  [production && !set.BETTER_AUTH_SECRET, 'BETTER_AUTH_SECRET is not set: sign-in is not configured.'],
  [
    !production && !!set.BETTER_AUTH_SECRET && set.BETTER_AUTH_SECRET.length < SECRET_CHARS_WEAK,
    `BETTER_AUTH_SECRET is shorter than ${SECRET_CHARS_WEAK} characters.`,
  ],
]
