import type { Members } from '../../src/members.ts'

const none = async () => null

/** Workspaces without members or invitations, in which nothing comes of anything. */
export const NO_MEMBERS: Members = {
  list: async () => [],
  invitations: async () => [],
  invite: async () => 'email_invalid',
  revoke: async () => false,
  find: none,
  join: none,
  setRole: async () => 'not_a_member',
  remove: async () => 'not_a_member',
  claim: async () => 'has_members',
}
