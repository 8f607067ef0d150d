import type { Store } from '../../../actors/ports.ts'
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

/** Step records, and the screenshots that belong to them. */
export function stepsOf(file: LmdbFile, tables: Tables, screenshots: Screenshots): Store['steps'] {
  return {
    async append(records, images) {
      if (images.length > 0) await screenshots.append(images)
      if (records.length === 0) return
      await file.write(() => {
        for (const record of records) tables.steps.put([record.taskId, record.seq], record)
      })
    },
    list: async (taskId) => tables.steps.under([taskId]).map(({ value }) => value),
    screenshot: async (taskId, step) => screenshots.ofStep(taskId, step),
    screenshotNumbered: async (taskId, number) => screenshots.numbered(taskId, number),
  }
}

/** What is known of tasks beside their records. */
export function tracesOf(file: LmdbFile, tables: Tables): Store['traces'] {
  return {
    async keep(taskId, kind, text) {
      await file.write(() => tables.traces.put([taskId, kind], text))
    },
    get: async (taskId, kind) => tables.traces.get([taskId, kind]) ?? null,
  }
}
