import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { once } from '../../config/once.ts'
import { packed } from '../../packed.ts'
import { SCHEMA_THREAD_MB_MAX } from './limits.ts'

/** A schema to compile, or an output to hold against it; both are JSON. */
export interface SchemaJob {
  readonly schema: string
  readonly output?: string
}

/** What is wrong, `null` for nothing, or that there was no verdict in time. With a schema that is right: its JSON, references resolved. */
export type Verdict = { readonly fault: string | null; readonly schema?: string } | 'late'

/** The thread's program as one file: Node reads TypeScript on the main thread alone. */
const program = once(async () => {
  const built = await packed('schema-worker.cjs')
  return built === null ? bundleWorker() : new TextDecoder().decode(built)
})

/** The same, built from its source. */
export async function bundleWorker(): Promise<string> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** A thread that is ended when a job takes too long, and made anew for the next one. One job at a time. */
export class SchemaThread {
  #worker: Promise<Worker> | null = null

  async run(job: SchemaJob, ms: number): Promise<Verdict> {
    this.#worker ??= started()
    const worker = await this.#worker.catch((error: unknown) => {
      this.#worker = null
      throw error
    })
    return new Promise((resolve) => {
      const settle = (verdict: Verdict) => {
        clearTimeout(timer)
        worker.off('message', answered).off('error', failed).off('exit', failed)
        resolve(verdict)
      }
      const answered = (verdict: Verdict) => settle(verdict)
      // Its memory was not enough, or its stack.
      const failed = () => {
        this.close()
        settle('late')
      }
      const timer = setTimeout(failed, ms)
      worker.on('message', answered).on('error', failed).on('exit', failed)
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
}

async function started(): Promise<Worker> {
  const worker = new Worker(await program(), {
    eval: true,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: SCHEMA_THREAD_MB_MAX, maxYoungGenerationSizeMb: 8 },
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
