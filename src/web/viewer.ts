import type { AccessScope } from '../../actors/inspection/shown.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'
import { bearerOf } from '../identity/bearer.ts'
import type { PageSession } from '../identity/key-sign-in.ts'
import { mayAs, type Right, roleOf } from '../identity/roles.ts'
import { hashToken, isPublishable } from '../identity/tokens.ts'
import { cookiesOf, setCookie } from '../net/cookies.ts'
import type { Request, Response } from '../net/transport.ts'
import type { PagesDeps } from './deps.ts'

/** Who looks at a page. */
export interface Viewer {
  readonly kind: 'member' | 'key' | 'owner'
  /** As the header shows it. */
  readonly name: string
  /** Those that are the viewer's own; of the owner none: the owner looks at actors, not at people's tasks. */
  readonly workspaces: readonly WorkspaceRecord[]
  /** The key that was pasted. */
  readonly keyId: string | null
  /** Of a member. */
  readonly userId: string | null
}

/** [A33] Whether a viewer may do so in this workspace. A key may do all, but has no members to manage. */
export function may(
  { kind, userId }: Pick<Viewer, 'kind' | 'userId'>,
  workspace: WorkspaceRecord,
  right: Right,
): boolean {
  if (kind !== 'member') return kind === 'key'
  const role = roleOf(workspace, userId ?? '')
  return role !== null && mayAs(role, right)
}
type Cookies = ReturnType<typeof cookiesOf>
type Deps = Pick<PagesDeps, 'accounts' | 'store' | 'sessions' | 'production'>

export type CookieKind = PageSession['kind']
/** [A23] In production only this very host can set it, and only over https. */
const cookieName = (kind: CookieKind, isProduction: boolean): string =>
  `${isProduction ? '__Host-' : ''}browser-task.${kind}-session`

/**
 * Who a request comes from: a Bearer value alone where there is one, else the owner's cookie, a pasted key, or who is
 * signed in. Publishable keys are nobody here: they may not read tasks.
 */
export async function viewerOf({ headers }: Pick<Request, 'headers'>, deps: Deps): Promise<Viewer | null> {
  const bearer = bearerOf(headers.authorization)
  if (bearer !== null) return (await deps.sessions.isOwner(bearer)) ? OWNER : keyViewer(bearer, deps)
  if (headers.cookie === undefined) return null
  const cookies = cookiesOf(headers.cookie)
  if (await sessionIn(cookies, 'owner', deps)) return OWNER
  return withoutOwner(headers, cookies, deps)
}

/** Who a request to the dashboard comes from: the owner has none. */
export async function dashboardUser({ headers }: Pick<Request, 'headers'>, deps: Deps): Promise<Viewer | null> {
  return headers.cookie === undefined ? null : withoutOwner(headers, cookiesOf(headers.cookie), deps)
}

async function withoutOwner(headers: Request['headers'], cookies: Cookies, deps: Deps) {
  const member = await deps.accounts?.principalOf(headers)
  if (member) {
    return {
      kind: 'member',
      name: `${member.name} (${member.email})`,
      workspaces: member.workspaces,
      keyId: null,
      userId: member.userId,
    } as const
  }
  const session = await sessionIn(cookies, 'key', deps)
  return session && viewerOfHash(session.keyHash, deps)
}

/** [A30] The hash of the key that the cookies' owner signed in with. */
export async function keySessionOf(
  cookie: string,
  deps: Pick<Deps, 'sessions' | 'production'>,
): Promise<string | null> {
  return (await sessionIn(cookiesOf(cookie), 'key', deps))?.keyHash ?? null
}

async function sessionIn(
  cookies: Cookies,
  kind: CookieKind,
  deps: Pick<Deps, 'sessions' | 'production'>,
): Promise<PageSession | null> {
  const value = cookies[cookieName(kind, deps.production)]
  const session = value === undefined ? null : await deps.sessions.find(value)
  return session?.kind === kind ? session : null
}

export const keyViewer = (key: string, deps: Pick<Deps, 'store'>): Promise<Viewer | null> =>
  viewerOfHash(hashToken(key), deps)

async function viewerOfHash(keyHash: string, { store }: Pick<Deps, 'store'>): Promise<Viewer | null> {
  const record = await store.keys.byHash(keyHash)
  if (!record || isPublishable(record)) return null
  const workspace = await store.workspaces.get(record.workspaceId)
  if (!workspace) return null
  return {
    kind: 'key',
    name: `Key ${record.name}`,
    workspaces: [workspace],
    keyId: record.id,
    userId: null,
  }
}

const OWNER: Viewer = { kind: 'owner', name: 'Service owner', workspaces: [], keyId: null, userId: null }

/** What a viewer may see of the actors, for as long as the viewer may. */
export function accessScopeOf(viewer: Viewer, request: Request, deps: Deps): AccessScope {
  const own = new Set(viewer.workspaces.map(({ id }) => id))
  return {
    workspaces: [...own],
    counted: viewer.kind === 'owner' ? null : (viewer.workspaces[0]?.id ?? viewer.name),
    sees: (workspaceId) => viewer.kind === 'owner' || (workspaceId !== null && own.has(workspaceId)),
    async stillAllowed() {
      // Who looked with a key looks on with it, though the owner's cookie is there too.
      const asked =
        viewer.kind === 'owner' || bearerOf(request.headers.authorization) !== null ? viewerOf : dashboardUser
      const now = await asked(request, deps)
      return (
        now?.kind === viewer.kind && [...own].every((id) => now.workspaces.some((workspace) => workspace.id === id))
      )
    },
  }
}

/** The workspace that the query names, or the first. */
export function workspaceOf(viewer: Viewer, { query }: Pick<Request, 'query'>): WorkspaceRecord {
  const asked = new URLSearchParams(query).get('workspace')
  const workspace = viewer.workspaces.find(({ id }) => id === asked) ?? viewer.workspaces[0]
  if (!workspace) throw new Error('A viewer has no workspace')
  return workspace
}

interface CookieDeps extends Pick<PagesDeps, 'production'> {
  readonly secure: boolean
}
/** An empty value signs out. */
function cookie(kind: CookieKind, value: string, { production, secure }: CookieDeps): Response['headers'][number] {
  return ['Set-Cookie', setCookie(cookieName(kind, production), value, { secure: production || secure })]
}

type SignInDeps = Pick<PagesDeps, 'sessions' | 'production' | 'requestOriginOf'>

/** [A23] Signs a browser in by a key: the cookie holds a random value, whose hash is kept. */
export async function signedIn(request: Request, kind: CookieKind, key: string, deps: SignInDeps) {
  const value = await deps.sessions.open({ kind, keyHash: hashToken(key) })
  return cookie(kind, value, { production: deps.production, secure: deps.requestOriginOf(request).secure })
}

/** Ends the sign-in by a key, in the store and in the browser. */
export async function signedOut(request: Request, kind: CookieKind, deps: SignInDeps) {
  const value = cookiesOf(request.headers.cookie)[cookieName(kind, deps.production)]
  if (value !== undefined) await deps.sessions.end(value)
  return cookie(kind, '', { production: deps.production, secure: deps.requestOriginOf(request).secure })
}
