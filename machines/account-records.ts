import type { PoolBrowser } from './pools.ts'
import type { Ms } from './records.ts'

/** What is kept of workspaces, their keys and the browsers that are paired with them. */

export interface SessionRecord {
  readonly id: string
  readonly workspaceId: string
  /** The key that paired it, `null` for a signed-in user: a publishable key reaches only its own. */
  readonly keyId: string | null
  readonly label: string | null
  readonly externalUserId: string | null
  readonly tokenHash: string
  readonly createdAt: Ms
  readonly connectedAt: Ms | null
  readonly lastHeartbeat: Ms | null
  readonly expiresAt: Ms
  readonly tabId: number | null
  readonly windowId: number | null
  /** False: this browser only carries out tasks, and may neither start one nor use the language model. Absent is true. */
  readonly allowTasks?: boolean
  /** Paired by a publishable key: its starts have a window of their own. */
  readonly byPublishableKey?: boolean
  /** [Z1] The pool that it belongs to, and how many tasks it takes at a time. */
  readonly pool?: PoolBrowser
}

export interface PairingRecord {
  readonly tokenHash: string
  readonly workspaceId: string
  readonly keyId: string | null
  readonly label: string | null
  readonly externalUserId: string | null
  readonly expiresAt: Ms
  /** Who made the link, for the person who is asked to agree: `key “backend”`, or a user's name and address. */
  readonly createdBy?: string
  /** As in the session that comes of it. */
  readonly allowTasks?: boolean
  readonly byPublishableKey?: boolean
  readonly pool?: PoolBrowser
}

/** One Idempotency-Key in use: what was asked with it, and what it was answered. */
export interface ClaimRecord {
  /** A hash of workspace, route and key. */
  readonly id: string
  /** A hash of what was asked. */
  readonly fingerprint: string
  /** Who carries out the request; a retry that takes over the claim of a process that died has another. */
  readonly holder: string
  /** The id of what the request creates. */
  readonly createdId: string
  /** Encrypted with the key, of which only a hash is kept: an answer may hold a secret. `null` while it is under way. */
  readonly answer: { readonly status: number; readonly body: string } | null
  /** A retry was refused, and an earlier attempt may go on: the key is free for another body, the id is not for another task. */
  readonly isFree?: true
  readonly expiresAt: Ms
}

export interface KeyRecord {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly type: 'secret' | 'publishable'
  readonly keyHash: string
  readonly keyPrefix: string
  readonly createdAt: Ms
  readonly lastUsedAt: Ms | null
}

export interface WorkspaceRecord {
  readonly id: string
  readonly name: string
  readonly plan: string
  /** The signed-in users who belong to it. */
  readonly members: readonly string[]
  /** The roles of those of them who are not owners. Absent: all are owners. */
  readonly roles?: Readonly<Record<string, Role>>
  /** The operator chose its name, and means it by that name though it has members. */
  readonly byOperator?: boolean
  readonly createdAt: Ms
  /** Counts the changes of this record. */
  readonly version?: number
}

/** What a user may do in a workspace: an owner all, a member what concerns tasks and browsers, a viewer only read. */
export type Role = 'owner' | 'member' | 'viewer'

/** [R51] Where a browser says that its user is: a BCP 47 language tag, and an IANA time zone. */
export interface BrowserLocale {
  readonly locale: string | null
  readonly timeZone: string | null
}
