import { closingAddress } from '../machines/addresses.ts'
import type { Ending, TaskRecord } from '../machines/records.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { messageOf } from './runtime/effects.ts'
import { resultOf } from './task-frames.ts'

/**
 * [W6] [W9] For a start over HTTP that named a webhook, at least once: if the process dies before the response, the next
 * one calls again. A failed call is not repeated.
 */
export async function callWebhook(system: ActorSystem, ending: Ending): Promise<undefined> {
  const record = await system.ports.store.tasks.get(ending.taskId)
  if (record === null || record.webhookUrl === null || record.door !== 'http') return
  try {
    const { webhookUrl } = record
    const body = webhookBody(record, ending)
    await system.webhookCalls.make(closingAddress(record.id), () => system.ports.webhook.post(webhookUrl, body))
  } catch (error) {
    system.ports.log.warn({ taskId: record.id, err: messageOf(error) }, 'A webhook was not called')
  }
}

/** [W1, W2] The body: `task.failed` if the loop threw, else `task.completed`. */
export function webhookBody(record: TaskRecord, ending: Ending): object {
  const { endedBy, answer, status, steps, usage, completedAt: completed_at } = ending
  const { id, createdAt: created_at } = record
  const result = resultOf(ending)
  return endedBy === 'crash'
    ? { event: 'task.failed', task: { id, status: 'error', answer, ...result } }
    : { event: 'task.completed', task: { id, status, answer, steps, usage, created_at, completed_at, ...result } }
}
