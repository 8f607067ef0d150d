import { createHash } from 'node:crypto'

const hash = (text: string, digits: number): string => createHash('sha256').update(text).digest('hex').slice(0, digits)

/** [O7] The trace of a task that began without one: its id without the dashes. */
export function traceIdOf(taskId: string): string {
  const digits = taskId.replaceAll('-', '').toLowerCase()
  return /^(?!0{32})[\da-f]{32}$/.test(digits) ? digits : hash(taskId, 32)
}

/** The same span has the same id in every process: a task that goes on after a restart goes on in its spans. */
export const spanIdOf = (...parts: readonly (string | number)[]): string => hash(parts.join(' '), 16)
