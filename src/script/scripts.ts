import { LRUCache } from 'lru-cache'
import type { ScriptAnswer, ScriptRun, ScriptStep, Scripts } from '../../actors/runtime/ports.ts'
import type { ScriptJob } from './interpreter.ts'
import { SCRIPT_MS_UNANSWERED_MAX, SCRIPT_THREAD_MB_MAX, SCRIPTS_LIVE_MAX } from './limits.ts'
import { Thread } from './thread.ts'

export const SCRIPT_THREAD = {
  source: new URL('./interpreter.ts', import.meta.url),
  file: 'script-worker.cjs',
  memoryMb: SCRIPT_THREAD_MB_MAX,
} as const

/** How far a script has come that is in the thread's memory. */
interface Live {
  /** How many answers it has had. */
  readonly answers: number
  readonly step: ScriptStep
}

const failure = (message: string, line: number | null = null): ScriptStep => ({
  kind: 'failed',
  message,
  log: '',
  line,
})
/** @param line of its last call: what it did after that nobody knows. */
const ranAway = (line: number | null): ScriptStep =>
  failure('The script was ended: after that it did not get to its next call or its end, or took too much memory.', line)
const OTHERWISE = failure('The script was interrupted, and did not do the same again from its beginning.')

/**
 * [L41, L43] Scripts of all tasks, in one thread beside the event loop, each in an interpreter of its own. One that stays
 * in memory goes on with its newest answer; any other, as after a restart, is run from its beginning with all of them.
 */
export class ThreadScripts implements Scripts {
  readonly #unansweredMs: number
  readonly #thread = new Thread<ScriptJob, ScriptStep | null>(SCRIPT_THREAD)
  readonly #live = new LRUCache<string, Live>({
    max: SCRIPTS_LIVE_MAX,
    // One that others have taken the place of; all are cleared only with their thread.
    dispose: (_, id, reason) => {
      if (reason === 'evict') this.#drop(id)
    },
  })
  #last: Promise<unknown> = Promise.resolve()

  /** @param unansweredMs after which the thread is ended, with all scripts in it. */
  constructor(unansweredMs = SCRIPT_MS_UNANSWERED_MAX) {
    this.#unansweredMs = unansweredMs
  }

  async next(run: ScriptRun): Promise<ScriptStep> {
    try {
      return await this.#queued(() => this.#next(run))
    } catch (error) {
      return failure(error instanceof Error ? error.message : String(error))
    }
  }

  forget(id: string): void {
    if (this.#live.delete(id)) this.#drop(id)
  }

  close(): void {
    this.#live.clear()
    this.#queued(async () => this.#thread.close()).catch(() => {})
  }

  #drop(id: string): void {
    this.#queued(() => this.#thread.run({ id, drop: true }, this.#unansweredMs)).catch(() => {})
  }

  /** One after the other: the time of each counts from its own beginning. */
  #queued<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }

  async #next({ id, code, answers }: ScriptRun): Promise<ScriptStep> {
    const live = this.#live.get(id)
    const goesOn = live !== undefined && live.answers <= answers.length
    let step = goesOn ? live.step : await this.#ask(id, { id, code }, 0, null)
    for (let at = goesOn ? live.answers : 0; at < answers.length; at++) {
      const answer = answers[at]
      if (!answer || step.kind === 'failed') break
      if (!isThat(step, answer)) return OTHERWISE
      const { failed, said, content } = answer
      step = await this.#ask(id, { id, answer: { failed, said, content } }, at + 1, step.line)
    }
    return step
  }

  async #ask(id: string, job: ScriptJob, answers: number, line: number | null): Promise<ScriptStep> {
    const { answer: step } = await this.#thread.run(job, this.#unansweredMs)
    if (step === 'late' || step === 'ended' || step === null) {
      // All that were in its memory are run again from their beginning.
      this.#live.clear()
      return ranAway(line)
    }
    this.#live.set(id, { answers, step })
    return step
  }
}

/** Whether the script asks for what the log says that it asked for. */
const isThat = (step: ScriptStep, { tool, action }: ScriptAnswer): boolean =>
  step.kind === 'call' && step.tool === tool && ((step.input as { action?: unknown } | null)?.action ?? null) === action
