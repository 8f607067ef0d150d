import { closingAddress } from '../machines/addresses.ts'
import { closingMachine } from '../machines/closing.ts'
import type { Ending, TaskRecord } from '../machines/records.ts'
import { monthOf } from './allowance.ts'
import { alarm, messageOf } from './effects.ts'
import { seqOf } from './recorder.ts'
import { follows } from './session.ts'
import type { World } from './world.ts'

/** An ending alive. What the store cannot do now is said by `store.failed`; the machine decides what follows. */
export const closingActor = (world: World) => {
  const { store, billing } = world.ports
  /** Begins what answers by `done`, or by what it says itself. */
  const withStore = (taskId: string, done: string, run: () => Promise<string | undefined>) =>
    world.errands.begin(closingAddress(taskId), async () => {
      try {
        return { type: (await run()) ?? done }
      } catch (error) {
        world.ports.log.warn({ err: messageOf(error) }, 'An ending waits for the store')
        return { type: 'store.failed', message: messageOf(error) }
      }
    })
  return closingMachine.provide({
    actors: { alarm: alarm(world.registry) },
    actions: {
      post: (_, { to, event }) => void world.registry.post(to, event),
      charge: (_, { ending, workspaceId, billed }) =>
        withStore(ending.taskId, 'charge.done', async () => {
          // Whatever happens from here on, it is this ending: it and the last of the conversation are kept first.
          await world.keeper.barrier()
          if (billing && billed && ending.status === 'complete') {
            // What is paid for must not end otherwise, also not after a loss of power.
            await store.sync()
            const month = monthOf(ending.completedAt)
            await store.ledger.charge({ taskId: ending.taskId, workspaceId, month, freePerMonth: billing.freePerMonth })
          }
          return undefined
        }),
      refund: (_, { taskId }) =>
        withStore(taskId, 'refund.done', async () => {
          const record = await store.tasks.get(taskId)
          if (billing && record?.status !== 'complete') await store.ledger.refund(taskId)
          return undefined
        }),
      recordUsage: (_, { ending, workspaceId }) =>
        withStore(ending.taskId, 'usage.recorded', async () => {
          if (ending.status === 'complete') noteComplete(world, ending)
          // The last records are on their way too: the final write comes after them, and after the ending is on the disk.
          await Promise.all([recordUsage(world, ending, workspaceId), world.recorder.flushed(), store.sync()])
          return undefined
        }),
      write: (_, { ending }) =>
        withStore(ending.taskId, 'write.done', async () =>
          (await store.tasks.end(ending)) === 'ended' ? undefined : 'write.late',
        ),
      announce: (_, { ending }) => void announce(world, ending),
      release: (_, { taskId }) => {
        world.pauses.resume(taskId)
        world.conversations.forget(taskId)
      },
    },
  })
}

/** [T] For every ending, once per task. */
async function recordUsage(world: World, ending: Ending, workspaceId: string): Promise<void> {
  const record = await world.ports.store.tasks.get(ending.taskId)
  if (!record) return
  await world.ports.store.usage.record({
    ...ending.usage,
    id: ending.taskId,
    workspaceId,
    apiKeyId: record.apiKeyId,
    taskRunId: ending.taskId,
    model: ending.model ?? world.ports.model.id,
    at: ending.completedAt,
  })
}

function noteComplete(world: World, { taskId, steps: step, answer, completedAt }: Ending): void {
  world.recorder.record({
    taskId,
    seq: seqOf(step, 'complete'),
    step,
    status: 'complete',
    toolName: null,
    toolInput: null,
    output: answer,
    screenshot: null,
    durationMs: null,
    createdAt: completedAt,
  })
}

/** [W R11] After the final write, and only by who made it: the browser's word and the webhook, each at most once. */
async function announce(world: World, ending: Ending): Promise<void> {
  world.vitals.send({ type: 'ended', by: ending.endedBy })
  try {
    const record = await world.ports.store.tasks.get(ending.taskId)
    if (!record) return
    tellBrowser(world, record, ending)
    if (record.webhookUrl !== null && record.door === 'http') {
      await world.ports.webhook.post(record.webhookUrl, webhookBody(record, ending))
    }
  } catch (error) {
    world.ports.log.warn({ taskId: ending.taskId, err: messageOf(error) }, 'An ending was not announced')
  }
}

function tellBrowser(world: World, { id, browserSessionId, requestId }: TaskRecord, ending: Ending): void {
  const request = requestId === null ? {} : { requestId }
  if (ending.endedBy === 'crash' && follows(world, browserSessionId, requestId)) {
    world.ports.outbox.send(browserSessionId, { type: 'task_error', ...request, taskId: id, error: ending.answer })
    return
  }
  const { answer, status } = ending
  world.ports.outbox.send(browserSessionId, { type: 'task_complete', ...request, taskId: id, answer, status })
}

/** The bodies of the spec: `task.failed` when the loop threw, else `task.completed`. */
export function webhookBody(
  record: TaskRecord,
  { endedBy, answer, status, steps, usage, completedAt }: Ending,
): object {
  const { id, createdAt: created_at } = record
  return endedBy === 'crash'
    ? { event: 'task.failed', task: { id, status: 'error', answer } }
    : { event: 'task.completed', task: { id, status, answer, steps, usage, created_at, completed_at: completedAt } }
}
