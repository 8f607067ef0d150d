import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Claims = Record<string, unknown>

/** What of its answers an issuer makes up; what is absent is as it should be. An absent value in a patch is left out. */
export interface Lie {
  readonly discovery?: Claims
  readonly header?: Claims
  readonly claims?: Claims | ((honest: Claims) => Claims)
  /** Signs with a key that the issuer does not publish, with its public key as a secret, or not at all. */
  readonly signed?: 'by a foreign key' | 'HS256 with the public key' | 'HS256 with the client secret' | 'not at all'
  /** The ID token itself, as it is sent; `undefined` for none. */
  readonly idToken?: (honest: string) => unknown
  readonly userinfo?: Claims
  readonly jwks?: Claims
  /** Parameters of the way back, beside `code` and `state`. */
  readonly back?: Record<string, string>
}

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const json = (answer: ServerResponse, body: unknown) =>
  answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export const CLIENT = { id: 'tasks', secret: 'a secret of the client' }

/**
 * An issuer of OpenID Connect that speaks the protocol and tells what it is told to: whoever comes is signed in as
 * `person` at once, and each answer is honest but for `lie`. Codes are taken any number of times, PKCE is not looked at.
 */
export async function openLyingIssuer(port = 0) {
  const [own, foreign] = [pair(), pair()]
  const nonces = new Map<string, string>()
  let [person, lie]: [Claims, Lie] = [{ sub: 'nobody' }, {}]

  const server = createServer(async (request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    if (pathname === '/.well-known/openid-configuration') return json(answer, { ...discovery(), ...lie.discovery })
    if (pathname === '/jwks') return json(answer, lie.jwks ?? { keys: [jwkOf(own.publicKey)] })
    if (pathname === '/me') return json(answer, { ...person, ...lie.userinfo })
    if (pathname === '/authorize') {
      const code = randomUUID()
      nonces.set(code, searchParams.get('nonce') ?? '')
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.search = String(new URLSearchParams({ code, state: searchParams.get('state') ?? '', ...lie.back }))
      return answer.writeHead(302, { location: back.href }).end()
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const idToken = idTokenFor(nonces.get(new URLSearchParams(body).get('code') ?? '') ?? '')
    const tokens = { access_token: randomUUID(), token_type: 'Bearer', expires_in: 3600 }
    json(answer, { ...tokens, id_token: lie.idToken ? lie.idToken(idToken) : idToken })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const discovery = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/me`,
    jwks_uri: `${issuer}/jwks`,
    id_token_signing_alg_values_supported: ['RS256'],
  })
  const jwkOf = (key: KeyObject, kid = 'own') => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' })

  function idTokenFor(nonce: string): string {
    const now = Math.floor(Date.now() / 1000)
    const honest: Claims = { iss: issuer, aud: CLIENT.id, iat: now, exp: now + 300, nonce, ...person }
    const claims = typeof lie.claims === 'function' ? lie.claims(honest) : { ...honest, ...lie.claims }
    const alg = lie.signed?.startsWith('HS256') ? 'HS256' : lie.signed === 'not at all' ? 'none' : 'RS256'
    const text = `${base64({ alg, kid: 'own', typ: 'JWT', ...lie.header })}.${base64(claims)}`
    return `${text}.${signatureOf(text)}`
  }
  function signatureOf(text: string): string {
    const bytes = Buffer.from(text)
    const pem = own.publicKey.export({ format: 'pem', type: 'spki' })
    const hmac = (secret: string | Buffer) => createHmac('sha256', secret).update(bytes).digest('base64url')
    if (lie.signed === 'not at all') return ''
    if (lie.signed === 'HS256 with the public key') return hmac(pem)
    if (lie.signed === 'HS256 with the client secret') return hmac(CLIENT.secret)
    return sign('sha256', bytes, (lie.signed ? foreign : own).privateKey).toString('base64url')
  }

  return {
    issuer,
    ownJwk: jwkOf(own.publicKey),
    foreignJwk: jwkOf(foreign.publicKey),
    /** From now on who comes is `as`, and the answers have this lie. */
    tell(as: Claims, told: Lie = {}) {
      person = as
      lie = told
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
