import { createHash } from 'node:crypto'
import type { Clock, Store } from '../../actors/runtime/ports.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'

/**
 * [A14] The workspaces of a user, oldest first; the user's own one is made when there is none. Its id follows from the
 * user's, and the store keeps the first record of an id: requests that race, on any number of machines, make one.
 */
export async function workspacesOf(
  user: { readonly id: string; readonly email: string },
  workspaces: Pick<Store['workspaces'], 'ofMember' | 'insert'>,
  clock: Pick<Clock, 'now'>,
): Promise<readonly WorkspaceRecord[]> {
  const found = await workspaces.ofMember(user.id)
  if (found.length > 0) return [...found].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  for (let number = 1; ; number++) {
    const own = await workspaces.insert({
      id: workspaceIdOf(user.id, number),
      // An address, because two users may share a name, and the command line finds workspaces by theirs.
      name: user.email,
      plan: 'free',
      members: [user.id],
      createdAt: clock.now(),
    })
    // One that the user has left to others is theirs.
    if (own.members.includes(user.id)) return [own]
  }
}

/** A UUID of version 8 (custom), the same for a user whenever it is asked. */
function workspaceIdOf(userId: string, number: number): string {
  const seed = number === 1 ? `workspace of user ${userId}` : `workspace ${number} of user ${userId}`
  const hex = createHash('sha256').update(seed).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
