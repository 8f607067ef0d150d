import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { packed } from '../packed.ts'

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

/**
 * A thread that is ended when a job takes too long, or needs more memory than it may have, and made anew for the next one.
 * One job at a time: the caller waits for its answer.
 */
export class Thread<Job, Answer> {
  readonly #options: ThreadOptions
  #program: Promise<string> | null = null
  #worker: Promise<Worker> | null = null

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Resolves once the thread is there; until then `run` waits for it, beside the time of its job. */
  async start(): Promise<Worker> {
    this.#worker ??= this.#started()
    return this.#worker.catch((error: unknown) => {
      this.#worker = null
      throw error
    })
  }

  async run(job: Job, ms: number): Promise<Answer | 'late'> {
    const worker = await this.start()
    return new Promise((resolve) => {
      const settle = (answer: Answer | 'late') => {
        clearTimeout(timer)
        worker.off('message', settle).off('error', failed).off('exit', failed)
        resolve(answer)
      }
      const failed = () => {
        this.close()
        settle('late')
      }
      const timer = setTimeout(failed, ms)
      worker.on('message', settle).on('error', failed).on('exit', failed)
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
