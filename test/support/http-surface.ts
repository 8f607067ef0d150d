import { randomBytes, randomUUID } from 'node:crypto'
import * as v from 'valibot'
import type { Store } from '../../actors/runtime/ports.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'
import { openBilling } from '../../src/api/billing/payment.ts'
import type { Accounts, HttpDeps, Member } from '../../src/api/deps.ts'
import { createHandle, routesOf } from '../../src/api/handle.ts'
import { errorsOf } from '../../src/api/openapi/errors.ts'
import { routerOf } from '../../src/api/path-match.ts'
import { LOOPBACK } from '../../src/config/network.ts'
import { createMembers } from '../../src/identity/members.ts'
import { createOAuth } from '../../src/identity/oauth.ts'
import { createPairings } from '../../src/identity/pairings.ts'
import { createReadTokens } from '../../src/identity/read-tokens.ts'
import { createMailWishes } from '../../src/identity/request-mails.ts'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { hashToken, keyPrefixOf, newToken } from '../../src/identity/tokens.ts'
import { modelTable } from '../../src/models/prices.ts'
import { createRequestOriginOf, proxiesOf } from '../../src/net/request-origin.ts'
import type { Handler, Request, Response } from '../../src/net/transport.ts'
import { createEndpoints } from '../../src/webhooks/endpoints.ts'
import { ErrorBody } from '../../src/wire/errors.ts'
import { schemaFault } from '../../src/wire/schema-check.ts'
import { resolveReferences } from '../../src/wire/schema-references.ts'
import { groundStore, groundWire } from './http-ground.ts'
import { createFakeTaskService, type FakeTaskService } from './http-task-service.ts'
import { memoryLog } from './http-wire.ts'
import { THEN } from './stores.ts'

export const WEBHOOK_SECRET = 'a secret of the payment provider'
export const ALLOWED_ORIGIN = 'https://app.example.com'

/** The whole HTTP surface over a real store, with a taskService, a sign-in and a clock that the test holds in its hand. */
export interface Surface {
  readonly handle: Handler
  readonly deps: HttpDeps
  readonly taskService: FakeTaskService
  readonly store: Store
  readonly log: ReturnType<typeof memoryLog>
  readonly clock: { at: number }
  readonly relay: { port: number; listening: boolean }
  /** Asks, and holds the answer against what its route says that it may answer. */
  ask(method: string, path: string, options?: Ask): Promise<Answer>
}

export interface Ask {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON of this is sent; a string or bytes are sent as they are. */
  readonly body?: unknown
  readonly bodyTooLarge?: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  readonly json: any
  readonly raw: Response
}

let shared: Awaited<ReturnType<typeof groundStore>> | null = null
const box = createSecretBox(randomBytes(32))

/** @param changes replaces parts: `{ billing: null }`, `{ accounts: null }`. */
export async function makeSurface(changes: Partial<HttpDeps> = {}): Promise<Surface> {
  shared ??= await groundStore()
  const clock = { at: THEN, now: () => clock.at, setTimeout: () => 0, clearTimeout: () => {} }
  const relay = { port: 7862, listening: true }
  const log = memoryLog()
  const taskService = createFakeTaskService(clock.now)
  const deps: HttpDeps = {
    taskService,
    store: shared,
    endpoints: createEndpoints({ store: shared, taskService, box, clock, ids: { uuid: randomUUID } }),
    accounts: fakeAccounts(new Map()),
    members: createMembers({
      ...{ store: shared, tables: shared.authTables, clock: changes.clock ?? clock, mail: null, log },
      onChanged: () => {},
    }),
    mailWishes: createMailWishes(shared.authTables),
    checkSchema: async (_, text) => {
      const resolved = resolveReferences(JSON.parse(text))
      if ('fault' in resolved) return resolved
      const fault = schemaFault(resolved.schema)
      return fault ?? { schema: JSON.stringify(resolved.schema) }
    },
    billing: openBilling({ webhookSecret: WEBHOOK_SECRET, freePerMonth: 20, clock }),
    pages: null,
    requestOriginOf: createRequestOriginOf({
      publicUrl: changes.config?.publicUrl ?? null,
      proxies: proxiesOf(LOOPBACK),
    }),
    readTokens: createReadTokens(shared, changes.clock ?? clock),
    oauth: createOAuth({ store: shared, clock: changes.clock ?? clock, fetchDocument: async () => null }),
    pairings: createPairings({ store: shared, clock: changes.clock ?? clock, ids: { uuid: randomUUID } }),
    prices: modelTable(),
    clock,
    ids: { uuid: randomUUID },
    log,
    config: {
      allowedOrigins: [ALLOWED_ORIGIN, 'http://localhost:3000'],
      version: 'dev',
      startedAt: THEN - 90_500,
      publicUrl: null,
      hosts: ['svc.test'],
      taskStepsMax: 50,
      relayPort: () => relay.port,
      relayListening: () => relay.listening,
    },
    ...changes,
  }
  const handle = createHandle(deps)
  const router = routerOf(routesOf(deps))
  const carry = groundWire(handle)
  return {
    handle,
    deps,
    taskService,
    store: deps.store,
    log,
    clock,
    relay,
    async ask(method, path, options = {}) {
      const request = requestOf(method, path, options)
      const answer = answerOf(await carry(request))
      const found = router.find(method === 'HEAD' ? 'GET' : method, request.path)
      // A wire leaves out the body of an answer to HEAD.
      if (found && (method !== 'HEAD' || answer.raw.body !== null)) expectAllowed(found.route, answer)
      return answer
    },
  }
}

export function requestOf(method: string, target: string, { key, headers, body, bodyTooLarge }: Ask): Request {
  const [path = '', query = ''] = target.split('?')
  return {
    method,
    path,
    query,
    headers: { host: 'svc.test', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
    ip: '127.0.0.1',
    body: bytesOf(body),
    bodyTooLarge: bodyTooLarge ?? false,
    signal: new AbortController().signal,
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array(0)
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function answerOf(raw: Response): Answer {
  const headers = Object.fromEntries(raw.headers.map(([name, value]) => [name.toLowerCase(), value]))
  const isJson = headers['content-type'] === 'application/json'
  return { status: raw.status, headers, json: isJson ? JSON.parse(raw.body as string) : null, raw }
}

/** [E5, E16] A status and a code that the route names, a body as its schema says, and the headers of every answer. */
function expectAllowed(route: ReturnType<typeof routesOf>[number], { status, headers, json }: Answer): void {
  const where = `${route.method} ${route.path}: ${status} ${JSON.stringify(json)}`
  const answer = route.about.answers[status] as v.GenericSchema | readonly [v.GenericSchema, string] | null | undefined
  const codes = errorsOf(route)[status]
  if (answer === undefined && codes === undefined) throw new Error(`no such status: ${where}`)
  if (!/^[0-9a-z-]{8}$/.test(headers['x-request-id'] ?? '')) throw new Error(`no request id: ${where}`)
  if (headers.vary !== 'Origin') throw new Error(`no Vary: ${where}`)
  if (json === null) {
    if (answer === null) return
    if (!Array.isArray(answer) || headers['content-type']?.split(';')[0] !== answer[1])
      throw new Error(`no JSON: ${where}`)
    return
  }
  if (v.is(ErrorBody, json)) {
    if (!codes?.includes(json.code)) throw new Error(`no such code: ${where}`)
    return
  }
  const schema = (Array.isArray(answer) ? answer[0] : answer) as v.GenericSchema | undefined
  if (schema === undefined || !v.is(schema, json)) throw new Error(`not as its schema says: ${where}`)
}

/** A workspace of its own, with a key. */
export async function aWorkspace({ store, clock }: Surface, fields: Partial<WorkspaceRecord> = {}) {
  const workspace: WorkspaceRecord = {
    id: randomUUID(),
    name: 'a workspace',
    plan: 'free',
    members: [],
    createdAt: clock.at,
    ...fields,
  }
  await store.workspaces.insert(workspace)
  return workspace
}

export async function aKey(
  { store, clock }: Surface,
  workspaceId: string = randomUUID(),
  type: 'secret' | 'publishable' = 'secret',
) {
  const key = newToken(type)
  const id = randomUUID()
  await store.keys.insert({
    id,
    workspaceId,
    name: 'a key',
    type,
    keyHash: hashToken(key),
    keyPrefix: keyPrefixOf(key),
    createdAt: clock.at,
    lastUsedAt: null,
  })
  return { id, key, workspaceId }
}

/** A sign-in that knows the cookies `session=<name>` of these users. */
export const fakeAccounts = (members: ReadonlyMap<string, Member>, changes: Partial<Accounts> = {}): Accounts => ({
  signUp: true,
  confirms: false,
  sendsLinks: true,
  sendsMail: true,
  forget: () => {},
  principalOf: async (headers) => members.get(/session=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? '') ?? null,
  confirm: async (_, password) => ({ isPassword: password === 'right', hasPassword: true, isFresh: false, waitMs: 0 }),
  handle: async ({ path }) => ({ status: 200, headers: [['Set-Cookie', 'a=b']], body: `handled ${path}` }),
  socialUrl: async ({ provider, callbackURL }) => ({
    location: `https://${provider}.example/?back=${callbackURL}`,
    cookies: ['state=1', 'nonce=2'],
  }),
  ...changes,
})

/** A user who owns these workspaces. */
export function aMember(name: string, workspaces: readonly WorkspaceRecord[]): Member {
  const userId = randomUUID()
  const own = workspaces.map((workspace) => ({ ...workspace, members: [userId] }))
  return { userId, name, email: `${name}@example.com`, workspaces: own }
}
