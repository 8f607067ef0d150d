import type { ScriptAnswer, ScriptRun, ScriptStep, Scripts } from '../../actors/runtime/ports.ts'
import { FairQueue } from './fair-queue.ts'
import type { ScriptJob } from './interpreter.ts'
import {
  SCRIPT_MS_UNANSWERED_MAX,
  SCRIPT_THREAD_MB_MAX,
  SCRIPTS_LIVE_MAX,
  SCRIPTS_LIVE_PER_WORKSPACE_MAX,
} from './limits.ts'
import { Thread } from './thread.ts'

export const SCRIPT_THREAD = {
  source: new URL('./interpreter.ts', import.meta.url),
  file: 'script-worker.cjs',
  memoryMb: SCRIPT_THREAD_MB_MAX,
} as const

/** The script of a task, in a thread of its own once its turn has come. */
interface Live {
  readonly id: string
  readonly workspaceId: string
  readonly thread: Thread<ScriptJob, ScriptStep>
  /** How far it has come, and with how many answers; `null`: it has not begun. */
  at: { readonly answers: number; readonly step: ScriptStep } | null
  isBusy: boolean
  isForgotten: boolean
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
const FORGOTTEN = failure('The script is not wanted any more.')

/**
 * [L41, L43] Scripts of all tasks beside the event loop, each in a thread and an interpreter of its own; they compute in
 * turn (`FairQueue`). One that stays in memory goes on with its newest answer; any other, as after a restart, is run from
 * its beginning with all of them.
 */
export class ThreadScripts implements Scripts {
  readonly #unansweredMs: number
  readonly #queue: FairQueue
  /** By task, those asked last at the end: a task has one script at a time. */
  readonly #live = new Map<string, Live>()

  /** @param unansweredMs of counted time after which a thread is ended. */
  constructor(unansweredMs = SCRIPT_MS_UNANSWERED_MAX, queue = new FairQueue()) {
    this.#unansweredMs = unansweredMs
    this.#queue = queue
  }

  /** How many hold memory. */
  get live(): number {
    return this.#open().length
  }

  async next(run: ScriptRun): Promise<ScriptStep> {
    const live = this.#liveOf(run)
    try {
      return await this.#queue.run(run.workspaceId, () => this.#next(live, run), live.thread)
    } catch (error) {
      live.thread.close()
      live.at = null
      return failure(error instanceof Error ? error.message : String(error))
    }
  }

  /** [T67] Its thread is ended, and its memory with it, whether it waits for a call, for its turn, or computes. */
  forget(taskId: string): void {
    const live = this.#live.get(taskId)
    if (!live) return
    this.#live.delete(taskId)
    live.isForgotten = true
    live.thread.close()
  }

  close(): void {
    for (const taskId of this.#live.keys()) this.forget(taskId)
  }

  #liveOf({ id, taskId, workspaceId }: ScriptRun): Live {
    const known = this.#live.get(taskId)
    const isSame = known?.id === id
    if (!isSame) this.forget(taskId)
    const thread = () => new Thread<ScriptJob, ScriptStep>(SCRIPT_THREAD)
    const live = isSame ? known : { id, workspaceId, thread: thread(), at: null, isBusy: false, isForgotten: false }
    this.#live.delete(taskId)
    this.#live.set(taskId, live)
    return live
  }

  async #next(live: Live, { taskId, code, answers }: ScriptRun): Promise<ScriptStep> {
    if (live.isForgotten) return FORGOTTEN
    this.#makeRoom(live)
    live.isBusy = true
    try {
      const goesOn = live.at !== null && live.at.answers <= answers.length
      // One that has had more answers is of another life of its task.
      if (!goesOn) live.thread.close()
      let { step, answers: had } =
        goesOn && live.at ? live.at : { step: await this.#ask(live, { code }, null), answers: 0 }
      for (; had < answers.length && step.kind !== 'failed'; had++) {
        const answer = answers[had]
        if (!answer || !isThat(step, answer)) {
          step = OTHERWISE
          break
        }
        const { failed, said, content } = answer
        step = await this.#ask(live, { answer: { failed, said, content } }, step.line)
      }
      live.at = { step, answers: had }
      if (step.kind !== 'call' && this.#live.get(taskId) === live) this.forget(taskId)
      return step
    } finally {
      live.isBusy = false
    }
  }

  async #ask(live: Live, job: ScriptJob, line: number | null): Promise<ScriptStep> {
    if (live.isForgotten) return FORGOTTEN
    const { answer } = await live.thread.run(job, this.#unansweredMs)
    return answer === 'late' || answer === 'ended' ? ranAway(line) : answer
  }

  #open(): Live[] {
    return [...this.#live.values()].filter(({ thread }) => thread.isOpen)
  }

  /** Those that have waited longest for their call leave: they are run again from their beginning. */
  #makeRoom(live: Live): void {
    if (live.thread.isOpen) return
    const leave = (some: readonly Live[], max: number) => {
      for (const each of some.filter(({ isBusy }) => !isBusy).slice(0, Math.max(0, some.length - max + 1))) {
        each.thread.close()
        each.at = null
      }
    }
    leave(
      this.#open().filter(({ workspaceId }) => workspaceId === live.workspaceId),
      SCRIPTS_LIVE_PER_WORKSPACE_MAX,
    )
    leave(this.#open(), SCRIPTS_LIVE_MAX)
  }
}

/** Whether the script asks for what the log says that it asked for. */
const isThat = (step: ScriptStep, { tool, action }: ScriptAnswer): boolean =>
  step.kind === 'call' && step.tool === tool && ((step.input as { action?: unknown } | null)?.action ?? null) === action
