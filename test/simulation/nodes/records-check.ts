import type { Kept } from '../database/kept.ts'

/** [T51 T52] Step records of tasks that have ended, when all is over: they say what was done, and nothing that was not. */
export function checkRecords(kept: Kept, broken: (how: string) => void): void {
  for (const { id, status, steps, url } of kept.tasks.values()) {
    if (status === 'running') continue
    const list = kept.steps(id)
    const replies = kept.journal(id).flatMap((entry) => (entry.kind === 'reply' ? [entry] : []))
    const calls = new Set(replies.flatMap((reply) => reply.calls.map(({ requestId }) => requestId)))
    for (const { step, callId } of list) {
      if (step > steps) broken(`${id} has ${steps} steps, and a record of step ${step}`)
      // [L47] The service opens the address of a task by itself.
      const isOpening = step === 0 && callId === id && url !== null
      if (callId !== undefined && !calls.has(callId) && !isOpening)
        broken(`a record of ${id} is of ${callId}, which is no call of it`)
    }
    if (list.filter((record) => record.status === 'thinking').length !== replies.length)
      broken(`the records of ${id} are not those of its ${replies.length} replies`)
    const last = list.at(-1)
    if ((last?.status === 'complete') !== (status === 'complete'))
      broken(`${id} is ${status}, and its last record is ${last?.status}`)
  }
}
