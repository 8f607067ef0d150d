import type { Members } from '../../src/identity/members.ts'

const none = async () => null

/** Workspaces without members or invitations, in which nothing comes of anything. */
export const NO_MEMBERS: Members = {
  list: async () => [],
  invitations: async () => [],
  invite: async () => 'already_member',
  revoke: async () => false,
  find: none,
  join: none,
  setRole: async () => 'member_not_found',
  remove: async () => 'member_not_found',
  claim: async () => 'has_owner',
}
