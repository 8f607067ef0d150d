import type { ProfileUse } from './profiles.ts'

/**
 * A start that waits in its workspace's queue. Its request is in the task's record, and its expiry is in the task's context,
 * so that the row of a queue of 1,000 starts stays small.
 */
export interface QueuedStart {
  readonly taskId: string
  /** Empty for a start that waits for a browser of a pool. */
  readonly sessionId: string
  /** [Z3] The pool whose browser it waits for. */
  readonly pool?: string
  /** [Z11] The profile that it waits for. */
  readonly profile?: ProfileUse
  /** The key that asked for it: keys take turns. */
  readonly key: string
  /** 1 to 5; lower first. */
  readonly priority: number
  /** The turn of its key within its priority: each key has one start in each round. */
  readonly round: number
  /** Its record and its actor, its turn, or its browser. Only one that waits for its turn can be the next. */
  readonly waitsFor: 'record' | 'turn' | 'browser'
}

/** The starts in the order in which they will begin, and the round that each priority has reached. */
export interface Queue {
  readonly starts: readonly QueuedStart[]
  readonly rounds: Readonly<Record<number, number>>
}

export const NO_QUEUE: Queue = { starts: [], rounds: {} }

/**
 * Adds a start behind those of its priority that have an earlier turn. A key that was away joins the present round: it
 * neither waits behind all that others queued before it, nor makes up for turns that it did not take.
 */
export function withQueued(queue: Queue, start: Omit<QueuedStart, 'round'>): Queue {
  const { key, priority } = start
  const last = queue.starts.findLast((other) => other.priority === priority && other.key === key)
  const round = Math.max(last?.round ?? 0, queue.rounds[priority] ?? 0) + 1
  const behind = queue.starts.findIndex(
    (other) => other.priority > priority || (other.priority === priority && other.round > round),
  )
  const at = behind < 0 ? queue.starts.length : behind
  return { ...queue, starts: [...queue.starts.slice(0, at), { ...start, round }, ...queue.starts.slice(at)] }
}

/** Removes a start. When its turn came, the round of its priority is the one it had. */
export function withoutQueued(queue: Queue, taskId: string, turn: 'taken' | 'lost'): Queue {
  const start = queuedStart(queue, taskId)
  if (!start) return queue
  const { priority, round } = start
  const starts = queue.starts.filter((other) => other !== start)
  const { [priority]: reached = 0, ...rounds } = queue.rounds
  if (!starts.some((other) => other.priority === priority)) return { starts, rounds }
  return { starts, rounds: { ...rounds, [priority]: turn === 'taken' ? Math.max(reached, round) : reached } }
}

/** Changes what the matching starts wait for. */
export const waitingFor = (queue: Queue, waitsFor: QueuedStart['waitsFor'], of: Partial<QueuedStart>): Queue => ({
  ...queue,
  starts: queue.starts.map((start) =>
    Object.entries(of).every(([field, value]) => start[field as keyof QueuedStart] === value)
      ? { ...start, waitsFor }
      : start,
  ),
})

/** The start whose turn it is: the first one that may begin now. */
export const nextStart = (
  { starts }: Queue,
  mayBegin: (start: QueuedStart) => boolean = () => true,
): QueuedStart | undefined => starts.find((start) => start.waitsFor === 'turn' && mayBegin(start))

const queuedStart = ({ starts }: Queue, taskId: string): QueuedStart | undefined =>
  starts.find((start) => start.taskId === taskId)

/** 1 for the first; 0 for one that is not in the queue. */
export const positionOf = ({ starts }: Queue, taskId: string): number =>
  starts.findIndex((start) => start.taskId === taskId) + 1

export const isFull = ({ starts }: Queue, max: number): boolean => starts.length >= max

/**
 * The queue of a row, made that of the tasks that came back: in the row's order, without those that are gone, and with
 * those whose row is newer behind it. None is called before its actor is there.
 */
export function recoveredQueue(queue: Queue, found: readonly Omit<QueuedStart, 'round' | 'waitsFor'>[]): Queue {
  const back = new Set(found.map(({ taskId }) => taskId))
  const gone = queue.starts.filter(({ taskId }) => !back.has(taskId))
  const kept = gone.reduce((left, { taskId }) => withoutQueued(left, taskId, 'lost'), queue)
  const missing = found.filter(({ taskId }) => !queuedStart(kept, taskId))
  const whole = missing.reduce((left, start) => withQueued(left, { ...start, waitsFor: 'record' }), kept)
  return waitingFor(whole, 'record', {})
}
