import type { ClosingInput } from '../machines/closing.ts'
import { closingMachine } from '../machines/closing.ts'
import type { Ending, TaskRecord } from '../machines/records.ts'
import { monthOf } from './allowance.ts'
import { endedEvent } from './events/task-events.ts'
import { concludeRecipe } from './recipe-making.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { alarm, answeringStore, messageOf, posting } from './runtime/effects.ts'
import { notifyBrowser } from './task-frames.ts'
import { callWebhook } from './task-webhook.ts'
import { recordUsage } from './usage-record.ts'

/** Runs the ending of a task. A failure of the store is reported by `store.failed`; the machine decides what follows. */
export const closingActor = (system: ActorSystem) => {
  const { store, billing } = system.ports
  const withStore = <Input>(done: string, run: (input: Input) => Promise<string | undefined>) =>
    answeringStore<Input>(system, 'An ending waits for the store', async (input) => ({
      type: (await run(input)) ?? done,
    }))
  return closingMachine.provide({
    actors: {
      alarm: alarm(system.registry),
      charge: withStore<ClosingInput>('charge.done', async ({ ending, workspaceId, billed }) => {
        // This ending, and the last entries of the log, are durable before anything is charged.
        await system.snapshotWriter.barrier(workspaceId)
        if (!billing || !billed || ending.status !== 'complete') return
        const month = monthOf(ending.completedAt)
        await store.ledger.charge({ taskId: ending.taskId, workspaceId, month, freePerMonth: billing.freePerMonth })
      }),
      refund: withStore<{ taskId: string }>('refund.done', async ({ taskId }) => {
        const record = await store.tasks.get(taskId)
        if (billing && record?.status !== 'complete') await store.ledger.refund(taskId)
      }),
      recordUsage: withStore<{ ending: Ending; workspaceId: string }>('usage.recorded', ({ ending, workspaceId }) =>
        recordUsage(system, ending, workspaceId),
      ),
      write: withStore<{ ending: Ending }>('write.done', async ({ ending }) => {
        return (await writeEnding(system, ending)) ? undefined : 'write.late'
      }),
      callWebhook: withStore<{ ending: Ending }>('webhook.done', ({ ending }) => callWebhook(system, ending)),
    },
    actions: {
      ...posting(system),
      announce: (_, { ending }) => void announce(system, ending),
      release: (_, { taskId }) => {
        system.conversations.forget(taskId)
        system.ports.scripts?.forget(taskId)
        system.events.forget(taskId)
      },
    },
  })
}

/** [D3] The final write, with its event. False when the task has another ending, or was never kept. */
async function writeEnding(system: ActorSystem, ending: Ending): Promise<boolean> {
  const { taskId } = ending
  const { store } = system.ports
  await openLog(system, taskId)
  const { run, made } = await concludeRecipe(system, ending)
  const ended = system.events.prepare(taskId, endedEvent(ending), { steps: ending.steps }, made)
  try {
    const write = ended?.write()
    const whole = run === null ? ending : { ...ending, recipeRun: run }
    let isWritten = (await store.tasks.end(whole, write?.kind === 'log.append' ? write.record : null)) === 'ended'
    if (!isWritten) {
      // The response to an earlier attempt may have been lost: then the stored ending is this one.
      const kept = await store.tasks.get(taskId)
      isWritten = kept !== null && isEndingOf(kept, ending)
    }
    ended?.settled(isWritten)
    if (isWritten && !ended) await logLate(system, ending)
    return isWritten
  } catch (error) {
    ended?.settled(false)
    throw error
  }
}

/** [V1] The record of a start that was given up came after its log was looked for: the log has its end, too. */
async function logLate(system: ActorSystem, ending: Ending): Promise<void> {
  await openLog(system, ending.taskId)
  const ended = system.events.prepare(ending.taskId, endedEvent(ending), { steps: ending.steps })
  const write = ended?.write()
  if (write) await system.ports.store.commit([write])
  ended?.settled(true)
}

/** Opens the event log of a task that has not run since the last start of the service. */
async function openLog({ events, ports, snapshotWriter }: ActorSystem, taskId: string): Promise<void> {
  const record = events.lastLogged(taskId) ? null : await ports.store.tasks.get(taskId)
  if (!record) return
  await events.restore(record)
  events.close(taskId)
  await snapshotWriter.barrier(record.workspaceId)
}

/** Whether the record has this ending, and not one that another process wrote. */
const isEndingOf = (record: TaskRecord, ending: Ending): boolean =>
  (['status', 'answer', 'failure', 'endedBy', 'steps', 'completedAt'] as const).every(
    (field) => record[field] === ending[field],
  )

/** [R32, R33] Sends the task's last frame to the browser: after the final write, and only from the process that made it. */
async function announce(system: ActorSystem, ending: Ending): Promise<void> {
  const { taskId, endedBy, steps, usage } = ending
  system.vitals.send({ type: 'ended', by: endedBy })
  try {
    const record = await system.ports.store.tasks.get(taskId)
    const ms = record ? ending.completedAt - record.createdAt : null
    system.ports.log.info({ taskId, workspaceId: record?.workspaceId, endedBy, steps, ms, ...usage }, 'A task ended')
    // The row says that the ending is announced before it is: after a crash it is not announced again.
    if (record) {
      await system.snapshotWriter.barrier(record.workspaceId)
      notifyBrowser(system, record, ending)
    }
  } catch (error) {
    system.ports.log.warn({ taskId, err: messageOf(error) }, 'An ending could not be sent to its browser')
  }
}
