import { randomUUID } from 'node:crypto'
import { betterAuth } from 'better-auth'
import { createAdapterFactory } from 'better-auth/adapters'
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { genericOAuth } from 'better-auth/plugins'
import type { Log } from '../../actors/runtime/ports.ts'
import { PASSWORD_CHARS_MIN, SECOND_MS } from '../../machines/limits.ts'
import type { AuthConfig } from '../config/config.ts'
import type { AuthTables } from '../stores/auth-tables.ts'
import { adapterOf } from './adapter.ts'
import { CLIENT_ADDRESS } from './fetch.ts'
import { RESET_LINK_S, SIGN_IN_ATTEMPTS_MAX, SIGN_IN_REQUESTS_MAX, SIGN_IN_WINDOW_S } from './limits.ts'
import { accountIdOf, bindToIssuer, subjectOf } from './oidc-claims.ts'
import { type Guesses, signedInAccount } from './password-guesses.ts'
import { oneAtATime } from './password-hashing.ts'
import { AUTH_PATH, OIDC } from './path.ts'

export interface AuthOptions {
  readonly secret: string
  readonly production: boolean
  /** Where browsers reach the service; `null`: where each request says that it came to. */
  readonly url: string | null
  readonly google: AuthConfig['google']
  /** `null`: not offered by this instance. */
  readonly oidc: AuthConfig['oidc']
  /** Other origins whose pages may sign in here. */
  readonly trustedOrigins: readonly string[]
  /** Whether strangers may make an account. */
  readonly signUp: boolean
  readonly tables: AuthTables
  /** Counts the passwords that are tried. */
  readonly guesses: Guesses
  readonly log: Log
  /** After a session was made: the user has signed in. */
  onSignIn(userId: string, address: string | null): Promise<void>
  /** After a new password was set by a link. */
  onPasswordReset(userId: string, address: string | null): Promise<void>
  /** Sends the link by which a user sets a new password; `null`: links cannot be sent. */
  readonly sendReset: ((user: { id: string; email: string }, token: string, origin: string) => void) | null
  /**
   * [A42] Sends the link by which somebody who signs up, or has and did not confirm it, proves an address; without a link
   * the letter says that there is an account already. `null`: accounts are made at once.
   */
  readonly sendConfirmation: ((user: { id: string; email: string }, link: string | null) => void) | null
}

/** On a developer's machine everybody has the same address, test suites too. */
const DEVELOPMENT_FACTOR = 15

/**
 * [A12] The sign-in library: email and password, Google when it is configured; no telemetry.
 * What it fails at beyond what its client did is thrown by `handler`.
 */
export function openAuth(options: AuthOptions) {
  const { production, google, oidc, log, sendReset, sendConfirmation } = options
  const attempts = { window: SIGN_IN_WINDOW_S, max: SIGN_IN_ATTEMPTS_MAX * (production ? 1 : DEVELOPMENT_FACTOR) }
  return betterAuth({
    basePath: AUTH_PATH,
    ...(options.url ? { baseURL: options.url } : {}),
    secret: options.secret,
    database: databaseOf(options.tables),
    emailAndPassword: {
      enabled: true,
      disableSignUp: !options.signUp,
      minPasswordLength: PASSWORD_CHARS_MIN,
      resetPasswordTokenExpiresIn: RESET_LINK_S,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: ({ user }, request) =>
        options.onPasswordReset(user.id, request?.headers.get(CLIENT_ADDRESS) ?? null),
      ...(sendReset
        ? {
            // Not awaited: how long an e-mail takes would tell that there is such an account.
            sendResetPassword: async ({ user, token }, request) =>
              sendReset(user, token, options.url ?? new URL(request?.url ?? '').origin),
          }
        : {}),
      ...(sendConfirmation
        ? {
            requireEmailVerification: true,
            onExistingUserSignUp: async ({ user }) => sendConfirmation(user, null),
          }
        : {}),
      password: {
        hash: (password) => oneAtATime(() => hashPassword(password), tooManySignIns),
        verify: (both) => oneAtATime(() => verifyPassword(both), tooManySignIns),
      },
    },
    ...(sendConfirmation
      ? {
          emailVerification: {
            sendOnSignUp: true,
            sendOnSignIn: true,
            autoSignInAfterVerification: true,
            expiresIn: RESET_LINK_S,
            // Not awaited, as above.
            sendVerificationEmail: async ({ user, url }) => sendConfirmation(user, url),
          },
        }
      : {}),
    ...(google ? { socialProviders: { google: { ...google, disableSignUp: !options.signUp } } } : {}),
    plugins: oidc ? [oidcOf(oidc, options)] : [],
    // [A39] Saying that one has an address opens no account: neither at a provider nor by a later link.
    account: { accountLinking: { enabled: false } },
    trustedOrigins: [...options.trustedOrigins],
    telemetry: { enabled: false },
    rateLimit: {
      // Outside production too: hashing a password takes a processor for a tenth of a second.
      enabled: true,
      window: SIGN_IN_WINDOW_S,
      max: SIGN_IN_REQUESTS_MAX,
      customRules: {
        '/sign-in/email': attempts,
        '/sign-up/email': attempts,
        '/change-password': attempts,
        '/request-password-reset': attempts,
        '/reset-password': attempts,
        // Nothing can be guessed here, and a redirect has no address of its own to count by.
        '/sign-in/social': { window: SIGN_IN_WINDOW_S, max: SIGN_IN_REQUESTS_MAX },
      },
    },
    advanced: {
      // [A13] By name, whatever the library would conclude from the address or the environment.
      useSecureCookies: production,
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS] },
      database: { generateId: () => randomUUID() },
    },
    hooks: {
      before: createAuthMiddleware(async (context) => {
        const account = await guessedAccount(context)
        const wait = account === null ? 0 : options.guesses.take(account, addressOf(context), Date.now())
        if (wait > 0) throw tooManyGuesses(wait)
      }),
      after: createAuthMiddleware(async (context) => {
        const account = isAPIError(context.context.returned) ? null : await guessedAccount(context)
        if (account !== null) options.guesses.open(account, addressOf(context))
      }),
    },
    databaseHooks: {
      session: { create: { after: ({ userId, ipAddress }) => options.onSignIn(userId, ipAddress || null) } },
    },
    onAPIError: {
      // [A12] The sign-in page says what failed, with the headers of our pages.
      errorURL: '/dashboard',
      onError(error) {
        if (!isAPIError(error)) throw error
      },
    },
    logger: {
      level: 'warn',
      disableColors: true,
      // Its errors are mostly what clients did: a foreign origin, a wrong password.
      log: (level, message) => (level === 'error' ? log.warn : log.debug).call(log, { from: 'sign-in' }, message),
    },
  })
}
export type Auth = ReturnType<typeof openAuth>

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]
const addressOf = ({ headers }: Context): string | null => headers?.get(CLIENT_ADDRESS) ?? null

/** [A41] The account whose password a request gives, by the name that it is counted under; `null` when it gives none. */
async function guessedAccount(context: Context): Promise<string | null> {
  if (context.path === '/sign-in/email') return String(context.body?.email).toLowerCase()
  if (context.path !== '/change-password') return null
  const session = await getSessionFromCtx(context)
  return session && signedInAccount(session.user.id)
}

const tooManySignIns = (): Error =>
  new APIError('TOO_MANY_REQUESTS', { message: 'Too many sign-ins at once. Try again in a moment.' })

function tooManyGuesses(waitMs: number): APIError {
  const seconds = Math.ceil(waitMs / SECOND_MS)
  const message = `Too many wrong passwords for this account. Wait ${seconds} s, then try again, or ask for a link to set a new password.`
  return new APIError('TOO_MANY_REQUESTS', { message, code: 'TOO_MANY_PASSWORDS' }, { 'Retry-After': String(seconds) })
}

/**
 * [A39] A provider of OpenID Connect, found by its discovery document. ID tokens count when their signature, issuer,
 * audience and nonce are right, which the library verifies, and with the claims that `subjectOf` asks for.
 */
const oidcOf = (
  { issuer, clientId, clientSecret, name }: NonNullable<AuthConfig['oidc']>,
  { signUp, tables }: AuthOptions,
) =>
  genericOAuth({
    config: [
      {
        providerId: OIDC,
        name,
        discoveryUrl: `${issuer}/.well-known/openid-configuration`,
        requireIdTokenVerification: true,
        clientId,
        clientSecret,
        scopes: ['openid', 'email', 'profile'],
        disableSignUp: !signUp,
        async accountSubject(answer) {
          const subject = subjectOf(answer, clientId, Date.now())
          await bindToIssuer(tables, issuer, subject)
          return accountIdOf(issuer, subject)
        },
        mapProfileToUser: ({ name: full, preferred_username: short, email, email_verified }) => ({
          emailVerified: email_verified === true,
          name: [full, short, email].find((each): each is string => typeof each === 'string' && each !== '') ?? 'User',
        }),
      },
    ],
  })

/** Dates are kept as ISO text, all else as it is. */
const databaseOf = (tables: AuthTables) =>
  createAdapterFactory({
    config: {
      adapterId: 'tables',
      supportsDates: false,
      supportsJSON: true,
      supportsBooleans: true,
      supportsArrays: true,
      supportsNumericIds: false,
      transaction: false,
    },
    adapter: () => adapterOf(tables),
  })
