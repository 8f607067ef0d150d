import type { Store, TaskPage, Write } from '../../../actors/runtime/ports.ts'
import { taskAddress } from '../../../machines/addresses.ts'
import type {
  ActorRow,
  Ending,
  JournalEntry,
  ScreenshotRecord,
  SessionRecord,
  StepRecord,
  TaskRecord,
  UsageRecord,
} from '../../../machines/records.ts'
import type { EventRecord } from '../../../machines/task-log.ts'
import { currentRequest, type TaskContext } from '../../../machines/task-types.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import { eventsIn } from '../../support/scene/events.ts'
import { putEvent } from '../../support/scene/put-event.ts'
import { WebhookMemory } from '../../support/webhook-memory.ts'
import { type Release, releaseOf } from './holding.ts'

export interface Charge {
  readonly workspaceId: string
  readonly month: string
  readonly took: 'free' | 'credit'
  refunded: boolean
}

const KINDS: readonly Write['kind'][] = ['task.insert', 'event.append', 'journal.append', 'actor.put', 'actor.remove']

/** What is kept, as checks and clients read it. */
export type Looked = Pick<
  Kept,
  | 'tasks'
  | 'usage'
  | 'charges'
  | 'credits'
  | 'freeUsed'
  | 'resulted'
  | 'asked'
  | 'release'
  | 'eventOf'
  | 'intent'
  | 'journal'
  | 'running'
  | 'actors'
> & { readonly webhooks: { readonly endpoints: ReadonlyMap<string, EndpointRecord> } }

/**
 * What is on the disk: it outlives every process. Each method is one atomic change or one look. A change that would
 * break the word of the service (a finished task that changes) is told to `broken`.
 */
export class Kept {
  readonly tasks = new Map<string, TaskRecord>()
  readonly usage = new Map<string, UsageRecord>()
  readonly charges = new Map<string, Charge>()
  readonly sessions = new Map<string, SessionRecord>()
  readonly credits = new Map<string, number>()
  readonly freeUsed = new Map<string, number>()
  readonly webhooks = new WebhookMemory()
  readonly #journals = new Map<string, string[]>()
  readonly #actors = new Map<string, string>()
  readonly #steps = new Map<string, Map<number, StepRecord>>()
  readonly #screenshots = new Map<string, Uint8Array>()
  readonly #events = new Set<string>()
  readonly #logs: EventRecord[] = []
  readonly events = eventsIn(this.#logs)
  readonly eventOf = (taskId: string, seq: number) =>
    this.#logs.find((each) => each.taskId === taskId && each.seq === seq)?.event
  /** Requests whose result is in a journal. */
  readonly resulted = new Set<string>()
  /** Requests that a reply in a journal asked for. */
  readonly asked = new Set<string>()
  readonly #broken: (how: string) => void
  readonly #granted: (record: TaskRecord) => void

  constructor(broken: (how: string) => void, granted: (record: TaskRecord) => void) {
    this.#broken = broken
    this.#granted = granted
  }

  /** A commit, or as much of it as `count` says, in the order that is promised for stores without transactions. */
  commit(writes: readonly Write[], count = writes.length): void {
    const ordered = KINDS.flatMap((kind) => writes.filter((write) => write.kind === kind))
    for (const write of ordered.slice(0, count)) this.#apply(write)
  }

  #apply(write: Write): void {
    switch (write.kind) {
      case 'journal.append':
        if (write.entry.kind === 'result') this.resulted.add(write.entry.requestId)
        else if (write.entry.kind === 'reply') {
          for (const { requestId } of write.entry.calls) this.asked.add(requestId)
        }
        this.#append(write.taskId, write.seq, JSON.stringify(write.entry))
        return
      case 'event.append':
        this.#keepEvent(write.record)
        return
      case 'task.insert':
        if (this.tasks.has(write.record.id)) return
        this.tasks.set(write.record.id, write.record)
        this.#granted(write.record)
        return
      case 'actor.put':
        this.#actors.set(write.row.address, JSON.stringify(write.row))
        return
      case 'actor.remove':
        this.#actors.delete(write.address)
    }
  }

  #keepEvent(record: EventRecord): void {
    const { taskId, seq, event } = record
    const log = this.#logs.filter((each) => each.taskId === taskId)
    const was = log.find((each) => each.seq === seq)
    if (was && JSON.stringify(was.event) !== JSON.stringify(event))
      this.#broken(`event ${seq} of ${taskId} is replaced: ${was.event.type} by ${event.type}`)
    if (seq > log.length + 1) this.#broken(`the log of ${taskId} has a gap before ${seq}`)
    putEvent(this.#logs, record)
  }

  #append(taskId: string, seq: number, entry: string): void {
    const journal = this.#journals.get(taskId) ?? []
    this.#journals.set(taskId, journal)
    const was = journal[seq]
    if (was === entry) return
    if (was !== undefined) this.#broken(`entry ${seq} of the journal of ${taskId} is replaced`)
    if (seq > journal.length) this.#broken(`the journal of ${taskId} has a gap before ${seq}`)
    const { status } = this.tasks.get(taskId) ?? {}
    if (status !== undefined && status !== 'running') this.#broken(`the turns of ${taskId}, which is finished, change`)
    journal[seq] = entry
  }

  actors(): ActorRow[] {
    return [...this.#actors.values()].map((row) => JSON.parse(row))
  }

  /** The call that the kept row of a task says it is at. */
  intent(taskId: string): string | undefined {
    const context = this.#context(taskId)
    return context && currentRequest(context)
  }

  /** The call that carries a user's answer out, with the request that was answered. */
  release(taskId: string): Release | null {
    return releaseOf(this.#context(taskId))
  }

  #context(taskId: string): TaskContext | undefined {
    const row = this.#actors.get(taskAddress(taskId))
    const { snapshot } = row === undefined ? { snapshot: null } : (JSON.parse(row) as ActorRow)
    return (snapshot as { context: TaskContext } | null)?.context
  }

  journal(taskId: string): JournalEntry[] {
    return (this.#journals.get(taskId) ?? []).map((entry) => JSON.parse(entry))
  }

  end({ taskId, model: _, ...facts }: Ending, event: EventRecord | null = null): 'ended' | 'already' | 'missing' {
    const record = this.tasks.get(taskId)
    if (!record) return 'missing'
    if (record.status !== 'running') return 'already'
    this.tasks.set(taskId, { ...record, ...facts })
    if (event) this.#keepEvent(event)
    return 'ended'
  }

  list({ workspaceId, status, browserSessionId, after, limit }: TaskPage): TaskRecord[] {
    return [...this.tasks.values()]
      .filter((task) => task.workspaceId === workspaceId && (status === null || task.status === status))
      .filter((task) => browserSessionId === null || task.browserSessionId === browserSessionId)
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .filter(({ createdAt: at, id }) => !after || at < after.createdAt || (at === after.createdAt && id < after.id))
      .slice(0, limit)
  }

  running(): TaskRecord[] {
    return [...this.tasks.values()].filter(({ status }) => status === 'running')
  }

  note(records: readonly StepRecord[], screenshots: readonly ScreenshotRecord[]): void {
    for (const record of records) {
      const steps = this.#steps.get(record.taskId) ?? new Map<number, StepRecord>()
      this.#steps.set(record.taskId, steps.set(record.seq, record))
    }
    for (const { taskId, number, image } of screenshots) this.#screenshots.set(`${taskId} ${number}`, image)
  }

  steps(taskId: string): StepRecord[] {
    return [...(this.#steps.get(taskId)?.values() ?? [])].sort((a, b) => a.seq - b.seq)
  }

  screenshot(taskId: string, number: number): Uint8Array | null {
    return this.#screenshots.get(`${taskId} ${number}`) ?? null
  }

  changeSession(id: string, patch: Partial<SessionRecord>): void {
    const record = this.sessions.get(id)
    if (record) this.sessions.set(id, { ...record, ...patch })
  }

  ledger(workspaceId: string, month: string): { freeUsed: number; credits: number } {
    return {
      freeUsed: this.freeUsed.get(`${workspaceId} ${month}`) ?? 0,
      credits: this.credits.get(workspaceId) ?? 0,
    }
  }

  charge({ taskId, workspaceId, month, freePerMonth }: Parameters<Store['ledger']['charge']>[0]) {
    if (this.charges.has(taskId)) return 'already'
    const { freeUsed, credits } = this.ledger(workspaceId, month)
    const took = freeUsed < freePerMonth ? 'free' : 'credit'
    if (took === 'credit' && credits < 1) {
      this.#broken(`${taskId} completed, and nothing is left to charge it to`)
      return 'uncovered'
    }
    if (took === 'free') this.freeUsed.set(`${workspaceId} ${month}`, freeUsed + 1)
    else this.credits.set(workspaceId, credits - 1)
    this.charges.set(taskId, { workspaceId, month, took, refunded: false })
    return took
  }

  refund(taskId: string): void {
    const charge = this.charges.get(taskId)
    if (!charge || charge.refunded) return
    const { workspaceId, month, took } = charge
    const { freeUsed, credits } = this.ledger(workspaceId, month)
    if (took === 'free') this.freeUsed.set(`${workspaceId} ${month}`, freeUsed - 1)
    else this.credits.set(workspaceId, credits + 1)
    charge.refunded = true
  }

  credit({ eventId, workspaceId, credits }: Parameters<Store['ledger']['credit']>[0]): 'applied' | 'already' {
    if (this.#events.has(eventId)) return 'already'
    this.#events.add(eventId)
    this.credits.set(workspaceId, (this.credits.get(workspaceId) ?? 0) + credits)
    return 'applied'
  }

  recordUsage(record: UsageRecord): void {
    if (!this.usage.has(record.id)) this.usage.set(record.id, record)
  }
}
