import type { JournalCall } from './journal.ts'

/** A tool of the service that asks for calls of its own, one after the other. */
export const SCRIPT = 'script'

const SERVED = new Set([SCRIPT])

/** [L41] Whether the service carries the call out itself, beside its machine: no browser is asked. */
export const isServed = ({ tool }: Pick<JournalCall, 'tool'>): boolean => SERVED.has(tool)
