import type { Change } from '../../support/broken-copy.ts'
import type { Plan } from '../plan.ts'
import { APPROVALS } from './approvals.ts'

/** One deliberate breakage of the core. */
export interface Mutation extends Change {
  readonly name: string
  /** Where another guard would hold by itself: it is taken away, too. */
  readonly also?: readonly Change[]
  /** What it takes to see it. */
  readonly plan?: Partial<Plan>
}

/** Starts that wait. */
const QUEUES = { queueing: 0.8, brief: true, pauseMs: 700 }

/** Tasks that complete and are paid for come one after the other, at a store that is slow. */
const PAID = { billing: { freePerMonth: 50 }, brief: true, pauseMs: 300, workspaces: 1, storeMoodEveryMs: 3_000 }

/** Each takes away something that keeps a promise. The simulation must find every one. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a call leaves before its intent is kept',
    file: 'actors/task.ts',
    from: 'await system.snapshotWriter.barrier()',
    to: '',
  },
  {
    name: 'an ending is charged before it is kept',
    file: 'actors/closing.ts',
    from: 'await system.snapshotWriter.barrier()\n        if (!billing',
    to: 'if (!billing',
  },
  {
    name: 'a start is granted before its record is kept',
    file: 'actors/admission.ts',
    from: 'await commit.catch(',
    to: 'void commit.catch(',
  },
  {
    name: 'a start leaves no stamp',
    file: 'machines/workspace-checks.ts',
    from: '[...remembered(startTimes, at), at].sort(',
    to: '[...remembered(startTimes, at)].sort(',
  },
  {
    name: 'a stamp that was lost in a crash is not given back',
    file: 'machines/workspace-checks.ts',
    from: 'startTimes: [...startTimes, ...lost]',
    to: 'startTimes: [...startTimes]',
  },
  {
    name: 'places are not taken again after a restart',
    file: 'actors/runtime/recovery.ts',
    from: 'withRecovered({ startTimes, queue }, own ?? NOTHING)',
    to: '{ ...withRecovered({ startTimes, queue }, own ?? NOTHING), running: {} }',
  },
  {
    name: 'a place is given back before the final write',
    file: 'machines/workspace.ts',
    from: "actions: { type: 'setSlotState', params: ({ event }) => ({ taskId: event.taskId, slot: 'charged' }) },",
    to: "actions: { type: 'freeSlot', params: ({ event }) => event },",
    plan: PAID,
  },
  {
    name: 'a place is never given back',
    file: 'machines/workspace-parts.ts',
    from: 'const { [taskId]: _, ...running } = context.running\n      return { running, slotVersion: context.slotVersion + 1 }',
    to: 'return { slotVersion: context.slotVersion + 1 }',
  },
  {
    name: 'a completed task is charged once more after a crash',
    file: 'actors/closing.ts',
    from: 'await store.ledger.charge({ taskId: ending.taskId,',
    to: 'await store.ledger.charge({ taskId: system.ports.ids.uuid(),',
  },
  {
    name: 'usage is recorded under an id of its own each time',
    file: 'actors/closing.ts',
    from: 'id: ending.taskId,',
    to: 'id: system.ports.ids.uuid(),',
  },
  {
    name: 'a task that comes back is not told so',
    file: 'actors/runtime/recovery.ts',
    from: "resume: { type: 'task.resumed', at },",
    to: '',
  },
  {
    name: 'an ending that was under way is not taken up again',
    file: 'actors/runtime/recovery.ts',
    from: 'system.registry.start(address, system.logic.closing, { snapshot, supervisor, persistent: true })',
    to: 'void supervisor',
  },
  {
    name: 'a call is sent again to a browser that cannot know of it',
    file: 'machines/call-reconciliation.ts',
    from: "browserInstanceOf(socket) === askedInstanceId ? 'call.neverSeen' : 'call.forgotten'",
    to: "'call.neverSeen'",
  },
  {
    name: 'a call that no browser was named for is sent without naming one',
    file: 'actors/task.ts',
    from: "if (context.browserInstanceId === null) return { type: 'call.neverSent', requestId }",
    to: '',
  },
  {
    name: 'after a restart the journal is not asked for the result',
    file: 'actors/task.ts',
    from: "if (kept) return { type: 'call.recovered', requestId, halted: haltOf(kept), at: clock.now() }",
    to: '',
  },
  {
    name: 'a commit that failed is not repeated',
    file: 'actors/runtime/snapshot-writer.ts',
    from: 'if (left === null) {\n          for',
    to: 'if (left === null || left) {\n          for',
  },
  {
    name: 'a deadline begins anew after a restart',
    file: 'machines/task.ts',
    from: "event: 'deadline.reached', at: context.deadlineAt",
    to: "event: 'deadline.reached', inMs: context.deadlineAt ? 1_800_000 : 0",
  },
  {
    name: 'the calls of a session that is lost are never settled',
    file: 'machines/session-parts.ts',
    from: 'const { [requestId]: _, ...calls } = context.calls\n      return { calls }',
    to: 'return requestId ? {} : {}',
  },
  {
    name: 'our own ending that is found again is not announced',
    file: 'actors/closing.ts',
    from: 'isWritten = kept !== null && isEndingOf(kept, ending)',
    to: 'isWritten = kept === null',
  },
  {
    name: 'an ending is over before its webhook is answered',
    file: 'machines/closing.ts',
    from: "target: 'announcing',",
    to: "target: '#closing.closed',",
  },
  {
    name: 'a task that comes back has only the call at hand of its step',
    file: 'actors/runtime/task-row.ts',
    from: 'if (kept?.callsInJournal === undefined) return snapshot',
    to: 'if (kept) return snapshot',
  },
  {
    name: 'a start that leaves the queue is not counted against the rate',
    file: 'machines/workspace-parts.ts',
    from: "  { type: 'recordStart', params: ({ event }: { event: Question }) => event.at },\n",
    to: '',
    plan: QUEUES,
  },
  {
    name: 'a start that leaves the queue takes no slot',
    file: 'machines/workspace-parts.ts',
    from: '      queue: withoutQueued(context.queue, taskId, turn),',
    to: "      queue: withoutQueued(context.queue, taskId, turn),\n      running: turn === 'taken' ? {} : context.running,",
    plan: QUEUES,
  },
  ...APPROVALS,
  {
    name: 'an answer is checked each time that it is given',
    file: 'machines/task-parts.ts',
    from: 'markChecked: assign({ answerChecked: true, ',
    to: 'markChecked: assign({ ',
  },
  {
    name: 'an output that does not fit completes a task',
    file: 'machines/task-endings.ts',
    from: 'if (output !== null) return { ...completedEnd',
    to: 'if (text) return { ...completedEnd',
  },
  {
    name: 'a budget knows nothing of what was spent',
    file: 'machines/budget.ts',
    from: 'budget.tokens === null ? null : budget.tokens - tokensOf(usage)',
    to: 'usage && budget.tokens',
  },
]
