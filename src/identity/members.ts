import type { Clock, Log, Store } from '../../actors/runtime/ports.ts'
import { DAY_MS, HOUR_MS } from '../../machines/limits.ts'
import type { Ms, Role, WorkspaceRecord } from '../../machines/records.ts'
import { Windows } from '../net/windows.ts'
import type { AuthRow, AuthTables } from '../stores/auth-tables.ts'
import type { SendMail } from './mail.ts'
import { roleOf } from './roles.ts'
import { hashToken, newToken } from './tokens.ts'

const INVITATIONS = 'invitation'
const INVITATION_MS = 7 * DAY_MS
/** Members and open invitations of a workspace, together. */
export const MEMBERS_MAX = 100
/** Invitations that one user may send in an hour. */
const INVITATIONS_PER_HOUR_MAX = 30

/** A member, as others see one. */
export interface MemberView {
  readonly userId: string
  /** `null`: the account is not in this store. */
  readonly name: string | null
  readonly email: string | null
  readonly role: Role
}

export interface Invitation {
  /** The hash of its token. */
  readonly id: string
  readonly workspaceId: string
  readonly email: string
  readonly role: Role
  /** Who invited, for a person to read. */
  readonly invitedBy: string
  readonly createdAt: Ms
  readonly expiresAt: Ms
}

export interface MembersDeps {
  readonly store: { readonly workspaces: Pick<Store['workspaces'], 'update' | 'get'> }
  readonly tables: AuthTables
  readonly clock: Pick<Clock, 'now'>
  /** `null`: the person who invites passes the link on. */
  readonly mail: SendMail | null
  readonly log: Log
  /** Called after each change: what was known of who belongs where no longer holds. */
  onChanged(): void
}

/** [A34–A37] The members of workspaces, and the invitations by which they come. */
export interface Members {
  list(workspace: WorkspaceRecord): Promise<MemberView[]>
  /** Open invitations, oldest first. */
  invitations(workspaceId: string): Promise<Invitation[]>
  /** The link that lets its holder join, once, within a week; known to this answer and, with e-mail, to the one who is invited. */
  invite(
    workspace: WorkspaceRecord,
    invited: { readonly email: string; readonly role: Role },
    by: { readonly userId: string; readonly actor: string },
    origin: string,
  ): Promise<
    | { readonly invitation: Invitation; readonly link: string; readonly sent: boolean }
    | 'already_member'
    | 'too_many_members'
    | 'too_many_invitations'
  >
  /** Takes an invitation back; false when it is gone. */
  revoke(workspaceId: string, id: string): Promise<boolean>
  /** What an invitation's token is for; `null`: nothing any more. */
  find(token: string): Promise<{ readonly invitation: Invitation; readonly workspace: WorkspaceRecord } | null>
  /** Joins by an invitation, which is used up. `null`: it is good no more. */
  join(token: string, userId: string): Promise<WorkspaceRecord | null>
  setRole(workspaceId: string, userId: string, role: Role): Promise<Changed>
  /** Also how a user leaves. */
  remove(workspaceId: string, userId: string): Promise<Changed>
  /** [A38] Makes a user the owner of a workspace that nobody has signed in to yet. */
  claim(workspaceId: string, userId: string): Promise<'done' | 'has_owner'>
}
export type Changed = 'done' | 'member_not_found' | 'last_owner'

export function createMembers({ store, tables, clock, mail, log, onChanged }: MembersDeps): Members {
  const { workspaces } = store
  const sent = new Windows(HOUR_MS, INVITATIONS_PER_HOUR_MAX)

  /** Changes who belongs to a workspace, unless nobody would be left to manage it. */
  async function change(
    workspaceId: string,
    userId: string,
    decide: (now: WorkspaceRecord) => WorkspaceRecord,
  ): Promise<Changed> {
    let outcome: Changed = 'member_not_found'
    await workspaces.update(workspaceId, (now) => {
      outcome = 'member_not_found'
      if (roleOf(now, userId) === null) return null
      const next = decide(now)
      outcome = next.members.some((member) => roleOf(next, member) === 'owner') ? 'done' : 'last_owner'
      return outcome === 'done' ? next : null
    })
    onChanged()
    return outcome
  }

  const open = async (where: { readonly id?: string; readonly workspaceId?: string }): Promise<Invitation[]> => {
    const rows = await tables.find(INVITATIONS, conditions(where), { sortBy: { field: 'createdAt', direction: 'asc' } })
    return rows.map((row) => row as AuthRow & Invitation).filter(({ expiresAt }) => expiresAt > clock.now())
  }

  return {
    async list(workspace) {
      const rows = await tables.find('user', [{ field: 'id', operator: 'in', value: [...workspace.members] }])
      const users = new Map(rows.map((row) => [row.id, row]))
      const text = (value: unknown) => (typeof value === 'string' ? value : null)
      return workspace.members.map((userId) => ({
        userId,
        name: text(users.get(userId)?.name),
        email: text(users.get(userId)?.email),
        role: roleOf(workspace, userId) ?? 'viewer',
      }))
    },

    invitations: (workspaceId) => open({ workspaceId }),

    async invite(workspace, { email, role }, by, origin) {
      const { id: workspaceId, name } = workspace
      const to = email.toLowerCase()
      if ((await this.list(workspace)).some((member) => member.email === to)) return 'already_member'
      await tables.removeAll(INVITATIONS, [{ field: 'expiresAt', operator: 'lt', value: clock.now() }])
      const before = await open({ workspaceId })
      if (before.length + workspace.members.length >= MEMBERS_MAX) return 'too_many_members'
      if (!sent.takes(by.userId, clock.now())) return 'too_many_invitations'
      // The newest invitation of an address is the one that counts.
      for (const one of before) if (one.email === to) await tables.take(INVITATIONS, conditions({ id: one.id }))
      const token = newToken('invitation')
      const invitation: Invitation = {
        id: hashToken(token),
        workspaceId,
        email: to,
        role,
        invitedBy: by.actor,
        createdAt: clock.now(),
        expiresAt: clock.now() + INVITATION_MS,
      }
      await tables.insert(INVITATIONS, { ...invitation })
      log.info({ workspaceId, userId: by.userId, role }, 'A member was invited')
      const link = `${origin}/invite/${token}`
      const text = `${by.actor} invites you to the workspace “${name}” as ${ARTICLE[role]}. This link lets you join, once, within a week. If you do not know why, do nothing.`
      mail?.({ to, subject: 'You are invited to a workspace', text, link })
      return { invitation, link, sent: mail?.isSent === true }
    },

    async revoke(workspaceId, id) {
      const row = await tables.take(INVITATIONS, conditions({ id, workspaceId }))
      if (row) log.info({ workspaceId }, 'An invitation was taken back')
      return row !== null
    },

    async find(token) {
      const [invitation] = await open({ id: hashToken(token) })
      const workspace = invitation ? await workspaces.get(invitation.workspaceId) : null
      return invitation && workspace ? { invitation, workspace } : null
    },

    async join(token, userId) {
      const row = (await tables.take(INVITATIONS, conditions({ id: hashToken(token) }))) as
        | (AuthRow & Invitation)
        | null
      if (row === null || row.expiresAt <= clock.now()) return null
      const { workspaceId, role } = row
      await workspaces.update(workspaceId, (now) =>
        roleOf(now, userId) === null ? withRole({ ...now, members: [...now.members, userId] }, userId, role) : null,
      )
      log.info({ workspaceId, userId, role }, 'A member joined')
      onChanged()
      return workspaces.get(workspaceId)
    },

    async setRole(workspaceId, userId, role) {
      const changed = await change(workspaceId, userId, (now) => withRole(now, userId, role))
      if (changed === 'done') log.info({ workspaceId, userId, role }, 'The role of a member was changed')
      return changed
    },

    async remove(workspaceId, userId) {
      const changed = await change(workspaceId, userId, (now) => {
        const { [userId]: _, ...roles } = now.roles ?? {}
        return { ...now, members: now.members.filter((member) => member !== userId), roles }
      })
      if (changed === 'done') log.info({ workspaceId, userId }, 'A member was removed')
      return changed
    },

    async claim(workspaceId, userId) {
      const claimed = await workspaces.update(workspaceId, (now) =>
        now.members.length === 0 ? { ...now, members: [userId], byOperator: true } : null,
      )
      if (claimed) log.info({ workspaceId, userId }, 'A workspace was claimed')
      onChanged()
      return claimed ? 'done' : 'has_owner'
    },
  }
}

const withRole = (now: WorkspaceRecord, userId: string, role: Role): WorkspaceRecord => ({
  ...now,
  roles: { ...now.roles, [userId]: role },
})

export const ARTICLE: Readonly<Record<Role, string>> = { owner: 'an owner', member: 'a member', viewer: 'a viewer' }

const conditions = (where: Readonly<Record<string, string>>) =>
  Object.entries(where).map(([field, value]) => ({ field, operator: 'eq', value }) as const)
