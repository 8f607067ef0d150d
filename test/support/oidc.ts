import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The package has no types: what is used of it here. */
interface ProviderClass {
  new (issuer: string, settings: object): { callback(): RequestListener }
}
const { default: Provider } = (await import('oidc-provider' as string)) as { default: ProviderClass }

/** What the provider says of a person who signs in under this name. */
export interface Claims {
  readonly email: string
  readonly email_verified: boolean
  readonly name?: string
}

/** A provider of OpenID Connect on a loopback port, with one client. Everybody who signs in is believed. */
export async function openOidcProvider(options: {
  readonly redirectUri: string
  readonly people: Readonly<Record<string, Claims>>
  readonly port?: number
}): Promise<{ issuer: string; close(): Promise<void> }> {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'tasks',
        client_secret: 'a secret of the client',
        redirect_uris: [options.redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key of the tests'] },
    findAccount: (_: unknown, id: string) =>
      options.people[id] && { accountId: id, claims: () => ({ sub: id, ...options.people[id] }) },
  })
  server.on('request', provider.callback())
  return {
    issuer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Goes through the provider's own pages as `who`, from its address on; resolves to where it leads back to. */
export async function signInThere(at: string, who: string): Promise<string> {
  const cookies = new Map<string, string>()
  const origin = new URL(at).origin
  let next = at
  let body: URLSearchParams | null = null
  for (let steps = 0; steps < 12; steps++) {
    const answer: Response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body === null ? {} : { method: 'POST', body }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    const to = answer.headers.get('location')
    body = null
    if (to !== null) {
      next = new URL(to, next).href
      if (!next.startsWith(origin)) return next
      continue
    }
    const page = await answer.text()
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
    const action = /action="([^"]+)"/.exec(page)?.[1]
    if (!prompt || !action) throw new Error(`${answer.status} at ${next}: ${page.slice(0, 500)}`)
    next = new URL(action, next).href
    body = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login: who, password: 'any' } : {}) })
  }
  throw new Error('The provider leads in circles')
}
