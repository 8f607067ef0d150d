import type { KeyRecord, WorkspaceRecord } from '../../machines/records.ts'
import { bearerOf } from '../identity/bearer.ts'
import type { Grant } from '../identity/oauth.ts'
import type { ReadTokens } from '../identity/read-tokens.ts'
import { roleOf } from '../identity/roles.ts'
import { hashToken, isPublishable, isToken } from '../identity/tokens.ts'
import type { Request } from '../net/transport.ts'
import { MCP_PATH, resourceAt } from '../wire/oauth.ts'
import type { Cors } from './cors.ts'
import type { HttpDeps, Member } from './deps.ts'
import { isForeignChange } from './foreign-origin.ts'
import { KEY_TOUCHED_EVERY_MS, TOUCHED_KEYS_MAX } from './limits.ts'
import type { RouteMatch } from './path-match.ts'
import type { ErrorCode } from './refusals.ts'
import type { Principal, Route } from './route.ts'

export type Authenticate = (request: Request) => Promise<Principal | ErrorCode>

/**
 * [A1–A4, A10, A11, A21, A30] Who a request comes from. A Bearer value is used alone; else the session cookie counts.
 */
export function authenticator(deps: HttpDeps, cors: Cors): Authenticate {
  const touch = toucher(deps)
  const withKey = (record: KeyRecord | null): Principal | ErrorCode => {
    if (record === null) return 'key_invalid'
    touch(record)
    return {
      workspaceId: record.workspaceId,
      keyId: record.id,
      keyName: record.name,
      actor: `the key “${record.name}”`,
      publishable: isPublishable(record),
    }
  }
  /** A start also reads its workspace, meanwhile, if the key was seen before. Nobody looks at that before the key is found again. */
  const withReads = async (request: Request, keyHash: string): Promise<Principal | ErrorCode> => {
    const { keys } = deps.store
    const isStart = request.method === 'POST' && request.path === '/v1/tasks'
    const known = isStart ? keys.lastFound?.(keyHash) : undefined
    const reads = known && deps.taskService.readForStart?.(known.workspaceId)
    const principal = withKey(await keys.byHash(keyHash))
    return reads && typeof principal !== 'string' ? { ...principal, reads } : principal
  }
  /** [A30] Who has signed in to the pages with a key. */
  const withKeySession = async (request: Request, keyHash: string): Promise<Principal | ErrorCode> => {
    const record = await deps.store.keys.byHash(keyHash)
    if (record === null || isPublishable(record)) return 'unauthorized'
    if (isForeignChange(request, cors)) return 'foreign_origin'
    const principal = withKey(record)
    return typeof principal === 'string' ? principal : { ...principal, byCookie: true }
  }
  /** [A43] A token of an assistant opens MCP alone, at the address that it is for. */
  const withGrant = async (request: Request, grant: Grant | null): Promise<Principal | ErrorCode> => {
    const isForMcp = request.isInside === true || request.path === MCP_PATH
    if (!grant || !isForMcp || grant.resource !== resourceAt(deps.requestOriginOf(request).origin)) return 'key_invalid'
    const { workspaceId, userId, keyHash, clientName } = grant
    if (keyHash !== null) return withKey(await deps.store.keys.byHash(keyHash))
    const workspace = await deps.store.workspaces.get(workspaceId)
    const role = workspace && userId !== null ? roleOf(workspace, userId) : null
    if (role === null || userId === null) return 'key_invalid'
    const actor = `the application “${clientName}”`
    return { ...{ workspaceId, keyId: null, keyName: 'session', actor, publishable: false }, userId, role }
  }
  return async (request) => {
    const { cookie } = request.headers
    const key = bearerOf(request.headers.authorization)
    if (key !== null && isToken('access', key)) return withGrant(request, await deps.oauth.grantOf(key))
    if (key !== null) return withReads(request, hashToken(key))
    if (cookie === undefined) return 'unauthorized'
    const member = (await deps.accounts?.principalOf(request.headers)) ?? null
    const keyHash = member === null ? ((await deps.keySession?.(cookie)) ?? null) : null
    return keyHash === null ? withCookie(request, member, cors) : withKeySession(request, keyHash)
  }
}

function withCookie(request: Request, member: Member | null, cors: Cors): Principal | ErrorCode {
  const workspace = member === null ? null : workspaceOf(member, request)
  if (workspace === null) return 'unauthorized'
  if (isForeignChange(request, cors)) return 'foreign_origin'
  const role = member === null ? null : roleOf(workspace, member.userId)
  if (role === null) return 'unauthorized'
  return {
    workspaceId: workspace.id,
    keyId: null,
    keyName: 'session',
    actor: actorOf(member),
    publishable: false,
    ...(member === null ? {} : { userId: member.userId }),
    role,
  }
}

/** [V8] Who comes with a read token and no key; `null` without one. */
export async function readerOf(
  tokens: ReadTokens,
  { params: [taskId = ''] }: RouteMatch<Route>,
  request: Request,
): Promise<Principal | 'read_token_invalid' | null> {
  const token = request.query.includes('token=') ? new URLSearchParams(request.query).get('token') : null
  if (token === null || bearerOf(request.headers.authorization) !== null) return null
  const maker = await tokens.makerOf(token, taskId)
  if (maker === null) return 'read_token_invalid'
  const actor = 'a read token'
  return { ...maker, keyName: actor, actor, publishable: false, readToken: true }
}

const actorOf = (member: Member | null): string => (member ? `${member.name} (${member.email})` : 'a user')

/** [A11] The user's workspace that a request means; `null` when it names one that is not theirs. */
export function workspaceOf(member: Member, request: Request): WorkspaceRecord | null {
  const named = request.headers['x-workspace-id']
  const { workspaces } = member
  return (named === undefined ? workspaces[0] : workspaces.find((workspace) => workspace.id === named)) ?? null
}

/** Remembers when a key was last used, once a minute at most. The request does not wait for it. */
function toucher({ store, clock, log }: HttpDeps): (record: KeyRecord) => void {
  const touched = new Map<string, number>()
  return ({ id, lastUsedAt }) => {
    const now = clock.now()
    if (now - Math.max(touched.get(id) ?? 0, lastUsedAt ?? 0) < KEY_TOUCHED_EVERY_MS) return
    if (touched.size >= TOUCHED_KEYS_MAX) touched.clear()
    touched.set(id, now)
    store.keys.touch(id, now).catch((err) => log.warn({ err, keyId: id }, 'the use of a key was not recorded'))
  }
}
