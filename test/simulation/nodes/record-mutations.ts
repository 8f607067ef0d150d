import type { Mutation } from '../mutations/list.ts'
import { LATE_AT_THE_RECORDS } from './scenes.ts'

/** Each takes away something that keeps the step records and screenshots of a finished task as they are. */
export const RECORD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'step records that came too late are read',
    file: 'src/stores/mongodb/tasks.ts',
    from: '$lt: inherited?.records ?? 0',
    to: '$lt: 0',
    plan: LATE_AT_THE_RECORDS,
  },
  {
    name: 'what the owner that ends a task finds of its step records is not stamped',
    file: 'src/stores/mongodb/tasks.ts',
    from: 'await takeRecords(all, taskId, epoch, stamp)',
    to: '',
    plan: LATE_AT_THE_RECORDS,
  },
  {
    name: 'a record of a former owner replaces one of a newer owner',
    file: 'src/stores/mongodb/entries.ts',
    from: 'filter: { _id, ...notAfter(epoch) } as never,',
    to: 'filter: { _id } as never,',
    plan: LATE_AT_THE_RECORDS,
  },
]
