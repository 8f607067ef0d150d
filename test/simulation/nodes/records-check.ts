import { TO_MODEL } from '../../../machines/failures.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { JournalEntry, ScreenshotRecord, StepRecord, TaskRecord } from '../../../machines/records.ts'
import { collectionsOf, type TaskDoc } from '../../../src/stores/mongodb/collections.ts'
import { recordsInTime, stepsOf } from '../../../src/stores/mongodb/tasks.ts'
import type { Doc } from '../../support/mongo/doc.ts'
import type { SimulatedDatabase } from './database.ts'
import type { KeptInDatabase } from './kept.ts'

/** What an owner gave to the store to keep. */
interface Given {
  /** Of its document. */
  readonly key: string
  readonly epoch: number
  readonly content: string
  acknowledgedAt: number | null
}

/** What can be read of a task that has ended, since then. */
interface Ended {
  /** Of the owner that ended it. */
  readonly epoch: number
  readable: ReadonlyMap<string, string>
  /** That owner had not heard by then that everything is kept: what it gave to the store may still come. */
  readonly isOpen: boolean
}

/**
 * [M4 T51 T52] Step records and screenshots: those of a task that has ended stay as they are, however late a former owner
 * writes, and are those that its owners gave to the store.
 */
export class RecordsCheck {
  readonly #kept: KeptInDatabase
  readonly #database: SimulatedDatabase
  readonly #broken: (how: string) => void
  /** By task. */
  readonly #given = new Map<string, Given[]>()
  /** How many writes of records each owner waits for. */
  readonly #waiting = new Map<string, number>()
  readonly #ended = new Map<string, Ended>()

  constructor(kept: KeptInDatabase, database: SimulatedDatabase, broken: (how: string) => void) {
    this.#kept = kept
    this.#database = database
    this.#broken = broken
  }

  /** An owner gives these to the store; `done` is the store's answer. */
  appended(
    { shard, epoch, now }: { shard: number; epoch: number; now: () => number },
    records: readonly StepRecord[],
    images: readonly ScreenshotRecord[],
    done: Promise<void>,
  ): void {
    const owner = `${shard} ${epoch}`
    const all: Given[] = []
    const give = (taskId: string, key: string, content: string) => {
      const given: Given = { key, epoch, content, acknowledgedAt: null }
      all.push(given)
      this.#given.set(taskId, [...this.#of(taskId), given])
    }
    for (const record of records) give(record.taskId, `steps ${record.taskId}:${record.seq}`, JSON.stringify(record))
    for (const image of images) give(image.taskId, `screenshots ${image.taskId}:${image.number}`, contentOf(image))
    const wait = (by: number) => this.#waiting.set(owner, (this.#waiting.get(owner) ?? 0) + by)
    wait(1)
    done.then(
      () => {
        wait(-1)
        for (const given of all) given.acknowledgedAt = now()
      },
      () => wait(-1),
    )
  }

  /** A command wrote to a collection. */
  written(collection: string, { updates = [] }: Doc): void {
    if (collection !== 'steps' && collection !== 'screenshots' && collection !== 'tasks') return
    for (const { q, u } of updates as { q: Doc; u: Doc }[]) {
      const taskId = typeof q._id === 'string' ? q._id.split(':')[0] : q.taskId
      if (typeof taskId === 'string') this.#look(taskId, collection !== 'tasks' && Number(u.epoch ?? 0))
    }
  }

  /** `epoch`: under which a record was put, if one was. */
  #look(taskId: string, epoch: number | false): void {
    const task = this.#task(taskId)
    if (!task) return
    const ended = this.#ended.get(taskId)
    const readable = this.#readable(task)
    if (!ended) {
      const own = Number(task.epoch)
      const isOpen =
        (this.#waiting.get(`${shardOf(task.workspaceId)} ${own}`) ?? 0) > 0 ||
        this.#of(taskId).some((given) => given.epoch === own && given.acknowledgedAt === null)
      this.#ended.set(taskId, { epoch: own, readable, isOpen })
      return
    }
    const { readable: before } = ended
    ended.readable = readable
    if (ended.isOpen && epoch !== false && epoch >= ended.epoch) return
    for (const key of new Set([...before.keys(), ...readable.keys()]))
      if (before.get(key) !== readable.get(key))
        this.#broken(`${key} of a task that has ended changes: ${before.get(key)} → ${readable.get(key)}`)
  }

  /** When all is over: what can be read is what the owners of each task did. */
  async check(): Promise<void> {
    const all = collectionsOf(this.#database.atOnce as never)
    const steps = stepsOf(all, null as never)
    for (const { id, workspaceId, ...record } of this.#kept.tasks.values()) {
      const task = this.#task(id)
      if (!task) continue
      const list = await steps.list(id)
      const readable = this.#readable(task)
      const own = list.map((each) => [`steps ${id}:${each.seq}`, JSON.stringify(each)] as const)
      if (
        own.some(([key, content]) => readable.get(key) !== content) ||
        list.some((each, n) => isAfter(each, list[n - 1]))
      )
        this.#broken(`the steps of ${id} are not read as they are kept`)
      this.#checkGiven(id, shardOf(workspaceId), readable)
      this.#checkDone(task, record as TaskRecord, list)
    }
  }

  /** What was acknowledged can be read, unless its writer was a former owner by then; and nothing older in its place. */
  #checkGiven(taskId: string, shard: number, readable: ReadonlyMap<string, string>): void {
    const known = new Map<string, Given[]>()
    for (const given of this.#of(taskId)) known.set(given.key, [...(known.get(given.key) ?? []), given])
    for (const key of readable.keys()) if (!known.has(key)) this.#broken(`${key} can be read, and no owner wrote it`)
    for (const [key, all] of known) {
      const content = readable.get(key)
      const sure = all.filter(
        ({ epoch, acknowledgedAt }) =>
          acknowledgedAt !== null && !this.#kept.wasTakenBefore(shard, epoch, acknowledgedAt),
      )
      const newest = Math.max(0, ...sure.map(({ epoch }) => epoch))
      if (content === undefined && newest > 0) this.#broken(`${key}, which was acknowledged, cannot be read`)
      if (content !== undefined && !all.some((given) => given.epoch >= newest && given.content === content))
        this.#broken(`${key} is not what its newest owner wrote`)
    }
  }

  /** What its last owner did is recorded, where the store took it; and nothing that was not done. */
  #checkDone(task: TaskDoc, { steps, status }: TaskRecord, list: readonly StepRecord[]): void {
    const { _id: id, epoch = 0, inherited } = task
    const given = this.#of(id).filter((each) => each.epoch === epoch)
    const isOwn = (record: StepRecord) =>
      given.some(({ key, content }) => key === `steps ${id}:${record.seq}` && content === JSON.stringify(record))
    const journal = this.#kept.journal(id)
    const calls = new Set(journal.flatMap((entry) => (entry.kind === 'reply' ? entry.calls : [])).map(requestIdOf))
    for (const record of list.filter(isOwn)) {
      if (record.step > steps) this.#broken(`${id} has ${steps} steps, and a record of step ${record.step}`)
      if (record.callId !== undefined && !calls.has(record.callId))
        this.#broken(`a record of ${id} is of ${record.callId}, which is no call of it`)
    }
    if (this.#ended.get(id)?.isOpen !== false) return
    const done = this.#database.find('journal', { taskId: id, epoch })
    const missing = done
      .map(({ record }) => JSON.parse(String(record)) as JournalEntry)
      // What the model reads when its answer is checked is an event, and no output of a tool.
      .filter((entry) => !(entry.kind === 'result' && entry.text.startsWith(TO_MODEL.checkAnswer)))
      .filter((entry) => !list.some((record) => isOf(record, entry)))
    for (const entry of missing) this.#broken(`${id} has no record of ${JSON.stringify(entry)}`)
    const last = list.at(-1)
    if (!inherited && (last?.status === 'complete') !== (status === 'complete'))
      this.#broken(`${id} is ${status}, and its last record is ${last?.status}`)
  }

  /** It has ended. */
  #task(taskId: string): TaskDoc | null {
    const [doc] = this.#database.find('tasks', { _id: taskId }) as unknown as TaskDoc[]
    return doc && !doc.gone && doc.status !== 'running' ? doc : null
  }

  #of(taskId: string): readonly Given[] {
    return this.#given.get(taskId) ?? []
  }

  #readable(task: TaskDoc): Map<string, string> {
    const which = { taskId: task._id, ...recordsInTime(task) }
    return new Map([
      ...this.#database.find('steps', which).map(({ _id, record }) => [`steps ${_id}`, String(record)] as const),
      ...this.#database
        .find('screenshots', which)
        .map((doc) => [`screenshots ${doc._id}`, contentOf(doc as never)] as const),
    ])
  }
}

const requestIdOf = ({ requestId }: { requestId: string }) => requestId
const isAfter = (record: StepRecord, before?: StepRecord) => before !== undefined && before.seq >= record.seq
const contentOf = ({ step, image }: Pick<ScreenshotRecord, 'step' | 'image'>) =>
  `step ${step}: ${Buffer.from(image).toString('base64')}`

/** Whether the record says what the journal says. */
function isOf(record: StepRecord, entry: JournalEntry): boolean {
  if (entry.kind === 'message') return true
  if (record.step !== entry.step) return false
  return entry.kind === 'reply'
    ? record.status === 'thinking' && record.output === (entry.text || null)
    : record.status === 'tool_result' && record.callId === entry.requestId && record.durationMs === entry.durationMs
}
