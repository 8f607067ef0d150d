import type { Ms, Role } from './records.ts'

/** Who did what is recorded. `operator`: by command line on a machine of the service; `provider`: the payment provider. */
export type AuditActorKind = 'key' | 'user' | 'browser' | 'schedule' | 'operator' | 'owner' | 'provider'

export interface AuditActor {
  readonly kind: AuditActorKind
  /** Of the key, the user or the browser's session; `null` where there is none. */
  readonly id: string | null
  /** For a person to read: the key's name, or the user's name and address. */
  readonly name: string
  /** Of a user in the workspace. */
  readonly role: Role | null
}

/** Whom a log names: by ids, since what follows a task may be read by others than its workspace. */
export type AuditRef = Pick<AuditActor, 'kind' | 'id'>

/** [O11] Something that was done, or refused, in a workspace. Never a secret, and never the text of a task. */
export interface AuditRecord {
  readonly id: string
  /** `null`: what concerns the service and no workspace. */
  readonly workspaceId: string | null
  readonly at: Ms
  /** An operation of the OpenAPI document, or one of AUDIT_ACTIONS. */
  readonly action: string
  readonly outcome: 'done' | 'refused'
  readonly actor: AuditActor
  /** The key by which it was done. */
  readonly keyId: string | null
  /** The id of what it was done to. */
  readonly resource: string | null
  /** The client's; `null`: on the service's own machine, or over a browser's socket. */
  readonly address: string | null
  /** What was changed, such as the limits that were set. */
  readonly details: Readonly<Record<string, string | number | boolean | null>> | null
}

/** What is noted; what is left out is `null`. The time is now. */
export type AuditEntry = Pick<AuditRecord, 'workspaceId' | 'action' | 'actor'> &
  Partial<Pick<AuditRecord, 'id' | 'outcome' | 'keyId' | 'resource' | 'address' | 'details'>>

/** What is done past the API, by its name in the log. */
export const AUDIT_ACTIONS = [
  'signIn',
  'signOut',
  'changePassword',
  'resetPassword',
  'createResetLink',
  'exportWorkspace',
  'importWorkspace',
  'createBackup',
  'restoreBackup',
  'createInspectorLink',
  'connectApp',
  'useProfile',
  'saveProfile',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** A page of the log, newest first. */
export interface AuditPage {
  /** `null`: what concerns the service alone. Left out: all workspaces. */
  readonly workspaceId?: string | null
  readonly action?: string | undefined
  readonly keyId?: string | undefined
  /** At or after this, and before that. */
  readonly from?: Ms | undefined
  readonly to?: Ms | undefined
  readonly after: { readonly createdAt: Ms; readonly id: string } | null
  readonly limit: number
}
