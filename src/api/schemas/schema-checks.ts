import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { OutputSchema } from '../../../actors/runtime/ports.ts'
import { systemClock } from '../../config/clock.ts'
import { FairQueue } from '../../script/fair-queue.ts'
import { Thread } from '../../script/thread.ts'
import type { CheckedSchema, CheckSchema } from '../deps.ts'
import {
  OUTPUT_CHECK_MS_MAX,
  SCHEMA_COMPILE_MS_MAX,
  SCHEMA_MS_PER_WORKSPACE_MAX,
  SCHEMA_WINDOW_MS,
  SCHEMAS_REMEMBERED_CHARS_MAX,
  SCHEMAS_REMEMBERED_MAX,
  SCHEMAS_WAITING_MAX,
} from './limits.ts'
import { type CheckedJob, SCHEMA_THREAD, type SchemaJob, type Verdict } from './thread.ts'

const NOT_CHECKED = 'it could not be checked in time'

/** `null`: the compiler has not come to a verdict. */
function checkedBy(verdict: Verdict): CheckedSchema | null {
  if (verdict === 'late' || verdict === 'ended') return null
  const { schema, at = '', fault } = verdict
  return schema === undefined ? { at, fault: fault ?? NOT_CHECKED } : { schema }
}

/** What runs the jobs: the thread, or what a test puts in its place. */
type Runs = Pick<Thread<SchemaJob, CheckedJob>, 'run' | 'close'> & { start(): Promise<unknown> }

/**
 * [T63] Compiles the schemas of starts, and checks outputs against them, beside the event loop: first for whoever has used
 * least of its time (`FairQueue`), by workspace and task.
 */
export class SchemaChecks {
  readonly #now: () => number
  readonly #thread: Runs
  readonly #queue: FairQueue
  readonly #verdicts = new LRUCache<string, CheckedSchema>({
    max: SCHEMAS_REMEMBERED_MAX,
    maxSize: SCHEMAS_REMEMBERED_CHARS_MAX,
    sizeCalculation: (checked) => ('schema' in checked ? checked.schema : checked.fault).length + 1,
  })
  /** Schemas that are waited for, by hash: one that is sent twice is compiled once. */
  readonly #underWay = new Map<string, ReturnType<CheckSchema>>()
  /** What each workspace has used of the thread's time since the beginning of its window. */
  readonly #used = new Map<string, { since: number; ms: number; waiting: number }>()

  /** @param now milliseconds of a clock that does not go back. */
  constructor(now: () => number = () => performance.now(), thread: Runs = new Thread(SCHEMA_THREAD)) {
    this.#now = now
    this.#thread = thread
    this.#queue = new FairQueue({ ...systemClock, monotonic: now })
  }

  /** [T66] A schema as it is used, or why it cannot be; or that its workspace has to wait, or that there was no verdict in time. */
  readonly schema: CheckSchema = async (workspaceId, text) => {
    const id = hash('sha256', text)
    const known = this.#verdicts.get(id)
    if (known) return known
    const used = this.#usedBy(workspaceId)
    const underWay = this.#underWay.get(`${workspaceId} ${id}`)
    if (underWay) return underWay
    if (used.waiting >= SCHEMAS_WAITING_MAX || used.ms >= SCHEMA_MS_PER_WORKSPACE_MAX) return 'too_many_schemas'
    used.waiting++
    const verdict = this.#run(workspaceId, { schema: text }, SCHEMA_COMPILE_MS_MAX, {
      begin: () => used.ms < SCHEMA_MS_PER_WORKSPACE_MAX,
      spent: (ms) => {
        used.ms += ms
      },
    }).finally(() => {
      used.waiting--
      this.#underWay.delete(`${workspaceId} ${id}`)
    })
    const answer = verdict.then((found) => {
      if (found === null) return 'too_many_schemas' as const
      const checked = checkedBy(found)
      // What a busy machine did not get to is no verdict: the next start of anybody asks again.
      if (checked === null) return 'schema_not_checked' as const
      this.#verdicts.set(id, checked)
      return checked
    })
    this.#underWay.set(`${workspaceId} ${id}`, answer)
    return answer
  }

  /** [L32] What is wrong with an output of a task. */
  async misfit(taskId: string, schema: OutputSchema, output: unknown): Promise<string | null> {
    const job = { schema: JSON.stringify(schema), output: JSON.stringify(output) }
    const verdict = await this.#run(taskId, job, SCHEMA_COMPILE_MS_MAX + OUTPUT_CHECK_MS_MAX)
    return verdict === 'late' || verdict === 'ended' || verdict === null ? NOT_CHECKED : verdict.fault
  }

  close(): void {
    this.#thread.close()
  }

  #usedBy(workspaceId: string) {
    const now = this.#now()
    for (const [id, { since, waiting }] of this.#used)
      if (waiting === 0 && now - since >= SCHEMA_WINDOW_MS) this.#used.delete(id)
    const used = this.#used.get(workspaceId) ?? { since: now, ms: 0, waiting: 0 }
    this.#used.set(workspaceId, used)
    return used
  }

  /** `null`: when its turn came it was not wanted any more. */
  async #run(
    key: string,
    job: SchemaJob,
    ms: number,
    { begin = () => true, spent = () => {} }: { begin?: () => boolean; spent?: (ms: number) => void } = {},
  ): Promise<Verdict | null> {
    return this.#queue.run(key, async () => {
      // Its start counts against nobody's allowance.
      await this.#thread.start()
      if (!begin()) return null
      const ran = await this.#thread.run(job, ms)
      spent(ran.ms)
      return ran.answer
    })
  }
}
