import { runInNewContext } from 'node:vm'

/** Of the patterns that a client gave: they hold up the whole process. */
const MS_MAX = 250

/** The value of synchronous work, or `null` when it took longer than 250 ms: a regular expression, too, is interrupted. */
export function withinTime<T>(work: () => T): { readonly value: T } | null {
  try {
    return runInNewContext('({ value: work() })', { work }, { timeout: MS_MAX })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  }
}
