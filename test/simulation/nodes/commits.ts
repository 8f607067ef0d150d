import type { OwnedShard } from '../../../actors/cluster/ports.ts'
import type { Write } from '../../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Watch } from '../watch.ts'
import type { FenceCheck } from './fence-check.ts'
import type { KeptInDatabase } from './kept.ts'

export interface WatchedShardOptions {
  readonly kept: KeptInDatabase
  readonly watch: Watch
  readonly fence: FenceCheck
  readonly scheduler: Scheduler
  readonly countsStarts: boolean
  /** Whether the owner reaches a store that is well, and its answers. */
  readonly storeIsWell: () => boolean
}

/** A commit that the store took all the while is not given up at a hand-over within this time. */
const COMMIT_MS_MAX = SECOND_MS

/** The shard as its owner has it, whose acknowledged writes are looked at: they are there, and of the only epoch. */
export function watchedShard(
  owned: OwnedShard,
  { kept, watch, fence, scheduler, countsStarts, storeIsWell }: WatchedShardOptions,
): OwnedShard {
  const { store, shard, epoch } = owned
  fence.acquired(shard, epoch)
  kept.adopted(shard)
  const under = new Set<{ readonly begunAt: number }>()
  let failedAt = Number.NEGATIVE_INFINITY
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
      steps: {
        ...store.steps,
        append(records, images) {
          const done = store.steps.append(records, images)
          kept.records.appended({ shard, epoch, now: () => scheduler.time }, records, images, done)
          return done
        },
      },
      async commit(writes) {
        const one = { begunAt: scheduler.time }
        const keys = writes.map((write) => `${keyOf(write)} ${epoch}`)
        fence.begins(keys)
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
        allowed('a commit', one.begunAt)
        fence.acknowledged(shard, epoch, keys)
        acknowledged(now)
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

/** The collection and the id of what a write is about. */
function keyOf(write: Write): string {
  if (write.kind === 'journal.append') return `journal ${write.taskId}:${write.seq}`
  if (write.kind === 'event.append') return `events ${write.record.taskId}:${write.record.seq}`
  if (write.kind === 'task.insert') return `tasks ${write.record.id}`
  return `actors ${write.kind === 'actor.put' ? write.row.address : write.address}`
}
