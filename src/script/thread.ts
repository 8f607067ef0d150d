import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../config/clock.ts'
import { packed } from '../packed.ts'
import { CountedTime, type TickClock } from './counted-time.ts'
import type { Pausable } from './fair-queue.ts'
import { closeGate, createGate, openGate, PAUSED } from './gate.ts'

export interface ThreadOptions {
  /** The TypeScript that it runs, and the name under which it is packed. */
  readonly source: URL
  readonly file: string
  /** Of its JavaScript; with more it is ended. */
  readonly memoryMb: number
}

/** A thread's program as one file: Node reads TypeScript on the main thread alone. */
export async function bundleThread(source: URL): Promise<string> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** What came of a job: its answer; that it took too long; or that the thread ended, as without memory. */
export interface Ran<Answer> {
  readonly answer: Answer | 'late' | 'ended'
  /** What the job took, counted. */
  readonly ms: number
}

/** Programs by their file: each is read once. */
const programs = new Map<string, Promise<string>>()

/**
 * A thread that is ended when a job takes too long, or needs more memory than it may have, and made anew for the next one.
 * One job at a time: the caller waits for its answer.
 */
export class Thread<Job, Answer> implements Pausable {
  readonly #options: ThreadOptions
  readonly #clock: TickClock
  readonly #gate = createGate()
  #worker: Promise<Worker> | null = null
  /** Of the job at hand. */
  #time: CountedTime | null = null
  #onPaused: (() => void) | null = null

  constructor(options: ThreadOptions, clock: TickClock = systemClock) {
    this.#options = options
    this.#clock = clock
  }

  /** Whether it is there, or is being made. */
  get isOpen(): boolean {
    return this.#worker !== null
  }

  /** Resolves once the program has come to its gate and stands still; never, when its job ends or it is let go on before. */
  pause(): Promise<void> {
    closeGate(this.#gate)
    return new Promise((resolve) => {
      this.#onPaused = resolve
    })
  }

  resume(): void {
    this.#onPaused = null
    openGate(this.#gate)
    this.#time?.start()
  }

  /** Resolves once the thread is there; until then `run` waits for it, beside the time of its job. */
  async start(): Promise<Worker> {
    this.#worker ??= this.#started()
    return this.#worker.catch((error: unknown) => {
      this.#worker = null
      throw error
    })
  }

  /** @param msMax of counted time: a thread of a process that was stopped is not late. */
  async run(job: Job, msMax: number): Promise<Ran<Answer>> {
    const worker = await this.start()
    // Closed while it was made.
    if (!this.isOpen) return { answer: 'ended', ms: 0 }
    return new Promise((resolve) => {
      const settle = (answer: Answer | 'late' | 'ended') => {
        time.stop()
        this.#time = null
        worker.off('message', said).off('error', failed).off('exit', failed)
        resolve({ answer, ms: time.ms })
      }
      const end = (how: 'late' | 'ended') => {
        this.close()
        settle(how)
      }
      const failed = () => end('ended')
      const time = new CountedTime(this.#clock, (ms) => {
        if (ms >= msMax) end('late')
      })
      const said = (message: Answer | typeof PAUSED) => {
        if (message !== PAUSED) return settle(message as Answer)
        // Unless it was let go on meanwhile.
        if (this.#onPaused === null) return
        time.stop()
        this.#onPaused()
        this.#onPaused = null
      }
      this.#time = time
      worker.on('message', said).on('error', failed).on('exit', failed)
      time.start()
      worker.postMessage(job)
    })
  }

  close(): void {
    const worker = this.#worker
    this.#worker = null
    void worker?.then(
      (made) => made.terminate(),
      () => {},
    )
  }

  async #started(): Promise<Worker> {
    const { file } = this.#options
    const program = programs.get(file) ?? this.#read()
    programs.set(file, program)
    program.catch(() => programs.delete(file))
    const worker = new Worker(await program, {
      eval: true,
      workerData: this.#gate,
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMb, maxYoungGenerationSizeMb: 8 },
    })
    await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
    })
    // An error while it idles ends it, and not the process.
    worker.on('error', () => {})
    // It does not keep a process alive that has nothing else to do.
    worker.unref()
    return worker
  }

  async #read(): Promise<string> {
    const built = await packed(this.#options.file)
    return built === null ? bundleThread(this.#options.source) : new TextDecoder().decode(built)
  }
}
