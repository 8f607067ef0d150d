import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Clock, Store } from '../../actors/runtime/ports.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../machines/limits.ts'
import type { Ms } from '../../machines/records.ts'
import { AnswerCache } from '../config/answer-cache.ts'
import { Windows } from '../net/windows.ts'
import type { AuthCondition, AuthRow, AuthTables } from '../stores/auth-tables.ts'
import { hashToken, newToken } from './tokens.ts'

/**
 * OAuth 2.1 for assistants that connect by sign-in, as MCP asks for it: public clients, authorization codes with PKCE,
 * opaque tokens of which the store has the hashes. Nothing is kept of a client before somebody allows it.
 */

const CODE_MS = MINUTE_MS
const ACCESS_MS = HOUR_MS
/** Without a use for so long a connection ends. */
const REFRESH_MS = 30 * DAY_MS
/** After so long a person is asked again, however often it was used. */
const GRANT_MS_MAX = 90 * DAY_MS
/** Documents that one person may have read in a minute, and those under way at a time. */
const DOCUMENTS_PER_MINUTE_MAX = 10
const DOCUMENTS_AT_ONCE_MAX = 8
const DOCUMENTS_KEPT = { ttlMs: 5 * MINUTE_MS, entriesMax: 500 }
export const ACCESS_S = ACCESS_MS / 1_000

const CLIENT_SECRET = 'oauthClientSecret'
const CLIENT_PREFIX = 'svc_client_'
const SECRET_BYTES = 32
const NAME_CHARS_MAX = 100
const REDIRECTS_MAX = 10
const URI_CHARS_MAX = 500
const DOCUMENT_BYTES_MAX = 10_000
const [CODES, GRANTS] = ['oauthCode', 'oauthGrant']

/** Who asks: an application that a person may let in. */
export interface OAuthClient {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  /** The site that says so by its document; `null`: the name is what the client calls itself. */
  readonly verifiedHost: string | null
}

/** On whose behalf a client acts: of a user, or of the key that somebody was signed in with. */
export interface Grantor {
  readonly workspaceId: string
  readonly userId: string | null
  readonly keyHash: string | null
}

/** Whoever acted in it: what an owner sees and ends. */
export type WholeWorkspace = Pick<Grantor, 'workspaceId'>

/** What a client may use, and for whom. */
export interface Grant extends Grantor {
  readonly id: string
  readonly clientId: string
  readonly clientName: string
  /** The address that its tokens are for. */
  readonly resource: string
  readonly createdAt: Ms
}

export interface Tokens {
  readonly access: string
  readonly refresh: string
}

/** What a client asks a person for, checked. */
export interface CodeRequest {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
}

export interface OAuth {
  /** A client with this name, if it is one, and these addresses; `null` when one of them cannot be its own. */
  register(name: unknown, redirectUris: unknown): Promise<OAuthClient | null>
  /**
   * The client of this id: one that registered, or the document at an https address, which is fetched for `person` alone.
   * `busy`: the person, or all together, have asked for too many.
   */
  client(id: string, person: string, signal: AbortSignal): Promise<OAuthClient | 'busy' | null>
  /** A code that this client changes into tokens, once, within a minute. */
  createCode(request: CodeRequest, grantor: Grantor): Promise<string>
  /** `null`: the code is not valid any more, or was given to another client, address, verifier or resource. */
  exchange(code: string, given: Exchanged): Promise<Tokens | null>
  /** New tokens for a refresh token, which is used up. Any that was used before ends its grant. */
  refresh(token: string, clientId: string): Promise<Tokens | null>
  /** What an access token opens; `null` when it is not valid (any more). */
  grantOf(accessToken: string): Promise<Grant | null>
  /** Ends what a token, of either kind, belongs to. */
  revoke(token: string): Promise<void>
  /** Those of a person or key, or all of a workspace. */
  list(of: Grantor | WholeWorkspace): Promise<readonly Grant[]>
  remove(id: string, of: Grantor | WholeWorkspace): Promise<boolean>
}

/** What a client shows for its code. */
export interface Exchanged {
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string
  /** `null`: left out. */
  readonly resource: string | null
}

export interface OAuthDeps {
  readonly store: Pick<Store, 'setting'> & { readonly authTables: AuthTables }
  readonly clock: Pick<Clock, 'now'>
  /** Fetches a client's document from the public internet; a redirect is not followed. */
  readonly fetchDocument: (url: string, bytesMax: number, signal: AbortSignal) => Promise<Uint8Array | null>
}

/** [A43] */
export function createOAuth({ store, clock, fetchDocument }: OAuthDeps): OAuth {
  const tables = store.authTables
  const documents = new AnswerCache<OAuthClient>({ ...DOCUMENTS_KEPT, now: () => clock.now() })
  const asked = new Windows(MINUTE_MS, DOCUMENTS_PER_MINUTE_MAX)
  let fetching = 0
  let secret: Promise<string> | null = null
  const sign = async (text: string): Promise<string> => {
    secret ??= store.setting(CLIENT_SECRET, () => randomBytes(SECRET_BYTES).toString('hex'))
    secret.catch(() => {
      secret = null
    })
    return createHmac('sha256', await secret)
      .update(text)
      .digest('base64url')
  }

  async function registered(id: string): Promise<OAuthClient | null> {
    const [text = '', signature = ''] = id.slice(CLIENT_PREFIX.length).split('.')
    if (!isSame(signature, await sign(text))) return null
    const [name, ...redirectUris] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, ...string[]]
    return { id, name, redirectUris, verifiedHost: null }
  }

  async function documented(id: string, person: string, signal: AbortSignal): Promise<OAuthClient | 'busy' | null> {
    const mayFetch = () => fetching < DOCUMENTS_AT_ONCE_MAX && asked.takes(person, clock.now())
    let isBusy = false
    const client = await documents.get(id, async () => {
      isBusy = !mayFetch()
      if (isBusy) return null
      fetching++
      return described(id, signal).finally(() => fetching--)
    })
    return isBusy ? 'busy' : client
  }

  async function described(id: string, signal: AbortSignal): Promise<OAuthClient | null> {
    const { host } = new URL(id)
    const bytes = await fetchDocument(id, DOCUMENT_BYTES_MAX, signal)
    const document = bytes && objectIn(new TextDecoder().decode(bytes))
    if (document?.client_id !== id || !areRedirectUris(document.redirect_uris)) return null
    return { id, name: nameOf(document.client_name, host), redirectUris: document.redirect_uris, verifiedHost: host }
  }

  /** Puts new tokens into a row: the store has their hashes alone. */
  function newTokens(family: string | null): { tokens: Tokens; fields: Record<string, unknown> } {
    const refresh = newToken('refresh')
    const tokens = {
      access: newToken('access'),
      refresh: family === null ? refresh : family + refresh.slice(FAMILY_CHARS),
    }
    const now = clock.now()
    return {
      tokens,
      fields: {
        accessHash: hashToken(tokens.access),
        accessExpiresAt: now + ACCESS_MS,
        refreshHash: hashToken(tokens.refresh),
        familyHash: hashToken(familyOf(tokens.refresh)),
        expiresAt: now + REFRESH_MS,
      },
    }
  }

  const living = () => [where('expiresAt', clock.now(), 'gt'), where('createdAt', clock.now() - GRANT_MS_MAX, 'gt')]

  return {
    async register(name, redirectUris) {
      if (!areRedirectUris(redirectUris)) return null
      const text = Buffer.from(JSON.stringify([nameOf(name, 'An application'), ...redirectUris])).toString('base64url')
      return registered(`${CLIENT_PREFIX}${text}.${await sign(text)}`)
    },

    client: async (id, person, signal) =>
      id.startsWith(CLIENT_PREFIX) ? registered(id) : isDocumentUrl(id) ? documented(id, person, signal) : null,

    async createCode({ client, redirectUri, challenge, resource }, grantor) {
      const code = randomBytes(SECRET_BYTES).toString('base64url')
      await tables.removeAll(CODES, [where('expiresAt', clock.now(), 'lt')])
      await tables.insert(CODES, {
        id: hashToken(code),
        ...{ clientId: client.id, clientName: client.name, redirectUri, challenge, resource },
        ...grantor,
        expiresAt: clock.now() + CODE_MS,
      })
      return code
    },

    async exchange(code, { clientId, redirectUri, verifier, resource }) {
      const id = hashToken(code)
      const row = await tables.take(CODES, [where('id', id)])
      if (row === null) {
        // A second use: somebody else may have had it first.
        await tables.removeAll(GRANTS, [where('codeHash', id)])
        return null
      }
      const isGood =
        row.clientId === clientId &&
        row.redirectUri === redirectUri &&
        row.challenge === challengeOf(verifier) &&
        (resource === null || row.resource === resource) &&
        Number(row.expiresAt) > clock.now()
      if (!isGood) return null
      const { tokens, fields } = newTokens(null)
      const { id: _, challenge: __, redirectUri: ___, expiresAt: ____, ...kept } = row
      await tables.insert(GRANTS, { ...kept, id: randomUUID(), codeHash: id, createdAt: clock.now(), ...fields })
      return tokens
    },

    async refresh(token, clientId) {
      const used = hashToken(token)
      const family = familyOf(token)
      const { tokens, fields } = newTokens(family)
      const mine = [where('refreshHash', used), where('clientId', clientId), ...living()]
      if (await tables.update(GRANTS, mine, fields)) return tokens
      // One of its family that is not the newest was used before: somebody else may have it.
      const [grant] = await tables.find(GRANTS, [where('familyHash', hashToken(family))], { limit: 1 })
      if (grant && grant.refreshHash !== used) await tables.removeAll(GRANTS, [where('id', grant.id)])
      return null
    },

    async grantOf(accessToken) {
      const valid = [
        where('accessHash', hashToken(accessToken)),
        where('accessExpiresAt', clock.now(), 'gt'),
        ...living(),
      ]
      const [row] = await tables.find(GRANTS, valid, { limit: 1 })
      return row ? grantIn(row) : null
    },

    async revoke(token) {
      for (const field of ['accessHash', 'refreshHash'])
        await tables.removeAll(GRANTS, [where(field, hashToken(token))])
    },

    list: async (of) => (await tables.find(GRANTS, [...conditionsOf(of), ...living()])).map(grantIn),
    remove: async (id, of) => (await tables.take(GRANTS, [where('id', id), ...conditionsOf(of)])) !== null,
  }
}

/** [A43] What a user has allowed ends with the password and the sessions that it was allowed with. */
export async function endGrantsOf(userId: string, tables: AuthTables): Promise<void> {
  for (const table of [CODES, GRANTS]) await tables.removeAll(table, [where('userId', userId)])
}

/** The part of a refresh token that all tokens of its grant have, and nobody else knows. */
const FAMILY_CHARS = newToken('refresh').length - 32
const familyOf = (token: string): string => token.slice(0, FAMILY_CHARS)

/** The challenge of PKCE (S256) that belongs to a verifier; never one for a text that is not a verifier. */
const challengeOf = (verifier: string): string | null =>
  /^[\w.~-]{43,128}$/.test(verifier) ? createHash('sha256').update(verifier).digest('base64url') : null

/** Whether a client may be sent back to this address of its own: exactly, but for the port on this machine (RFC 8252). */
export function isRedirectOf({ redirectUris }: OAuthClient, uri: string): boolean {
  if (redirectUris.includes(uri)) return true
  if (!isRedirectUri(uri) || !isLoopback(new URL(uri))) return false
  const withoutPort = (text: string) => Object.assign(new URL(text), { port: '' }).href
  return redirectUris.some((own) => isLoopback(new URL(own)) && withoutPort(own) === withoutPort(uri))
}

const areRedirectUris = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.length <= REDIRECTS_MAX && value.every(isRedirectUri)

/** Applications that have a scheme of their own without a dot. */
const APP_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'claude:'])

/** https, this machine, or the scheme of an application: nothing that a browser would run or open as a file. */
function isRedirectUri(uri: unknown): boolean {
  if (typeof uri !== 'string' || uri.length > URI_CHARS_MAX || !URL.canParse(uri)) return false
  const url = new URL(uri)
  const { protocol, hash, username, password } = url
  if (hash !== '' || uri.includes('#') || username !== '' || password !== '') return false
  return protocol === 'https:' || isLoopback(url) || APP_SCHEMES.has(protocol) || protocol.includes('.')
}

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)

/** An address at which a client describes itself: https, with a path. */
function isDocumentUrl(id: string): boolean {
  if (id.length > URI_CHARS_MAX || !URL.canParse(id)) return false
  const { protocol, pathname, href, hash, username } = new URL(id)
  return protocol === 'https:' && pathname !== '/' && href === id && hash === '' && username === ''
}

const nameOf = (name: unknown, otherwise: string): string =>
  typeof name === 'string' && /\S/.test(name) ? name.replace(/\s+/g, ' ').trim().slice(0, NAME_CHARS_MAX) : otherwise

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const where = (
  field: string,
  value: AuthCondition['value'],
  operator: AuthCondition['operator'] = 'eq',
): AuthCondition => ({ field, value, operator })

const conditionsOf = (of: Grantor | WholeWorkspace): AuthCondition[] => [
  where('workspaceId', of.workspaceId),
  ...('userId' in of ? [where('userId', of.userId), where('keyHash', of.keyHash)] : []),
]

const grantIn = (row: AuthRow): Grant => ({
  id: row.id,
  clientId: String(row.clientId),
  clientName: String(row.clientName),
  workspaceId: String(row.workspaceId),
  userId: row.userId === undefined ? null : String(row.userId),
  keyHash: row.keyHash === undefined ? null : String(row.keyHash),
  resource: String(row.resource),
  createdAt: Number(row.createdAt),
})
