import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Log, Store } from '../../actors/runtime/ports.ts'
import type { AuditAction } from '../../machines/audit-records.ts'
import { HOUR_MS, MINUTE_MS } from '../../machines/limits.ts'
import type { Accounts, Member, RequestOrigin, RequestOriginOf } from '../api/deps.ts'
import { AnswerCache } from '../config/answer-cache.ts'
import type { Config } from '../config/config.ts'
import { cookiesOf } from '../net/cookies.ts'
import type { Request as PlainRequest, Response as PlainResponse } from '../net/transport.ts'
import { Windows } from '../net/windows.ts'
import type { AuthTables } from '../stores/auth-tables.ts'
import { errorBody } from '../wire/errors.ts'
import { fromFetch, toFetch } from './fetch.ts'
import { RESET_ANSWER_MS, RESET_LINKS_PER_HOUR_MAX, SIGN_IN_CACHE_MAX, SIGN_IN_CACHE_MS } from './limits.ts'
import { madeSecret, SECRET_BYTES } from './made-secrets.ts'
import type { SendMail } from './mail.ts'
import { endGrantsOf } from './oauth.ts'
import { createOidc } from './oidc.ts'
import { Guesses, signedInAccount } from './password-guesses.ts'
import { AUTH_PATH, OIDC } from './path.ts'
import { resetLink } from './reset-link.ts'
import type { Auth } from './sign-in-library.ts'
import { workspacesOf } from './user-workspaces.ts'

/** How long a sign-in proves that the person is there. */
const FRESH_MS = 10 * MINUTE_MS
const NOTHING_SHOWN = { isPassword: false, hasPassword: false, isFresh: false, waitMs: 0 }

export interface AccountsDeps {
  readonly config: Pick<Config, 'production' | 'auth' | 'allowedOrigins' | 'signUp'>
  readonly store: Pick<Store, 'setting'> & { readonly workspaces: Pick<Store['workspaces'], 'ofMember' | 'insert'> }
  readonly tables: AuthTables
  readonly clock: Pick<Clock, 'now'>
  readonly requestOriginOf: RequestOriginOf
  /** `null`: links cannot be sent. */
  readonly mail: SendMail | null
  /** [A42] Whether who signs up confirms the address by e-mail. */
  readonly confirms: boolean
  readonly log: Log
  /** Called after a user has done something that concerns their account. */
  readonly onUser?: OnUser
}

/** [O11] A user has signed in, or has set a new password by a link. */
export type OnUser = (action: AuditAction, user: Member, address: string | null) => void

/**
 * [A3] [A10–A18] Sign-in. Outside production a secret is made once and kept in the store;
 * in production without one sign-in is not configured, and this resolves to `null`.
 */
export async function openAccounts(deps: AccountsDeps): Promise<Accounts | null> {
  const { config, store, clock } = deps
  const secret = config.auth.secret ?? (config.production ? null : await madeSecret(store))
  if (secret === null) return null
  const cookieName = `${config.production ? '__Secure-' : ''}better-auth.session_token`
  const cache = new AnswerCache<Member>({
    ttlMs: SIGN_IN_CACHE_MS,
    entriesMax: SIGN_IN_CACHE_MAX,
    now: () => clock.now(),
  })
  const guesses = new Guesses()
  const resets = new Windows(HOUR_MS, RESET_LINKS_PER_HOUR_MAX)
  const confirmations = new Windows(HOUR_MS, RESET_LINKS_PER_HOUR_MAX)

  if (deps.confirms) await keepEarlierUsers(deps)

  // The library takes a second to load: that is paid by who signs in first, not by every start.
  let opened: Promise<Auth> | null = null
  const library = () => {
    opened ??= load(null)
    return opened
  }
  // [A40] The one that signs up who is invited: the library knows its answer to strangers from its start.
  let openedToGuests: Promise<Auth> | null = null
  const guestLibrary = () => {
    openedToGuests ??= load(null, true)
    return openedToGuests
  }
  const oidc = createOidc(config.auth.oidc, load)
  async function load(oidc: Config['auth']['oidc'], signUp = config.signUp): Promise<Auth> {
    const { openAuth } = await import('./sign-in-library.ts')
    const auth = openAuth({
      ...config.auth,
      oidc,
      secret: secret ?? '',
      production: config.production,
      signUp,
      trustedOrigins: config.allowedOrigins,
      tables: deps.tables,
      guesses,
      log: deps.log,
      async onSignIn(userId, address) {
        deps.log.info({ userId }, 'A user signed in')
        await tell('signIn', userId, address)
      },
      onPasswordReset: (userId, address) => tell('resetPassword', userId, address),
      sendReset: deps.mail && ((user, token, origin) => sendReset(user, resetLink(origin, token))),
      sendConfirmation: deps.confirms ? sendConfirmation : null,
    })
    /** Makes a new user's own workspace, too. */
    async function tell(action: AuditAction, userId: string, address: string | null): Promise<void> {
      const { internalAdapter } = await auth.$context
      const user = await internalAdapter.findUserById(userId)
      if (!user) return
      if (action === 'resetPassword') {
        guesses.forget(user.email)
        await endGrantsOf(userId, deps.tables)
      }
      const workspaces = await workspacesOf(user, store.workspaces, clock)
      deps.onUser?.(action, { userId, name: user.name, email: user.email, workspaces }, address)
    }
    return auth
  }

  /** [A31] */
  function sendReset({ id, email }: { id: string; email: string }, link: string): void {
    if (!resets.takes(id, clock.now())) return
    deps.log.info({ userId: id }, 'A link to set a new password was made')
    const text =
      'Somebody, hopefully you, asked to set a new password for your account. This link does so, once, within an hour. If it was not you, do nothing: your password stays as it is.'
    deps.mail?.({ to: email, subject: 'Set a new password', text, link })
  }

  /** [A42] */
  function sendConfirmation({ id, email }: { id: string; email: string }, link: string | null): void {
    if (!confirmations.takes(id, clock.now())) return
    const [subject, text] = link === null ? KNOWN : CONFIRM
    deps.mail?.({ to: email, subject, text, link: link ?? '' })
  }

  async function sessionOf(cookie: string) {
    const headers = new Headers({ cookie: `${cookieName}=${cookie}` })
    return (await library()).api.getSession({ headers, query: { disableRefresh: true } })
  }

  async function memberOf(cookie: string): Promise<Member | null> {
    const session = await sessionOf(cookie)
    if (!session) return null
    const { id, name, email } = session.user
    return { userId: id, name, email, workspaces: await workspacesOf({ id, email }, store.workspaces, clock) }
  }

  return {
    signUp: config.signUp,
    confirms: deps.confirms,
    sendsLinks: deps.mail !== null,
    sendsMail: deps.mail?.isSent === true,

    async principalOf(headers) {
      const cookie = cookieOf(headers.cookie, cookieName)
      return cookie === null ? null : cache.get(cookie, () => memberOf(cookie))
    },

    forget: () => cache.forget(),

    async confirm(headers, password) {
      const cookie = cookieOf(headers.cookie, cookieName)
      const found = cookie === null ? null : await sessionOf(cookie)
      if (!found) return NOTHING_SHOWN
      const { user, session } = found
      const context = await (await library()).$context
      const hash = (await context.internalAdapter.findAccounts(user.id)).find((account) => account.password)?.password
      const isFresh = clock.now() - new Date(session.createdAt).getTime() < FRESH_MS
      const account = signedInAccount(user.id)
      const mayTry = hash != null && password !== ''
      const waitMs = mayTry ? guesses.take(account, null, clock.now()) : 0
      const isPassword = mayTry && waitMs === 0 && (await context.password.verify({ hash, password }))
      if (isPassword) guesses.open(account, null)
      return { isPassword, hasPassword: hash != null, isFresh, waitMs }
    },

    async handle(request, isInvited = false) {
      const changes = request.method !== 'GET' && request.method !== 'HEAD'
      const isSilent = request.path === RESET_PATH || (deps.confirms && request.path === SIGN_UP_PATH)
      const until = isSilent ? pause(RESET_ANSWER_MS) : null
      try {
        const isGuest = isInvited && !config.signUp && request.path === SIGN_UP_PATH
        const cookie = ENDS_GRANTS.includes(request.path) ? cookieOf(request.headers.cookie, cookieName) : null
        const ends = cookie === null ? null : await sessionOf(cookie)
        const auth = await (config.auth.oidc && request.path === OIDC_CALLBACK
          ? oidc()
          : isGuest
            ? guestLibrary()
            : library())
        const given = await answer(auth, request, deps.requestOriginOf(request))
        if (ends && given.status < 400) await endGrantsOf(ends.user.id, deps.tables)
        return isSilent && request.path === SIGN_UP_PATH && given.status < 400 ? ON_ITS_WAY : given
      } finally {
        await until
        if (changes) cache.forget()
      }
    },

    async socialUrl({ provider, callbackURL, requestOrigin }) {
      const auth = await (config.auth.oidc && provider === OIDC ? oidc() : library())
      const asked = await auth.handler(
        toFetch(socialRequest(provider, callbackURL, requestOrigin.origin), requestOrigin),
      )
      const body: unknown = await asked.json()
      const url = typeof body === 'object' && body !== null && 'url' in body ? body.url : null
      if (!asked.ok || typeof url !== 'string') throw new Error(`Sign-in with ${provider} is not possible`)
      return { location: url, cookies: asked.headers.getSetCookie() }
    },
  }
}

const OIDC_CALLBACK = `${AUTH_PATH}/callback/${OIDC}`
/** [A43] What applications were let in with ends with these, too. */
const ENDS_GRANTS = ['change-password', 'revoke-sessions', 'revoke-other-sessions'].map(
  (path) => `${AUTH_PATH}/${path}`,
)
const SIGN_UP_PATH = `${AUTH_PATH}/sign-up/email`
const RESET_PATH = `${AUTH_PATH}/request-password-reset`

/** [A42] The library's own answer has more of a new account than of one that was there. */
const ON_ITS_WAY: PlainResponse = {
  status: 200,
  headers: [['content-type', 'application/json']],
  body: JSON.stringify({ status: true }),
}

const CONFIRM = [
  'Confirm your e-mail address',
  'Somebody, hopefully you, signed up with this address. This link confirms it and signs you in, within an hour. If it was not you, do nothing.',
] as const
const KNOWN = [
  'You have an account already',
  'Somebody, hopefully you, tried to sign up with this address, which has an account. Sign in with its password, or ask for a link to set a new one. If it was not you, do nothing.',
] as const

/** [A42] Accounts that were made before addresses were confirmed go on as they are. */
async function keepEarlierUsers({ store, tables }: Pick<AccountsDeps, 'store' | 'tables'>): Promise<void> {
  const mark = randomBytes(SECRET_BYTES).toString('base64url')
  if ((await store.setting('addresses are confirmed', () => mark)) !== mark) return
  await tables.updateAll('user', [], { emailVerified: true })
}

/** [A16] A failure of the library's own is thrown, whichever way it reports it. */
async function answer(auth: Auth, request: PlainRequest, requestOrigin: RequestOrigin): Promise<PlainResponse> {
  if (request.bodyTooLarge) throw new Error('the body is too large')
  const response = await fromFetch(await auth.handler(toFetch(request, requestOrigin)))
  if (response.status >= 500) throw new Error(messageOf(response.body) ?? `status ${response.status}`)
  if (response.status !== 404 || response.body !== null) return response
  const notFound = JSON.stringify(errorBody('not_found', 'Not found'))
  return { status: 404, headers: [['content-type', 'application/json']], body: notFound }
}

function messageOf(body: PlainResponse['body']): string | null {
  try {
    const { message } = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body ?? undefined))
    return typeof message === 'string' ? message : null
  } catch {
    return null
  }
}

/** The value of a cookie as it was sent, signature included; `null` when it is absent, or could not be sent on. */
const cookieOf = (header: string | undefined, name: string): string | null =>
  /^[\x21-\x7e]+$/.exec(cookiesOf(header)[name] ?? '')?.[0] ?? null

/** A link cannot ask for a sign-in with POST, so this asks in its place, as a page of ours would: its checks all apply. */
function socialRequest(provider: string, callbackURL: string, origin: string) {
  return {
    method: 'POST',
    path: `${AUTH_PATH}/sign-in/social`,
    query: '',
    headers: { 'content-type': 'application/json', origin },
    body: new TextEncoder().encode(
      JSON.stringify({ provider, callbackURL, errorCallbackURL: '/dashboard', disableRedirect: true }),
    ),
  }
}
