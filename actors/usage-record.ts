import type { Ending } from '../machines/records.ts'
import type { ActorSystem } from './runtime/actor-system.ts'

/** [B13] For every ending, once per task. */
export async function recordUsage(system: ActorSystem, ending: Ending, workspaceId: string): Promise<undefined> {
  const record = await system.ports.store.tasks.get(ending.taskId)
  if (!record) return
  await system.ports.store.usage.record({
    ...ending.usage,
    id: ending.taskId,
    workspaceId,
    apiKeyId: record.apiKeyId,
    taskRunId: ending.taskId,
    model: ending.model ?? system.ports.model.id,
    outcome: ending.status,
    at: ending.completedAt,
  })
}
