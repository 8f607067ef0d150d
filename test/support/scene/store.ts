import { type Store, StoreDamaged, type TaskPage, type TaskPart, type Write } from '../../../actors/runtime/ports.ts'
import type { AuditRecord } from '../../../machines/audit-records.ts'
import { journalOf } from '../../../machines/journal.ts'
import type { RecipeRecord } from '../../../machines/recipe.ts'
import type {
  ActorRow,
  Ending,
  ScreenshotRecord,
  SessionRecord,
  TaskRecord,
  UsageRecord,
} from '../../../machines/records.ts'
import { eventsIn, type LogEntry, type LogRecord } from '../../../machines/task-log.ts'
import { auditMemory } from '../audit-memory.ts'
import { fileMemory } from '../file-memory.ts'
import { type KeptProfile, profileMemory } from '../profile-memory.ts'
import { recipeMemory } from '../recipe-memory.ts'
import { WebhookMemory } from '../webhook-memory.ts'
import { memoryClaims } from './claims.ts'
import { eventsOf } from './events.ts'
import { SceneLimits } from './limits.ts'

/** What a faulty store does instead of a call; `loses`: it is done, and its answer is lost; `null`: nothing, it works. */
export type Fault = 'rejects' | 'hangs' | 'loses' | null

/**
 * A store in memory that keeps its promises, and breaks them when it is told to. It is what survives a crash: each
 * service gets a connection of its own, which can be cut.
 */
export class SceneStore {
  readonly tasks = new Map<string, TaskRecord>()
  readonly limits = new SceneLimits()
  readonly audit = new Map<string, AuditRecord>()
  readonly recipes = new Map<string, RecipeRecord>()
  readonly profiles = new Map<string, KeptProfile>()
  readonly logs = new Map<string, LogRecord[]>()
  readonly rows = new Map<string, ActorRow>()
  readonly sessions = new Map<string, SessionRecord>()
  readonly screenshots = new Map<string, ScreenshotRecord>()
  readonly files = fileMemory((id) => this.tasks.has(id))
  readonly usage = new Map<string, UsageRecord>()
  readonly charges = new Map<string, { took: 'free' | 'credit'; refunded: boolean }>()
  readonly webhooks = new WebhookMemory()
  freeUsed = 0
  credits = 0
  /** Every commit that was made, and every call by name, in order. */
  readonly commits: (readonly Write[])[] = []
  readonly log: string[] = []
  /** Parts of tasks that the retention took: `<task> <part>`. */
  readonly stripped: string[] = []
  /** What the named call does now: `tasks.end`, `commit`, … */
  fault: (name: string, args: readonly unknown[]) => Fault = () => null
  /** What cannot be read any more: addresses of rows, `log <task id>`, `task <id>`. */
  readonly damaged = new Set<string>()
  /** Reads answer by a promise, as a database over a network does. */
  remote = false

  /** The events of all tasks, in the order in which they were kept. */
  get events() {
    return [...this.logs.values()].flat().flatMap(eventsIn)
  }

  entries = (taskId: string): LogEntry[] => (this.logs.get(taskId) ?? []).flatMap(({ entries }) => entries)

  /** The conversation of a task. */
  journal = (taskId: string) => journalOf(this.entries(taskId))

  /** A connection of one service. After `cut` nothing that it asks is done or answered. */
  connect(): { store: Store; cut: () => void } {
    let open = true
    const wrap = <Part extends object>(part: Part, prefix: string): Part =>
      new Proxy(part, {
        get: (target, key) => {
          const value = Reflect.get(target, key)
          const name = `${prefix}${String(key)}`
          if (typeof value === 'object' && value !== null) return wrap(value, `${name}.`)
          if (typeof value !== 'function') return value
          return (...args: unknown[]) => {
            if (!open) return new Promise(() => {})
            this.log.push(name)
            const fault = this.fault(name, args)
            if (fault === 'hangs') return new Promise(() => {})
            if (fault === 'rejects') return rejected(name)
            const answer = value.apply(
              target,
              args.map((arg) => (typeof arg === 'function' ? arg : structuredClone(arg))),
            )
            if (fault === 'loses') return rejected(name)
            if (answer !== null && typeof answer === 'object' && Symbol.asyncIterator in answer) return answer
            if (answer instanceof Promise) return answer.then((kept) => structuredClone(kept))
            return this.remote ? Promise.resolve(structuredClone(answer)) : structuredClone(answer)
          }
        },
      })
    return {
      store: wrap(this.#store(), ''),
      cut: () => {
        open = false
      },
    }
  }

  #store(): Store {
    const unused = (): never => {
      throw new Error('not part of this scene')
    }
    return {
      kind: 'file',
      ping: async () => true,
      close: async () => {},
      onLost() {},
      commit: async (writes) => {
        this.commits.push(writes)
        for (const write of writes) this.#apply(write)
      },
      actors: (damaged) =>
        iterate(
          this.rows,
          () => true,
          this.#passing(damaged, (address) => address),
        ),
      log: async (taskId, part) => {
        if (this.damaged.has(`log ${taskId}`)) throw new StoreDamaged('log', taskId)
        const entries = this.entries(taskId)
        return part && 'after' in part ? entries.filter(({ n }) => n > part.after) : entries
      },
      image: async (taskId, number) => this.screenshots.get(`${taskId} ${number}`)?.image ?? null,
      tasks: {
        get: async (id) => structuredClone(this.tasks.get(id) ?? null),
        list: async (page) => structuredClone(this.#list(page)),
        end: async (ending, last) => this.#end(ending, last),
        running: (damaged) =>
          iterate(
            this.tasks,
            ({ status }) => status === 'running',
            this.#passing(damaged, (id) => `task ${id}`),
          ),
        retire: async (before, limit, workspaceId) => this.#retire(before, limit, workspaceId),
        strip: async (workspaceId, what, before, limit) => this.#strip(workspaceId, what, before, limit),
        remove: async (id) => {
          const kept = this.tasks.get(id)
          return kept?.status === 'running' ? 'running' : this.tasks.delete(id) ? 'removed' : 'missing'
        },
      },
      limits: this.limits.port,
      recipes: recipeMemory(this.recipes),
      profiles: profileMemory(this.profiles),
      audit: auditMemory(this.audit),
      ...{ files: this.files, events: eventsOf(() => this.events) },
      traces: { keep: async () => {}, get: async () => null },
      sessions: {
        insert: async (record) => void this.sessions.set(record.id, record),
        get: async (id) => this.sessions.get(id) ?? null,
        byTokenHash: unused,
        list: async (workspaceId) => [...this.sessions.values()].filter((each) => each.workspaceId === workspaceId),
        update: async (id, patch) => {
          const record = this.sessions.get(id)
          if (record) this.sessions.set(id, { ...record, ...patch })
        },
        remove: async (id) => this.sessions.delete(id),
        sweep: async (before) => {
          const expired = [...this.sessions.values()].filter(({ expiresAt }) => expiresAt < before)
          for (const { id } of expired) this.sessions.delete(id)
          return expired.length
        },
      },
      claims: memoryClaims(),
      pairings: { insert: unused, get: unused, consume: unused, sweep: async () => {} },
      keys: { insert: unused, byHash: unused, list: unused, missing: async () => [], touch: unused, remove: unused },
      workspaces: { insert: unused, get: unused, byName: unused, ofMember: unused, update: unused, list: unused },
      usage: {
        record: async (record) => {
          if (!this.usage.has(record.id)) this.usage.set(record.id, record)
        },
        totals: unused,
        retire: async () => 0,
      },
      ledger: {
        get: async () => ({ freeUsed: this.freeUsed, credits: this.credits }),
        charge: async ({ taskId, freePerMonth }) => this.#charge(taskId, freePerMonth),
        refund: async (taskId) => this.#refund(taskId),
        credit: unused,
        retire: async () => 0,
      },
      ...this.webhooks.store(),
      setting: unused,
    }
  }

  /** Whether a row is passed over, which `told` is told of. */
  #passing(told: (key: string, error: Error) => void = () => {}, nameOf: (key: string) => string) {
    return (key: string) => {
      if (!this.damaged.has(nameOf(key))) return false
      told(key, new StoreDamaged('rows', key))
      return true
    }
  }

  #apply(write: Write): void {
    if (write.kind === 'actor.put') this.rows.set(write.row.address, write.row)
    else if (write.kind === 'actor.remove') this.rows.delete(write.address)
    else if (write.kind === 'task.insert') {
      if (!this.tasks.has(write.record.id)) this.tasks.set(write.record.id, write.record)
    } else if (write.kind === 'image.put')
      this.screenshots.set(`${write.image.taskId} ${write.image.number}`, write.image)
    else this.#append(write.record)
  }

  /** One that is there under its number is replaced. */
  #append(record: LogRecord): void {
    const last = ({ entries }: LogRecord) => entries.at(-1)?.n
    const others = (this.logs.get(record.taskId) ?? []).filter((each) => last(each) !== last(record))
    this.logs.set(record.taskId, [...others, record])
  }

  #end(ending: Ending, last: LogRecord | null = null): 'ended' | 'already' | 'missing' {
    const record = this.tasks.get(ending.taskId)
    if (!record) return 'missing'
    if (record.status !== 'running') return 'already'
    const { taskId, model, ...facts } = ending
    const { sealedSecrets, ...lasting } = record
    this.tasks.set(taskId, { ...lasting, ...facts })
    if (last) this.#append(last)
    return 'ended'
  }

  #list({ workspaceId, status }: TaskPage): TaskRecord[] {
    return [...this.tasks.values()].filter(
      (task) => task.workspaceId === workspaceId && (status === null || task.status === status),
    )
  }

  #retire(before: number, limit: number, workspaceId?: string): number {
    const old = this.#endedBefore(before, workspaceId).slice(0, limit)
    for (const { id } of old) this.tasks.delete(id)
    return old.length
  }

  #strip(workspaceId: string, what: TaskPart, before: number, limit: number): number {
    const old = this.#endedBefore(before, workspaceId).map(({ id }) => `${id} ${what}`)
    const due = old.filter((part) => !this.stripped.includes(part)).slice(0, limit)
    this.stripped.push(...due)
    return due.length
  }

  #endedBefore(before: number, of?: string): TaskRecord[] {
    return [...this.tasks.values()].filter(
      ({ completedAt, workspaceId }) =>
        completedAt !== null && completedAt < before && (of === undefined || workspaceId === of),
    )
  }

  #charge(taskId: string, freePerMonth: number): 'free' | 'credit' | 'already' | 'uncovered' {
    if (this.charges.has(taskId)) return 'already'
    const took = this.freeUsed < freePerMonth ? 'free' : 'credit'
    if (took === 'credit' && this.credits < 1) return 'uncovered'
    if (took === 'free') this.freeUsed++
    else this.credits--
    this.charges.set(taskId, { took, refunded: false })
    return took
  }

  #refund(taskId: string): void {
    const charge = this.charges.get(taskId)
    if (!charge || charge.refunded) return
    if (charge.took === 'free') this.freeUsed--
    else this.credits++
    this.charges.set(taskId, { ...charge, refunded: true })
  }
}

async function* iterate<T>(
  rows: Map<string, T>,
  wanted: (row: T) => boolean,
  passes: (key: string) => boolean,
): AsyncIterable<T> {
  for (const [key, row] of [...rows]) if (wanted(row) && !passes(key)) yield structuredClone(row)
}

/** A failure as a promise and as an iteration alike; one that nobody looks at is nobody's failure. */
function rejected(name: string) {
  const error = new Error(`${name} failed`)
  const promise = Promise.reject(error)
  promise.catch(() => {})
  return Object.assign(promise, {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
  })
}
