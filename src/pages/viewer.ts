import { timingSafeEqual } from 'node:crypto'
import type { WorkspaceRecord } from '../../machines/records.ts'
import type { Request, Response } from '../http/transport.ts'
import { hashToken, isPublishable } from '../tokens.ts'
import type { PagesDeps, Sight } from './deps.ts'

/** Who looks at a page. */
export interface Viewer {
  readonly kind: 'member' | 'key' | 'owner'
  /** As the header shows it. */
  readonly name: string
  /** Those that are the viewer's own; of the owner none: the owner looks at actors, not at people's tasks. */
  readonly workspaces: readonly WorkspaceRecord[]
  /** The key that was pasted. */
  readonly keyId: string | null
}
type Deps = Pick<PagesDeps, 'accounts' | 'store' | 'ownerKey'>

export const KEY_COOKIE = 'browser-task.key'
export const OWNER_COOKIE = 'browser-task.owner'
const BEARER = /^bearer +(\S+)$/i

/**
 * Who a request comes from: a Bearer value alone where there is one, else the owner's cookie, a pasted key, or who is
 * signed in. Publishable keys are nobody here: they may not read tasks.
 */
export async function viewerOf({ headers }: Pick<Request, 'headers'>, deps: Deps): Promise<Viewer | null> {
  const bearer = BEARER.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined) return isOwner(bearer, deps) ? OWNER : keyViewer(bearer, deps)
  if (headers.cookie === undefined) return null
  const cookies = cookiesOf(headers.cookie)
  const owner = cookies.get(OWNER_COOKIE)
  if (owner !== undefined && isOwner(owner, deps)) return OWNER
  return withoutOwner(headers, cookies, deps)
}

/** Who a request to the dashboard comes from: the owner has none. */
export async function workerOf({ headers }: Pick<Request, 'headers'>, deps: Deps): Promise<Viewer | null> {
  return headers.cookie === undefined ? null : withoutOwner(headers, cookiesOf(headers.cookie), deps)
}

async function withoutOwner(headers: Request['headers'], cookies: Map<string, string>, deps: Deps) {
  const member = await deps.accounts?.principalOf(headers)
  if (member) {
    return {
      kind: 'member',
      name: `${member.name} (${member.email})`,
      workspaces: member.workspaces,
      keyId: null,
    } as const
  }
  const key = cookies.get(KEY_COOKIE)
  return key === undefined ? null : keyViewer(key, deps)
}

export async function keyViewer(key: string, { store }: Pick<Deps, 'store'>): Promise<Viewer | null> {
  const record = await store.keys.byHash(hashToken(key))
  if (!record || isPublishable(record)) return null
  const workspace = await store.workspaces.get(record.workspaceId)
  if (!workspace) return null
  return { kind: 'key', name: `Key ${record.name}`, workspaces: [workspace], keyId: record.id }
}

const OWNER: Viewer = { kind: 'owner', name: 'Owner of the service', workspaces: [], keyId: null }

export function isOwner(text: string, { ownerKey }: Pick<Deps, 'ownerKey'>): boolean {
  const [given, own] = [hashToken(text), hashToken(ownerKey)]
  return timingSafeEqual(Buffer.from(given), Buffer.from(own))
}

/** What a viewer may see of the actors, for as long as the viewer may. */
export function sightOf(viewer: Viewer, request: Request, deps: Deps): Sight {
  const own = new Set(viewer.workspaces.map(({ id }) => id))
  return {
    counted: viewer.kind === 'owner' ? null : (viewer.workspaces[0]?.id ?? viewer.name),
    sees: (workspaceId) => viewer.kind === 'owner' || (workspaceId !== null && own.has(workspaceId)),
    async stillAllowed() {
      // Who looked with a key looks on with it, though the owner's cookie is there too.
      const asked = viewer.kind === 'owner' || BEARER.test(request.headers.authorization ?? '') ? viewerOf : workerOf
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

function cookiesOf(header: string): Map<string, string> {
  const pairs = header.split(';').map((pair) => pair.trim().split('='))
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]))
}

/** A cookie that no script reads; empty takes it away. It lasts as long as the browser's session. */
export function cookie(name: string, value: string, isSecure: boolean): Response['headers'][number] {
  const secure = isSecure ? '; Secure' : ''
  const age = value === '' ? '; Max-Age=0' : ''
  return ['Set-Cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`]
}

/** Whether a form was sent by a page of ours: browsers say where it stood. */
export function isOurs({ headers }: Pick<Request, 'headers'>, publicUrl: string | null): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined) return site === undefined || site === 'same-origin' || site === 'none'
  return URL.canParse(origin) && (new URL(origin).host === host || origin === publicUrl)
}
