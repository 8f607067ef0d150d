import type * as v from 'valibot'
import type { StartReads } from '../../actors/task-service.ts'
import type { Role } from '../../machines/records.ts'
import type { Right } from '../identity/roles.ts'
import type { Request, Response } from '../net/transport.ts'
import type { Shape } from '../wire/parse.ts'
import { Task } from '../wire/tasks.ts'
import type { GuardedAction } from './publishable-keys.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** On whose behalf a request acts. */
export interface Principal {
  readonly workspaceId: string
  /** `null` for a signed-in user, who acts with a synthetic key. */
  readonly keyId: string | null
  /** The key's name; `session` for a signed-in user. */
  readonly keyName: string
  /** Who that is, for a person to read: `the key “backend”`, or a user's name and address. */
  readonly actor: string
  readonly publishable: boolean
  /** Of a signed-in user. */
  readonly userId?: string
  /** [A33] Of a signed-in user; left out: a key, which may do what its kind may. */
  readonly role?: Role
  /** [A30] Came with the cookie of a sign-in by a key. */
  readonly byCookie?: boolean
  /** What a start reads of the workspace, begun while the key was looked up. */
  readonly reads?: StartReads
  /** [V8] Came with a read token: it counts when a stream is opened, and not later. */
  readonly readToken?: boolean
}

/** One call of a route, authenticated and parsed. */
export interface Call<Body = unknown, Query = unknown> {
  readonly request: Request
  /** The values of the path's parameters (`:id` …), in order. */
  readonly params: readonly string[]
  readonly body: Body
  readonly query: Query
}
export interface KeyCall<Body = unknown, Query = unknown> extends Call<Body, Query> {
  readonly principal: Principal
  /** Whether the key or cookie of the request is still good: asked again while a stream is open. */
  readonly isAllowed: () => Promise<boolean>
  /** [E21] Of a POST with an Idempotency-Key. */
  readonly claim: Claim | null
}

/** A call by a signed-in user. */
export interface UserCall<Body = unknown> extends KeyCall<Body> {
  readonly principal: Principal & { readonly userId: string; readonly role: Role }
}

/** An Idempotency-Key that this request holds. */
export interface Claim {
  /** The id of what the request creates: the same for a retry, so that it exists once. */
  readonly createdId: string
  /** An earlier attempt was cut short: what it was to do may be done. */
  readonly again: boolean
  /** What was tried failed and left nothing that could go on: a retry begins anew, with another id. */
  letGo(): void
}

/** What a route may answer beside what every route may: the document is made of this, and so is the tests' oracle. */
export interface About {
  readonly summary: string
  readonly tag:
    | 'Service'
    | 'Browser sessions'
    | 'Tasks'
    | 'Events'
    | 'Files'
    | 'API keys'
    | 'Members'
    | 'Webhooks'
    | 'Usage and billing'
    | 'Audit log'
    | 'Recipes'
    | 'Profiles'
  /** By status: the schema of the JSON, or the content type of a body that is not JSON; `null`: no body. */
  readonly answers: Readonly<Record<number, v.GenericSchema | readonly [schema: v.GenericSchema, other: string] | null>>
  /** By status: every `code`. Those of parsing and authentication are added by the document. */
  readonly errors?: Readonly<Record<number, readonly string[]>>
}

export interface Route {
  readonly method: Method
  /** With `:name` for a segment of any text. */
  readonly path: string
  /** `open` routes are asked before authentication; those of a `user` by a person who is signed in with an account alone. */
  readonly access: 'open' | 'key' | 'user'
  readonly action: GuardedAction | null
  /** [A33] What a signed-in user must be allowed to do in the workspace. */
  readonly right: Right
  /** [V8] A read token of the task in its path opens it, too. */
  readonly readToken: boolean
  /** `raw`: the bytes are the route's own; `bytes`: they are a file. `null`: whatever is sent is ignored. */
  readonly body: Shape | 'raw' | 'bytes' | null
  readonly query: Shape | null
  readonly about: About
  readonly run: (call: KeyCall) => Response | Promise<Response>
}

const MANAGED: ReadonlySet<GuardedAction> = new Set([
  'create API keys',
  'delete API keys',
  'manage webhooks',
  'change limits',
])

/** [A33] Where a route does not say itself what a user must be allowed to do. */
const rightFor = (method: Method, action: GuardedAction | null): Right =>
  method === 'GET' ? 'read' : action !== null && MANAGED.has(action) ? 'manage' : 'act'

/** [E21] Whether a route takes an Idempotency-Key: every POST of somebody who is known. */
export const isIdempotent = ({ access, method }: Pick<Route, 'access' | 'method'>): boolean =>
  access !== 'open' && method === 'POST'

/** Whether a route answers with a task that it has started. */
export const startsTasks = ({ about: { answers } }: Pick<Route, 'about'>): boolean => answers[201] === Task

interface Spec<Body extends Shape | 'raw' | 'bytes' | undefined, Query extends Shape | undefined> {
  readonly method: Method
  readonly path: string
  readonly body?: Body
  readonly query?: Query
  readonly about: About
}
type Value<Of> = Of extends Shape ? v.InferOutput<Of> : unknown

/** A route that anybody may ask. */
export function publicRoute<
  Body extends Shape | 'raw' | 'bytes' | undefined = undefined,
  Query extends Shape | undefined = undefined,
>(
  spec: Spec<Body, Query> & { readonly run: (call: Call<Value<Body>, Value<Query>>) => Response | Promise<Response> },
): Route {
  const { body, query, run, ...rest } = spec
  // The dispatcher hands over exactly what these schemas gave.
  return {
    ...rest,
    access: 'open',
    action: null,
    right: 'read',
    readToken: false,
    body: body ?? null,
    query: query ?? null,
    run: run as Route['run'],
  }
}

/** A route for those who are known; with `action`, not for publishable keys. */
export function keyRoute<
  Body extends Shape | 'raw' | 'bytes' | undefined = undefined,
  Query extends Shape | undefined = undefined,
>(
  spec: Spec<Body, Query> & {
    readonly action?: GuardedAction
    readonly right?: Right
    readonly readToken?: boolean
    readonly run: (call: KeyCall<Value<Body>, Value<Query>>) => Response | Promise<Response>
  },
): Route {
  const { action = null, right, readToken, body, query, run, ...rest } = spec
  return {
    ...rest,
    access: 'key',
    action,
    right: right ?? rightFor(rest.method, action),
    readToken: readToken ?? false,
    body: body ?? null,
    query: query ?? null,
    run: run as Route['run'],
  }
}

/** A route for people who are signed in with an account, with this right in the workspace. */
export function userRoute<Body extends Shape | undefined = undefined>(
  spec: Omit<Spec<Body, undefined>, 'query'> & {
    readonly right: Right
    readonly run: (call: UserCall<Value<Body>>) => Response | Promise<Response>
  },
): Route {
  const { run, ...rest } = spec
  // The dispatcher lets nobody else through.
  return { ...keyRoute({ ...rest, run: run as unknown as Route['run'] }), access: 'user' }
}
