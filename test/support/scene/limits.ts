import type { Store } from '../../../actors/runtime/ports.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'

/** The limits that a scene's operator has set, and what of the store they are. */
export class SceneLimits extends Map<string, SetLimits> {
  readonly port: Store['limits'] = {
    get: async (workspaceId) => structuredClone(this.get(workspaceId) ?? {}),
    put: async (workspaceId, limits) => void this.set(workspaceId, limits),
    putOwn: async (workspaceId, own) => void this.set(workspaceId, { ...this.get(workspaceId), own }),
    all: () => this.#all(),
  }
  async *#all() {
    for (const [workspaceId, limits] of this) yield { workspaceId, limits }
  }
}
