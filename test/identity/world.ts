import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../actors/runtime/ports.ts'
import type { Accounts } from '../../src/api/deps.ts'
import { LOOPBACK } from '../../src/config/network.ts'
import { type AccountsDeps, openAccounts } from '../../src/identity/sign-in.ts'
import { nodeTransport } from '../../src/net/node.ts'
import { createRequestOriginOf, proxiesOf } from '../../src/net/request-origin.ts'
import type { Request as PlainRequest, Response as PlainResponse } from '../../src/net/transport.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'

export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }

export type TestStore = Awaited<ReturnType<typeof openLmdbStore>>

/** An empty store that goes with its folder when it is closed. */
export async function openLmdb(): Promise<{ store: TestStore; close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'accounts-'))
  const store = await openLmdbStore({ dataDir })
  return {
    store,
    async close() {
      await store.close()
      await rm(dataDir, { recursive: true })
    },
  }
}

export const DEVELOPMENT: AccountsDeps['config'] = {
  production: false,
  auth: { secret: null, url: null, google: null, oidc: null },
  allowedOrigins: [],
  signUp: true,
}

export const requestOriginOf = createRequestOriginOf({ publicUrl: null, proxies: proxiesOf(LOOPBACK) })

export function depsOf(store: TestStore, config: Partial<AccountsDeps['config']> = {}): AccountsDeps {
  return {
    config: { ...DEVELOPMENT, ...config },
    store,
    tables: store.authTables,
    clock: { now: () => Date.now() },
    requestOriginOf,
    mail: null,
    confirms: false,
    log: SILENT,
  }
}

/** Accounts that are configured, as every call of this is sure of. */
export async function openedOn(store: TestStore, config: Partial<AccountsDeps['config']> = {}): Promise<Accounts> {
  const accounts = await openAccounts(depsOf(store, config))
  if (!accounts) throw new Error('Sign-in is not configured')
  return accounts
}

/** A cookie jar with a base address: what a browser does, as far as sign-in needs it. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly base: string
  constructor(base: string) {
    this.base = base
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async send(path: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
    const { json, headers, ...rest } = init
    const answer = await fetch(this.base + path, {
      redirect: 'manual',
      ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
      ...rest,
      headers: {
        origin: this.base,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.cookies.size > 0 ? { cookie: this.cookie } : {}),
        ...(headers as Record<string, string>),
      },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  /** A request of the API, in the first workspace or in another one: its status and its JSON. */
  async api(
    method: string,
    path: string,
    { workspace, ...body }: { readonly workspace?: string; readonly [field: string]: unknown } = {},
    // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  ): Promise<{ readonly status: number; readonly json: any }> {
    const answer = await this.send(path, {
      method,
      headers: {
        ...(workspace === undefined ? {} : { 'x-workspace-id': workspace }),
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: await answer.json() }
  }

  signUp(email: string, password = 'correct horse', name = 'Ann'): Promise<Response> {
    return this.send('/api/auth/sign-up/email', { json: { email, password, name } })
  }
  signIn(email: string, password = 'correct horse'): Promise<Response> {
    return this.send('/api/auth/sign-in/email', { json: { email, password } })
  }
}

/** Accounts behind a real listener; `/whoami` says who the cookie belongs to. */
export async function serve(accounts: Accounts): Promise<{ base: string; close(): Promise<void> }> {
  const listener = await nodeTransport(SILENT).listen({
    host: '127.0.0.1',
    port: 0,
    handle: (request) => answer(accounts, request),
    maxBodyBytes: 131_072,
    sockets: {},
  })
  return { base: `http://127.0.0.1:${listener.port}`, close: () => listener.close() }
}

async function answer(accounts: Accounts, request: PlainRequest): Promise<PlainResponse> {
  if (request.path === '/whoami') return json(200, await accounts.principalOf(request.headers))
  try {
    return await accounts.handle(request)
  } catch (error) {
    return json(500, { error: `Auth error: ${(error as Error).message}` })
  }
}

const json = (status: number, body: unknown): PlainResponse => ({
  status,
  headers: [['content-type', 'application/json']],
  body: JSON.stringify(body),
})
