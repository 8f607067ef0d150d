import type { OwnedShard } from '../../../actors/cluster/ports.ts'
import type { Write } from '../../../actors/runtime/ports.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Watch } from '../watch.ts'
import type { KeptInDatabase } from './kept.ts'

export interface WatchedShardOptions {
  readonly kept: KeptInDatabase
  readonly watch: Watch
  readonly scheduler: Scheduler
  readonly countsStarts: boolean
}

/** The shard as its owner has it, whose acknowledged writes are looked at: they are there, and of the only epoch. */
export function watchedShard(
  owned: OwnedShard,
  { kept, watch, scheduler, countsStarts }: WatchedShardOptions,
): OwnedShard {
  const { store, shard, epoch } = owned
  /** Only one epoch of a shard can commit: none that began after a newer one was taken. */
  const allowed = (what: string, begunAt: number) => {
    if (kept.wasTakenBefore(shard, epoch, begunAt))
      watch.broken(`${what} under epoch ${epoch} of shard ${shard} is acknowledged, and a newer one had been taken`)
  }
  const acknowledged = (writes: readonly Write[]) => {
    for (const write of writes) {
      if (write.kind === 'task.insert') {
        if (!kept.tasks.has(write.record.id)) watch.broken(`${write.record.id} is committed and not kept`)
        if (countsStarts) watch.granted(write.record)
      } else if (write.kind === 'journal.append') {
        const { taskId, seq, entry } = write
        kept.promise('journal', `${taskId}:${seq}`, JSON.stringify(entry))
        if (entry.kind === 'result') kept.resulted.add(entry.requestId)
      } else if (write.kind === 'event.append') {
        const { taskId, seq, event } = write.record
        kept.promise('events', `${taskId}:${seq}`, JSON.stringify(event))
      }
    }
  }
  return {
    ...owned,
    store: {
      ...store,
      async commit(writes) {
        const begunAt = scheduler.time
        const now = structuredClone(writes) as Write[]
        await store.commit(writes)
        allowed('a commit', begunAt)
        acknowledged(now)
      },
      tasks: {
        ...store.tasks,
        async end(ending, event) {
          const begunAt = scheduler.time
          const outcome = await store.tasks.end(ending, event)
          if (outcome === 'ended') allowed(`the end of ${ending.taskId}`, begunAt)
          return outcome
        },
      },
    },
  }
}
