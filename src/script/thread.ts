import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../config/clock.ts'
import { packed } from '../packed.ts'
import { CountedTime, type TickClock } from './counted-time.ts'

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

/**
 * A thread that is ended when a job takes too long, or needs more memory than it may have, and made anew for the next one.
 * One job at a time: the caller waits for its answer.
 */
export class Thread<Job, Answer> {
  readonly #options: ThreadOptions
  readonly #clock: TickClock
  #program: Promise<string> | null = null
  #worker: Promise<Worker> | null = null

  constructor(options: ThreadOptions, clock: TickClock = systemClock) {
    this.#options = options
    this.#clock = clock
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
    return new Promise((resolve) => {
      const settle = (answer: Answer | 'late' | 'ended') => {
        time.stop()
        worker.off('message', settle).off('error', failed).off('exit', failed)
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
      worker.on('message', settle).on('error', failed).on('exit', failed)
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
    this.#program ??= this.#read()
    const worker = new Worker(await this.#program, {
      eval: true,
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
