import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import type { BareCalls } from './bare.ts'
import type { EndpointCalls } from './endpoint.ts'
import type { LoadCalls } from './load.ts'
import type { Options } from './options.ts'
import { killAll, type Remote, start } from './remote.ts'
import type { ServiceCalls } from './service.ts'

/** Where a store lies. */
export interface Place {
  readonly dataDir: string
  readonly mongodbUrl: string | null
}

export interface OpenService extends Remote<ServiceCalls> {
  readonly httpPort: number
  readonly relayPort: number
  /** From the order to start, in the process, to its listening. */
  readonly startMs: number
}

export interface ServiceOptions {
  /** Over HTTP at this base URL; in the process when left out. */
  readonly modelUrl?: string
  readonly place?: Place
  /** A profile is begun before the start. */
  readonly profile?: boolean
  /** Nothing looks at its actors: for what looking costs. */
  readonly unwatched?: boolean
  /** How long the model in the process thinks; 0 when left out. */
  readonly thinksMs?: number
}

/** The processes, folders and databases of a run. All of it is on loopback and under the folder for temporary files. */
export class Stage {
  readonly options: Options
  readonly #folder = mkdtempSync(join(tmpdir(), 'browser-task-bench-'))
  #mongo: MongoServer | null = null
  #places = 0

  constructor(options: Options) {
    this.options = options
  }

  /** One of two sizes: what a real run takes, and what `--quick` takes. */
  size<T>(real: T, quick: T): T {
    return this.options.quick ? quick : real
  }

  get rounds(): number[] {
    return Array.from({ length: this.options.rounds }, (_, round) => round)
  }

  /** An empty store. */
  async place(): Promise<Place> {
    const name = `store-${++this.#places}`
    if (this.options.store === 'lmdb') return { dataDir: join(this.#folder, name), mongodbUrl: null }
    this.#mongo ??= await startMongoServer()
    return { dataDir: join(this.#folder, name), mongodbUrl: `${this.#mongo.url}/${name}` }
  }

  file(name: string): string {
    return join(this.#folder, name)
  }

  async service(options: ServiceOptions = {}): Promise<OpenService> {
    const { modelUrl, profile = false, unwatched = false, thinksMs = 0 } = options
    const place = options.place ?? (await this.place())
    const remote = await start<ServiceCalls>(new URL('service.ts', import.meta.url))
    const env = {
      DATA_DIR: place.dataDir,
      PORT: '0',
      RELAY_PORT: '0',
      TRANSPORT: this.options.transport,
      ...(place.mongodbUrl === null ? {} : { MONGODB_URL: place.mongodbUrl }),
      ...(modelUrl === undefined
        ? {}
        : { LLM_PROVIDER: 'anthropic', LLM_BASE_URL: modelUrl, LLM_API_KEY: 'bench', LLM_MODEL: 'bench-model' }),
    }
    if (profile) await remote.ask.profile()
    const { httpPort, relayPort, startMs } = await remote.ask.start({
      env,
      instantModel: modelUrl === undefined,
      unwatched,
      thinksMs,
    })
    return { ...remote, httpPort, relayPort, startMs }
  }

  load = (): Promise<Remote<LoadCalls>> => start<LoadCalls>(new URL('load.ts', import.meta.url))
  bare = (): Promise<Remote<BareCalls>> => start<BareCalls>(new URL('bare.ts', import.meta.url))
  endpoint = (): Promise<Remote<EndpointCalls>> => start<EndpointCalls>(new URL('endpoint.ts', import.meta.url))

  /** Ends and removes all of it, at once. */
  close(): void {
    killAll()
    void this.#mongo?.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Uses processes, and ends them whatever happens. */
export async function using<R extends readonly { kill(): Promise<void> }[], T>(
  remotes: readonly [...R],
  work: (...remotes: R) => Promise<T>,
): Promise<T> {
  try {
    return await work(...remotes)
  } finally {
    await Promise.all(remotes.map((remote) => remote.kill()))
  }
}
