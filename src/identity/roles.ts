import type { Role, WorkspaceRecord } from '../../machines/records.ts'

export const ROLES: readonly Role[] = ['owner', 'member', 'viewer']

/**
 * What is done in a workspace. `read`: see tasks, browsers and usage. `act`: start and steer tasks, pair and remove browsers.
 * `manage`: make and delete keys and webhook endpoints, invite people, change their roles.
 */
export type Right = 'read' | 'act' | 'manage'

/** [A33] The one table of who may do what. */
const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  owner: ['read', 'act', 'manage'],
  member: ['read', 'act'],
  viewer: ['read'],
}

export const mayAs = (role: Role, right: Right): boolean => RIGHTS[role].includes(right)

/** What a user is in a workspace; `null`: no member of it. */
export function roleOf({ members, roles }: Pick<WorkspaceRecord, 'members' | 'roles'>, userId: string): Role | null {
  return members.includes(userId) ? (roles?.[userId] ?? 'owner') : null
}
