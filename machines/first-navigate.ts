import type { JournalCall } from './records.ts'

/**
 * [L47] The service's own call, before the first step. Its request id is the task's: a task that begins again after a
 * crash asks for the same call.
 */
export const openingCall = (taskId: string, url: string): JournalCall => ({
  requestId: taskId,
  tool: 'navigate',
  input: { url },
  refusal: null,
})
