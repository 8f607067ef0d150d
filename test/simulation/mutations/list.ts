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

/** Each takes away something that keeps a promise. The simulation must find every one. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a call leaves before its intent is kept',
    file: 'actors/task.ts',
    from: 'await system.snapshotWriter.barrier(workspaceId)',
    to: '',
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
    name: 'places are not taken again after a restart',
    file: 'actors/runtime/recovery.ts',
    from: 'withRecovered({ startTimes, queue }, own ?? NOTHING)',
    to: '{ ...withRecovered({ startTimes, queue }, own ?? NOTHING), running: {} }',
  },
  {
    name: 'a place is never given back',
    file: 'machines/workspace-parts.ts',
    from: 'return { running, slotVersion: context.slotVersion + 1,',
    to: 'return { slotVersion: context.slotVersion + 1,',
  },
  {
    name: 'a completed task is charged once more after a crash',
    file: 'actors/closing.ts',
    from: 'await store.ledger.charge({ taskId: ending.taskId,',
    to: 'await store.ledger.charge({ taskId: system.ports.ids.uuid(),',
  },
  {
    name: 'an ending that was under way is not taken up again',
    file: 'actors/runtime/recovery.ts',
    from: 'system.registry.start(address, system.logic.closing, { snapshot, supervisor, persistent: true })',
    to: 'void supervisor',
  },
  {
    name: 'a call is sent again to a browser that cannot know of it',
    file: 'machines/session.ts',
    from: "browserInstanceOf(socket) === askedInstanceId ? 'call.neverSeen' : 'call.forgotten'",
    to: "'call.neverSeen'",
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
    name: 'our own ending that is found again is not announced',
    file: 'actors/closing.ts',
    from: 'isWritten = kept !== null && isEndingOf(kept, ending)',
    to: 'isWritten = kept === null',
  },
  {
    name: 'a start that leaves the queue is not counted against the rate',
    file: 'machines/workspace-parts.ts',
    from: "  { type: 'recordStart', params: ({ event }: { event: Question }) => event.at },\n",
    to: '',
    plan: QUEUES,
  },
  {
    name: 'a commit is kept in two parts',
    file: 'src/stores/rules/core.ts',
    from: 'return append(recordsIn(given))',
    to: 'return appending((_, more) => more(recordsIn(given)))',
  },
  {
    name: 'a transaction is not compared with what it has read',
    file: 'test/simulation/database/driver.ts',
    from: "return attempt.isEnded ? 'ended' : this.#rows.commit(writes, then, fence)",
    to: "return attempt.isEnded ? 'ended' : this.#rows.commit(writes, Math.max(then, this.#rows.now), fence)",
  },
  {
    name: 'what a dead process has left under way is not refused',
    file: 'test/simulation/database/rows.ts',
    from: "if (fence?.ids.some((id) => this.#fences.get(id) !== fence.epoch)) return 'fenced'",
    to: '',
  },
  ...APPROVALS,
  {
    name: 'an output that does not fit completes a task',
    file: 'machines/task-endings.ts',
    from: 'if (output !== null) return {',
    to: 'if (text) return {',
  },
]
