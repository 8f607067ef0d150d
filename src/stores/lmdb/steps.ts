import type { Store } from '../../../actors/runtime/ports.ts'
import type { StepRecord } from '../../../machines/records.ts'
import type { LmdbFile } from './database.ts'
import type { Tables } from './tables.ts'

/**
 * Screenshots, in a file of their own: lmdb's files never shrink, and an image must not stand between
 * the small writes that tasks wait for.
 */
export function screenshotsOf(file: LmdbFile) {
  /** [task, number] */
  const images = file.table<Uint8Array>('images', 'binary')
  /** [task, step, number] */
  const ofSteps = file.table<number>('images.of-steps')
  return {
    append: (records: Parameters<Store['steps']['append']>[1]) =>
      file.write(
        () => {
          for (const { taskId, step, number, image } of records) {
            images.put([taskId, number], image)
            ofSteps.put([taskId, step, number], number)
          }
        },
        records.reduce((bytes, { image }) => bytes + image.byteLength, 0),
      ),
    numbered: (taskId: string, number: number) => images.get([taskId, number]) ?? null,
    ofStep(taskId: string, step: number) {
      const last = ofSteps.under([taskId, step]).at(-1)
      return last ? (images.get([taskId, last.value]) ?? null) : null
    },
    remove: (taskIds: readonly string[]) =>
      file.write(() => {
        for (const taskId of taskIds) {
          for (const { key, value: number } of ofSteps.under([taskId])) {
            images.remove([taskId, number])
            ofSteps.remove(key)
          }
        }
      }),
  }
}
export type Screenshots = ReturnType<typeof screenshotsOf>

/**
 * Step records, and the screenshots that belong to them. Those of one task that are written together are one row, under
 * the task and a number that only grows: a row costs more than what is in it. A record that is there twice is the one
 * that was written last. Rows of one record by its number, as they were written before, are read as well.
 */
export function stepsOf(file: LmdbFile, tables: Tables, screenshots: Screenshots): Store['steps'] {
  let written = 0
  return {
    async append(records, images) {
      if (images.length > 0) await screenshots.append(images)
      const [first] = records
      if (!first) return
      const byTask = new Map<string, StepRecord[]>()
      for (const record of records) {
        const others = byTask.get(record.taskId)
        if (others) others.push(record)
        else byTask.set(record.taskId, [record])
      }
      written = Math.max(written + 1, first.createdAt * WRITES_PER_MS)
      await file.write(() => {
        for (const [taskId, together] of byTask) tables.steps.put([taskId, written], together)
      })
    },
    async list(taskId) {
      const bySeq = new Map<number, StepRecord>()
      for (const { value } of tables.steps.under([taskId])) {
        for (const record of [value].flat()) bySeq.set(record.seq, record)
      }
      return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
    },
    screenshot: async (taskId, step) => screenshots.ofStep(taskId, step),
    screenshotNumbered: async (taskId, number) => screenshots.numbered(taskId, number),
  }
}

/** Leaves room for that many writes in a millisecond, within what a number can tell apart. */
const WRITES_PER_MS = 1_000

/** What is known of tasks beside their records. */
export function tracesOf(file: LmdbFile, tables: Tables): Store['traces'] {
  return {
    async keep(taskId, kind, text) {
      await file.write(() => tables.traces.put([taskId, kind], text))
    },
    get: async (taskId, kind) => tables.traces.get([taskId, kind]) ?? null,
  }
}
