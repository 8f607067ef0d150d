import { taskAddress } from '../../../machines/addresses.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { ActorRow, JournalEntry, TaskRecord, UsageRecord } from '../../../machines/records.ts'
import type { LogEvent } from '../../../machines/task-log.ts'
import { currentRequest, type TaskContext } from '../../../machines/task-types.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import type { Inherited } from '../../../src/stores/mongodb/collections.ts'
import { withoutLate } from '../../../src/stores/mongodb/entries.ts'
import type { Doc } from '../../support/mongo/doc.ts'
import { type Release, releaseOf } from '../outside/holding.ts'
import type { Charge, Looked } from '../outside/kept.ts'
import type { SimulatedDatabase } from './database.ts'
import { RecordsCheck } from './records-check.ts'

/** What the database says of a shard. */
export interface ShardState {
  readonly node: string | null
  readonly epoch: number
  readonly settled: number
}

/**
 * What the database keeps, as checks and clients read it; `broken` hears of what must never change. A record that came too
 * late from a former owner is none: nobody was told of it, and the next owner removes it.
 */
export class KeptInDatabase implements Looked {
  readonly resulted = new Set<string>()
  readonly asked = new Set<string>()
  /** Step records and screenshots. */
  readonly records: RecordsCheck
  readonly #database: SimulatedDatabase
  readonly #broken: (how: string) => void
  readonly #stale = new Set<string>()
  /** By collection, as it was read last. */
  readonly #read = new Map<string, Map<string, Doc>>()
  #tasks = new Map<string, TaskRecord>()
  #finished = new Map<string, string>()
  /** Journal entries and events whose commits were acknowledged. */
  readonly #promised = new Map<string, string>()
  /** What new owners found in journals of tasks that ran: they go on from it. */
  readonly #adopted = new Set<string>()
  /** Since when a shard has had which epoch. */
  readonly #raised = new Map<number, { readonly epoch: number; readonly at: number }[]>()

  constructor(database: SimulatedDatabase, broken: (how: string) => void) {
    this.#database = database
    this.#broken = broken
    this.records = new RecordsCheck(this, database, broken)
  }

  /** A command wrote to a collection. True: an epoch was raised. */
  written(collection: string, command: Doc, now: number): boolean {
    this.#stale.add(collection)
    let isRaised = false
    if (collection === 'shards') {
      this.#stale.add('tasks')
      for (const [id, { epoch }] of this.#docs<ShardState & Doc>('shards')) {
        const known = this.#raised.get(Number(id)) ?? []
        if ((known.at(-1)?.epoch ?? 0) >= epoch) continue
        this.#raised.set(Number(id), [...known, { epoch, at: now }])
        isRaised = true
      }
    }
    if (collection === 'journal' || collection === 'events') this.#appended(collection, command)
    this.records.written(collection, command)
    return isRaised
  }

  #appended(collection: 'journal' | 'events', command: Doc): void {
    for (const { q, u } of (command.updates ?? []) as { q: Doc; u: Doc }[]) {
      const promised = this.#promised.get(`${collection} ${q._id}`)
      if (promised !== undefined) this.promise(collection, String(q._id), promised)
      if (collection === 'journal' && typeof u.record === 'string') this.#noted(JSON.parse(u.record))
    }
  }

  /** What was acknowledged is there, and stays. */
  promise(collection: 'journal' | 'events', id: string, record: string): void {
    this.#promised.set(`${collection} ${id}`, record)
    const [kept] = this.#database.find(collection, { _id: id })
    if (kept?.record !== record)
      this.#broken(`${collection} ${id}, which was acknowledged, is ${kept ? 'replaced' : 'lost'}`)
  }

  /** [T33] A node has taken over a shard: what can be read now is of the journals, whoever wrote it. */
  adopted(shard: number): void {
    for (const { id, workspaceId } of this.running())
      if (shardOf(workspaceId) === shard)
        for (const entry of this.journal(id)) this.#adopted.add(`${id} ${JSON.stringify(entry)}`)
  }

  /** All that was acknowledged can be read, and of the journals of finished tasks nothing that no owner knew of. */
  checkPromised(): void {
    for (const { id, status, endedBy } of this.tasks.values()) {
      if (status === 'running' || endedBy === 'restart') continue
      for (const [seq, entry] of this.journal(id).entries()) {
        const record = JSON.stringify(entry)
        const isKnown = this.#promised.get(`journal ${id}:${seq}`) === record || this.#adopted.has(`${id} ${record}`)
        if (!isKnown) this.#broken(`entry ${seq} of ${id} can be read, and no owner knew of it`)
      }
      this.#checkLog(id)
    }
    for (const [key, record] of this.#promised) {
      const [collection = '', id = ''] = key.split(' ')
      const taskId = id.split(':')[0] ?? ''
      const docs = this.#database.find(collection, { taskId }).sort((a, b) => Number(a.seq) - Number(b.seq))
      const inherited = collection === 'journal' ? this.#inherited(taskId) : undefined
      const readable = withoutLate(docs as never[], inherited) as unknown as Doc[]
      if (!readable.some((doc) => doc._id === id && doc.record === record))
        this.#broken(`${key}, which was acknowledged, cannot be read`)
    }
  }

  /** [V] The events of a finished task are numbered without a gap, and the last one tells its end. */
  #checkLog(id: string): void {
    const docs = this.#database.find('events', { taskId: id }).sort((a, b) => Number(a.seq) - Number(b.seq))
    const readable = withoutLate(docs as never[]) as unknown as Doc[]
    const ended = readable.filter(({ record }) => JSON.parse(String(record)).type === 'task.ended')
    if (ended.length !== 1) this.#broken(`the events of ${id} tell ${ended.length} ends`)
    const first = Number(readable[0]?.seq)
    if (readable.some(({ seq }, n) => Number(seq) !== first + n)) this.#broken(`the events of ${id} have a gap`)
  }

  #noted(entry: JournalEntry): void {
    if (entry.kind !== 'reply') return
    for (const { requestId } of entry.calls) this.asked.add(requestId)
  }

  shard(shard: number): ShardState {
    return this.#docs<ShardState & Doc>('shards').get(String(shard)) ?? { node: null, epoch: 0, settled: 0 }
  }

  /** Whether a newer epoch was taken before this moment. */
  wasTakenBefore(shard: number, epoch: number, at: number): boolean {
    return this.#raised.get(shard)?.some((raise) => raise.epoch > epoch && raise.at < at) ?? false
  }

  get tasks(): Map<string, TaskRecord> {
    if (!this.#stale.has('tasks') && this.#read.has('tasks')) return this.#tasks
    const before = this.#read.get('tasks')
    const docs = this.#docs('tasks')
    this.#tasks = new Map()
    for (const [id, doc] of docs) {
      if (doc.gone) continue
      const { _id, epoch, shard, gone, inherited, ...record } = doc
      const task = { ...record, id } as unknown as TaskRecord
      // An insert that came too late from a former owner.
      if (task.status === 'running' && Number(epoch) < this.shard(shardOf(task.workspaceId)).settled) continue
      this.#tasks.set(id, task)
      if (task.status === 'running' || before?.get(id) === doc) continue
      const now = JSON.stringify(task)
      const was = this.#finished.get(id)
      if (was !== undefined && was !== now) this.#broken(`${id} was finished and changed: ${was} → ${now}`)
      this.#finished.set(id, now)
    }
    for (const id of this.#finished.keys()) if (!this.#tasks.has(id)) this.#broken(`${id} was finished and is gone`)
    return this.#tasks
  }

  running(): TaskRecord[] {
    return [...this.tasks.values()].filter(({ status }) => status === 'running')
  }

  get usage(): Map<string, UsageRecord> {
    return this.#docs('usage') as never
  }

  get charges(): Map<string, Charge> {
    const changes = this.#docs<Charge & Doc>('ledger_changes')
    return new Map(
      [...changes].flatMap(([id, change]) =>
        id.startsWith('task:') && change.took ? [[id.slice('task:'.length), change as Charge]] : [],
      ),
    )
  }

  get credits(): Map<string, number> {
    return new Map([...this.#docs('ledger')].map(([id, { credits }]) => [id, credits as number]))
  }

  get freeUsed(): Map<string, number> {
    const used = [...this.#docs('ledger')].flatMap(([id, { free }]) =>
      Object.entries(free as Record<string, number>).map(([month, n]) => [`${id} ${month}`, n] as const),
    )
    return new Map(used)
  }

  get webhooks(): { readonly endpoints: Map<string, EndpointRecord> } {
    return { endpoints: this.#docs('webhook_endpoints') as never }
  }

  eventOf = (taskId: string, seq: number): LogEvent | undefined => {
    const [doc] = this.#database.find('events', { _id: `${taskId}:${seq}` })
    return doc && JSON.parse(String(doc.record))
  }

  intent(taskId: string): string | undefined {
    const context = this.#context(taskId)
    return context && currentRequest(context)
  }

  release(taskId: string): Release | null {
    return releaseOf(this.#context(taskId))
  }

  #context(taskId: string): TaskContext | undefined {
    const [row] = this.#database.find('actors', { _id: taskAddress(taskId) })
    const snapshot = row?.snapshot === undefined ? null : JSON.parse(String(row.snapshot))
    return (snapshot as { context: TaskContext } | null)?.context
  }

  journal(taskId: string): JournalEntry[] {
    const docs = this.#database.find('journal', { taskId }).sort((a, b) => Number(a.seq) - Number(b.seq))
    return withoutLate(docs as never[], this.#inherited(taskId)).map(({ record }: { record: string }) =>
      JSON.parse(record),
    )
  }

  #inherited(taskId: string): Inherited | undefined {
    return this.#docs('tasks').get(taskId)?.inherited as Inherited | undefined
  }

  actors(): ActorRow[] {
    return this.#database
      .find('actors')
      .filter(
        ({ snapshot, epoch, shard }) => snapshot !== undefined && Number(epoch) >= this.shard(Number(shard)).settled,
      )
      .map(({ _id, version, at, snapshot }) => ({
        ...{ address: String(_id), version: Number(version), at: Number(at) },
        snapshot: JSON.parse(String(snapshot)),
      })) as ActorRow[]
  }

  #docs<T extends Doc = Doc>(collection: string): Map<string, T> {
    const read = this.#read.get(collection)
    if (read && !this.#stale.has(collection)) return read as Map<string, T>
    this.#stale.delete(collection)
    const docs = new Map(this.#database.find(collection).map((doc) => [String(doc._id), doc as T]))
    this.#read.set(collection, docs)
    return docs
  }
}
