import type { Write } from '../../../actors/runtime/ports.ts'

/** The kinds and last letters of the ids of what a commit is about. */
export const labelOf = (writes: readonly Write[]): string =>
  `commit ${writes
    .map((write) => {
      if (write.kind === 'journal.append') return `journal ${write.taskId.slice(-4)}#${write.seq}`
      if (write.kind === 'event.append') return `event ${write.record.taskId.slice(-4)}#${write.record.seq}`
      if (write.kind === 'task.insert') return `insert ${write.record.id.slice(-4)}`
      const address = write.kind === 'actor.put' ? write.row.address : write.address
      return `${write.kind === 'actor.put' ? '+' : '-'}${address.replace(/(:....).*/, '$1')}`
    })
    .join(' ')}`
