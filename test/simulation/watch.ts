import type { Outbox, OutgoingFrame } from '../../actors/runtime/ports.ts'
import { isHarmless } from '../../machines/approval.ts'
import { RUNNING_TASKS_MAX, START_WINDOW_MS, STARTS_PER_WINDOW_MAX } from '../../machines/limits.ts'
import type { TaskRecord } from '../../machines/records.ts'
import type { EventRecord } from '../../machines/task-log.ts'
import type { RefusalCode } from '../../machines/texts.ts'
import type { Kept } from './database/kept.ts'
import type { Release } from './outside/holding.ts'

interface Ran {
  readonly requestId: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Refusals of an HTTP start that passed the rate check. */
const AFTER_RATE_CHECK: readonly RefusalCode[] = [
  'too_many_running',
  'session_not_found',
  'session_forbidden',
  'session_not_connected',
  'session_expired',
]

/** What is seen of the service from outside, and what must never be seen. Breaches are collected, not thrown. */
export class Watch {
  readonly breaches: string[] = []
  /** Tasks that a client or a browser was told of. */
  readonly acknowledged = new Set<string>()
  readonly executions = new Map<string, number>()
  /** Tasks whose webhook was called, with who called it last. */
  readonly webhooks = new Map<string, string>()
  /** Endpoints with the tasks whose ending they accepted. */
  readonly deliveries = new Set<string>()
  /** Tasks whose end was sent to their browser, whether or not it was there. */
  readonly tried = new Set<string>()
  /** `task_complete` and `task_error` that left, by task. */
  readonly lastWords = new Map<string, OutgoingFrame[]>()
  /** Requests that somebody tried to accept, that took an answer, and that were declined. */
  readonly #accepted = new Set<string>()
  readonly #answered = new Set<string>()
  readonly #declined = new Set<string>()
  /** What browsers hold: by its id, the request whose answer said so. */
  readonly #holds = new Map<string, string>()
  readonly #letGo = new Set<string>()
  /** What carried an answer out, with the request that was answered. */
  readonly #releases = new Map<string, string>()
  /** Queued tasks that left the queue. */
  readonly #begun = new Set<string>()
  /** Those that wait by the word of their owner: one that was lost may have begun them, and had not kept it. */
  readonly #waiting = new Set<string>()
  readonly #finished = new Map<string, string>()
  readonly #startTimes = new Map<string, number[]>()
  readonly #kept: () => Kept

  constructor(kept: () => Kept) {
    this.#kept = kept
  }

  readonly broken = (how: string): void => {
    this.breaches.push(how)
  }

  outbox(outbox: Outbox): Outbox {
    return {
      ...outbox,
      send: (sessionId, frame) => {
        this.sending(frame)
        const sent = outbox.send(sessionId, frame)
        if (sent) this.sent(frame)
        return sent
      },
    }
  }

  /** A frame leaves the owner of its task. */
  sending(frame: OutgoingFrame): void {
    const { type } = frame
    const taskId = String(frame.taskId)
    if (type === 'mcp_execute_tool') {
      const requestId = String(frame.requestId)
      const kept = this.#kept()
      const release = kept.release(taskId)
      if (release?.requestId === requestId) this.#released(release)
      else if (!kept.asked.has(requestId) && !this.#isOpening(taskId, requestId))
        this.broken(`${requestId} is sent before the reply that asked for it is kept`)
      if (kept.resulted.has(requestId)) this.broken(`${requestId} is sent again after its result is kept`)
      if (kept.intent(taskId) !== requestId) this.broken(`${requestId} is sent before its intent is kept`)
      if (this.#isFinished(taskId)) this.broken(`${requestId} is sent for ${taskId}, which is finished`)
    } else if (type === 'task_started') {
      this.acknowledge(taskId)
    } else if (type === 'task_complete' || type === 'task_error') {
      this.tried.add(taskId)
      if (!this.#isFinished(taskId)) this.broken(`the end of ${taskId} is told before it is kept`)
    }
  }

  /** [L47] The service opens the address of a task by itself, before the first step. */
  #isOpening(taskId: string, requestId: string): boolean {
    return requestId === taskId && (this.#kept().tasks.get(taskId)?.url ?? null) !== null
  }

  /** [I7] A request is about to be accepted. */
  accepts(inputId: string): void {
    this.#accepted.add(inputId)
  }

  answered(inputId: string, action: string): void {
    if (this.#answered.has(inputId)) this.broken(`${inputId} takes two answers`)
    this.#answered.add(inputId)
    if (action !== 'accept') this.#declined.add(inputId)
  }

  #isApproved(inputId: string): boolean {
    return this.#accepted.has(inputId) && !this.#declined.has(inputId)
  }

  /** [I5] A browser holds something instead of answering a request with a result. */
  held(requestId: string, holdId: string): void {
    this.#holds.set(holdId, requestId)
  }

  /** [I7] A browser lets go of what it held: once, and only when that was approved. */
  letGo(holdId: string): void {
    if (this.#letGo.has(holdId)) this.broken(`${holdId} is let go twice`)
    this.#letGo.add(holdId)
    if (!this.#isApproved(this.#holds.get(holdId) ?? '')) this.broken(`${holdId} is let go and was not approved`)
  }

  /** [I6] A browser that cannot hold runs a call of a task with approvals: an act only when it was approved itself. */
  ranUnheld({ requestId, tool, input }: Ran): void {
    if (!isHarmless({ tool, input }) && this.#kept().asked.has(requestId)) this.broken(`${requestId} is run unapproved`)
  }

  /** What carries an acceptance out leaves only with one. */
  #released({ requestId, action, answered }: Release): void {
    this.#releases.set(requestId, answered)
    if (action === 'accept' && !this.#isApproved(answered)) this.broken(`${requestId} is sent unapproved`)
  }

  /** A frame to a closed socket reaches nobody. */
  sent(frame: OutgoingFrame): void {
    if (frame.type !== 'task_complete' && frame.type !== 'task_error') return
    const taskId = String(frame.taskId)
    const words = [...(this.lastWords.get(taskId) ?? []), frame]
    this.lastWords.set(taskId, words)
    if (words.length > 1) this.broken(`the end of ${taskId} is told to its browser ${words.length} times`)
  }

  /** [W9] Called again only by a life that cannot know whether the one before was answered. */
  webhook(by: string, body: { task?: { id?: string; status?: string; answer?: string } }): void {
    const id = String(body.task?.id)
    if (this.webhooks.get(id) === by) this.broken(`the webhook of ${id} is called twice`)
    this.webhooks.set(id, by)
    const record = this.#kept().tasks.get(id)
    if (!this.#isFinished(id)) this.broken(`the webhook of ${id} is called before its ending is kept`)
    if (record?.status !== body.task?.status || record?.answer !== body.task?.answer) {
      this.broken(`the webhook of ${id} tells another ending`)
    }
  }

  /** [W12] What is delivered is kept. */
  delivered(endpointId: string, messageId: string, accepted: boolean): void {
    const [, taskId, seq] = messageId.split('_')
    const event = this.#kept().eventOf(taskId ?? '', Number(seq))
    if (!event) this.broken(`${messageId} is delivered and not in the log`)
    if (accepted && event?.type === 'task.ended') this.deliveries.add(`${endpointId} ${taskId}`)
  }

  hasDelivered(endpointId: string, taskId: string): boolean {
    return this.deliveries.has(`${endpointId} ${taskId}`)
  }

  /** [V] An event is kept: what it tells of has happened. */
  logged({ taskId, event }: EventRecord): void {
    if (event.type !== 'tool.called' && event.type !== 'tool.result') return
    const { call_id: id, step } = event
    const kept = this.#kept()
    const isOpening = step === 0 && this.#isOpening(taskId, id)
    if (!isOpening && !kept.asked.has(id) && kept.release(taskId)?.requestId !== id)
      this.broken(`the log of ${taskId} has a call ${id}, which nobody asked for`)
    if (event.type === 'tool.called') return
    if (!kept.called.has(id)) this.broken(`the log of ${taskId} has a result of ${id}, which was not called`)
    const isDeclined = kept
      .events(taskId)
      .some((other) => other.type === 'input.answered' && other.request_id === id && other.action !== 'accept')
    const isRun =
      this.executions.has(id) || [...this.#releases].some(([by, of]) => of === id && this.executions.has(by))
    if (event.error === undefined && event.tool !== 'finish' && !isDeclined && !isRun)
      this.broken(`the log of ${taskId} has a result of ${id}, which no browser ran`)
  }

  /** [V] A viewer sees a log without a gap, of what is kept; that of a finished task tells its end. */
  viewed(taskId: string, records: readonly EventRecord[], isFinished: boolean): void {
    const first = records[0]?.seq ?? 1
    for (const [n, { seq, event }] of records.entries()) {
      if (seq !== first + n) this.broken(`a viewer of ${taskId} sees a gap before ${seq}`)
      const kept = this.#kept().eventOf(taskId, seq)
      if (JSON.stringify(kept) !== JSON.stringify(event))
        this.broken(`a viewer of ${taskId} sees another event ${seq} than is kept`)
    }
    if (isFinished && records.at(-1)?.event.type !== 'task.ended')
      this.broken(`${taskId} has ended, and a viewer does not see it`)
  }

  executed(requestId: string): void {
    if (!this.#kept().called.has(requestId) && !this.#releases.has(requestId))
      this.broken(`${requestId} is executed, and the log does not say so`)
    const times = (this.executions.get(requestId) ?? 0) + 1
    this.executions.set(requestId, times)
    if (times > 1) this.broken(`${requestId} is executed ${times} times`)
  }

  /** [D2] Whoever is told of a task finds it kept. */
  acknowledge(taskId: string): void {
    this.acknowledged.add(taskId)
    if (!this.#kept().tasks.has(taskId)) this.broken(`${taskId} is acknowledged and not kept`)
  }

  /** [T59] A queued task has left the queue: its start counts from then on. */
  begun({ workspaceId, id }: TaskRecord, at: number): void {
    this.#waiting.delete(id)
    if (this.#begun.has(id)) return
    this.#begun.add(id)
    this.#stamp(workspaceId, at, id)
  }

  waits(taskId: string): void {
    this.#waiting.add(taskId)
  }

  granted({ workspaceId, door, createdAt, id, queued }: TaskRecord): void {
    if (queued) return
    if (door !== 'internal') this.#stamp(`${workspaceId}`, createdAt, id)
  }

  /** Those that were refused count while the process that refused them lives. */
  refused(decider: string, workspaceId: string, code: RefusalCode, at: number): void {
    if (AFTER_RATE_CHECK.includes(code)) this.#stamp(`${workspaceId} in ${decider}`, at, code)
  }

  /** [T8] No eleven starts within a minute passed the rate check. A stamp that a clock ahead let go does not come back with a clock set back. */
  #stamp(whose: string, at: number, what: string): void {
    const startTimes = (this.#startTimes.get(whose) ?? []).filter((stamp) => at - stamp < START_WINDOW_MS)
    this.#startTimes.set(whose, startTimes)
    startTimes.push(at)
    const before = startTimes.filter((stamp) => stamp <= at)
    if (before.length > STARTS_PER_WINDOW_MAX) {
      this.broken(`${before.length} starts of ${whose} passed the rate check within a minute (${what})`)
    }
  }

  /** [T33] A finished task as a client reads it: it never reads another. */
  read(taskId: string, finished: object): void {
    const now = JSON.stringify(finished)
    const before = this.#finished.get(taskId)
    if (before !== undefined && before !== now) this.broken(`${taskId} was finished and changed: ${before} → ${now}`)
    this.#finished.set(taskId, now)
  }

  /** [T9] Never more than five records of a workspace say `running`. */
  places(): void {
    const counts = new Map<string, number>()
    for (const { workspaceId, id, queued } of this.#kept().running())
      if (!queued || (this.#begun.has(id) && !this.#waiting.has(id)))
        counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
    for (const [workspaceId, count] of counts) {
      if (count > RUNNING_TASKS_MAX) this.broken(`${count} tasks of ${workspaceId} run at once`)
    }
  }

  #isFinished(taskId: string): boolean {
    const record = this.#kept().tasks.get(taskId)
    return record !== undefined && record.status !== 'running'
  }
}
