import type { JournalCall } from './journal.ts'

/** Tools of the service that ask for calls of their own, one after the other. */
export const SCRIPT = 'script'
export const EXTRACT = 'extract'
/** [L44] Keeps words for the model. */
export const NOTE = 'note'

const SERVED: ReadonlySet<string> = new Set([SCRIPT, EXTRACT, NOTE])

/** [U11] Makes a file of the task; whatever else `files` does is for the browser. */
export const isFileWrite = ({ tool, input }: Pick<JournalCall, 'tool' | 'input'>): boolean =>
  tool === 'files' && input.action === 'write'

/** [L41] Whether the service carries the call out itself, beside its machine: no browser is asked. */
export const isServed = (call: Pick<JournalCall, 'tool' | 'input'>): boolean =>
  SERVED.has(call.tool) || isFileWrite(call)
