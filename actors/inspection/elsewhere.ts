import type { Inspection } from './inspection.ts'
import type { ActorDetail, ActorLine } from './shown.ts'

/** [M8] The actors of workspaces that other nodes own. What cannot be asked is empty: the owner may be changing. */
export interface Elsewhere {
  /** The other node that owns a workspace; `null`: this one does, or nobody at this moment. */
  nodeOf(workspaceId: string): string | null
  lines(workspaceId: string): Promise<readonly ActorLine[]>
  /** As `Inspection.detail`; `null` for an actor of another workspace, too. */
  detail(workspaceId: string, address: string, seq: number): Promise<ActorDetail | null>
}

const NOBODY = { moved() {} }

/** What another node may ask about the actors of this one. Each call counts as a viewer. */
export const actorCalls = (inspection: Inspection | undefined) => ({
  async actors(workspaceId: string): Promise<ActorLine[]> {
    inspection?.watch(NOBODY)()
    return inspection?.lines((id) => id === workspaceId) ?? []
  },
  actor: async (workspaceId: string, address: string, seq: number): Promise<ActorDetail | null> =>
    inspection?.workspaceOf(address) === workspaceId ? inspection.detail(address, seq) : null,
})
