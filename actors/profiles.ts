import { workspaceAddress } from '../machines/addresses.ts'
import type { WorkspaceContext } from '../machines/workspace-types.ts'
import { PROFILE_SAVE_MS_MAX } from './limits.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { workspaceContext } from './start-facts.ts'
import type { TaskService } from './task-service.ts'

/** [Z12] The browser of an ended task has a moment to save its profile; then the next task may have it. */
export function awaitSave(
  { ports, registry }: ActorSystem,
  { pools, workspaceId }: WorkspaceContext,
  taskId: string,
): void {
  if (!Object.values(pools.writers).includes(taskId)) return
  const release = () => void registry.post(workspaceAddress(workspaceId), { type: 'profile.released', taskId })
  ports.clock.setTimeout(release, PROFILE_SAVE_MS_MAX)
}

/**
 * [Z12] Profiles of tasks, for their browsers. The values come encrypted. A browser reads those of its running task; it saves
 * those of a task that ended in it, once, and those of a sign-in only if the person said that they had signed in. Who was
 * about to save is forgotten at a restart: what comes later is saved unless another task saves the profile, or has since.
 */
export function createTaskProfiles(system: ActorSystem): Pick<TaskService, 'saveProfile'> {
  const { registry, ports } = system
  return {
    async saveProfile(workspaceId, taskId, sessionId, sealed) {
      const task = await ports.store.tasks.get(taskId)
      const profile = task?.browser?.profile
      if (!profile || task.workspaceId !== workspaceId || task.status === 'running') return false
      if (task.browserSessionId !== sessionId) return false
      const writer = workspaceContext(system, workspaceId)?.pools.writers[profile.id]
      if (!profile.save || (writer ?? taskId) !== taskId) return false
      const isWanted = !profile.signIn || task.status === 'complete'
      const since = writer === undefined ? task.completedAt : null
      const at = ports.clock.now()
      // When the store fails, the browser tries again.
      const isSaved = isWanted && (await ports.store.profiles.save(profile.id, sealed, at, since))
      registry.post(workspaceAddress(workspaceId), { type: 'profile.released', taskId })
      return isSaved
    },
  }
}
