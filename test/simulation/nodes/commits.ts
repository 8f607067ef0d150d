import type { OwnedShard } from '../../../actors/cluster/ports.ts'
import type { Write } from '../../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import type { Kept } from '../database/kept.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Watch } from '../watch.ts'
import type { ShardsKept } from './shards-kept.ts'

export interface WatchedShardOptions {
  readonly kept: Kept
  readonly shards: ShardsKept
  readonly watch: Watch
  readonly scheduler: Scheduler
  readonly countsStarts: boolean
  /** Whether the owner reaches a store that is well, and its answers. */
  readonly storeIsWell: () => boolean
}

/** A commit that the store took all the while is not given up at a hand-over within this time. */
const COMMIT_MS_MAX = SECOND_MS

/** The shard as its owner has it, whose acknowledged writes are looked at: they are there, and of the only epoch. */
export function watchedShard(owned: OwnedShard, options: WatchedShardOptions): OwnedShard {
  const { kept, shards, watch, scheduler, countsStarts, storeIsWell } = options
  const { store, shard, epoch } = owned
  const under = new Set<{ readonly begunAt: number }>()
  let failedAt = Number.NEGATIVE_INFINITY
  const acknowledged = (write: Write) => {
    if (write.kind === 'task.insert') {
      if (!kept.tasks.has(write.record.id)) watch.broken(`${write.record.id} is committed and not kept`)
      if (countsStarts) watch.granted(write.record)
    } else if (write.kind === 'log.append') {
      const { taskId, entries } = write.record
      const log = kept.log(taskId)
      for (const entry of entries)
        if (JSON.stringify(log.find(({ n }) => n === entry.n)) !== JSON.stringify(entry))
          watch.broken(`entry ${entry.n} of ${taskId} is committed and not kept`)
    }
  }
  return {
    ...owned,
    store: {
      ...store,
      async commit(writes) {
        const one = { begunAt: scheduler.time }
        const starts = writes.some(({ kind }) => kind === 'task.insert')
        const now = structuredClone(writes) as Write[]
        // A start that is being kept, and the last event of a task, are as after a crash: nobody has been told of them.
        if (writes.some(({ kind }) => kind === 'actor.remove' || (kind === 'actor.put' && !starts))) under.add(one)
        try {
          await store.commit(writes)
        } catch (error) {
          failedAt = scheduler.time
          throw error
        } finally {
          under.delete(one)
        }
        // [M2] Only one epoch of a shard can commit: none that began after a newer one was taken.
        if (shards.wasTakenBefore(shard, epoch, one.begunAt))
          watch.broken(
            `a commit under epoch ${epoch} of shard ${shard} is acknowledged, and a newer one had been taken`,
          )
        for (const write of now) acknowledged(write)
      },
    },
    /** [M7] What is to be written is written first, unless the store takes its time. */
    async release() {
      const isCut = [...under].some(
        ({ begunAt }) => begunAt < scheduler.time && scheduler.time - begunAt < COMMIT_MS_MAX,
      )
      if (isCut && scheduler.time - failedAt > 4 * SECOND_MS && storeIsWell())
        watch.broken(`shard ${shard} is handed over while a commit under epoch ${epoch} is on its way`)
      await owned.release()
    },
  }
}
