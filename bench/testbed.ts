import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databaseAt, type MongoServer, startMongoServer } from '../test/support/mongo/start.ts'
import type { EndpointCalls } from './endpoint.ts'
import { firstVersionIn } from './first-version.ts'
import type { HelloCalls } from './hello.ts'
import type { LoadCalls } from './load.ts'
import { endAll, type Remote, start } from './remote.ts'
import type { ServiceCalls } from './service.ts'
import { between } from './usage.ts'

export interface Options {
  /** Tiny sizes: to see that it works, not for figures. */
  readonly quick: boolean
  readonly rounds: number
  /** Tasks through one process for its heap. */
  readonly tasks: number
  readonly profile: boolean
}

export interface OpenService extends Remote<ServiceCalls> {
  readonly httpPort: number
  readonly relayPort: number
}

export interface ServiceOptions {
  /** Over HTTP at this base URL; in the process when left out. */
  readonly modelUrl?: string
  /** How long the model in the process takes; 0 when left out. */
  readonly thinksMs?: number
  /** The folder of its store; an empty one when left out. */
  readonly dataDir?: string
  readonly firstVersion?: boolean
  /** A MongoDB server's URL with its database; the embedded store when left out. */
  readonly mongodbUrl?: string
  /** One of several nodes, with that store. */
  readonly natsUrl?: string
  /** What its drivers do can be counted. */
  readonly counted?: boolean
}

/** A service with browsers that are connected to it. */
export interface Crowd {
  readonly service: OpenService
  readonly load: Remote<LoadCalls>
  readonly group: number
}

/** Not part of the repository; Chrome's developer tools show what is in it. */
const PROFILES = fileURLToPath(new URL('../dist/bench', import.meta.url))

/** The processes and folders of one measure, all on loopback and in the folder for temporary files. */
export class Testbed {
  readonly options: Options
  readonly #folder = mkdtempSync(join(tmpdir(), 'browser-task-bench-'))
  #dataDirs = 0
  #firstVersion: URL | null = null
  #mongo: MongoServer | null = null

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

  /** The folder of an empty store. */
  dataDir(): string {
    return join(this.#folder, `store-${++this.#dataDirs}`)
  }

  async service(options: ServiceOptions = {}): Promise<OpenService> {
    const { modelUrl, thinksMs = 0, dataDir = this.dataDir(), firstVersion = false, counted } = options
    const { mongodbUrl, natsUrl } = options
    if (firstVersion) this.#firstVersion ??= firstVersionIn(join(this.#folder, 'first-version'))
    const root = firstVersion && this.#firstVersion ? new URL('../../', this.#firstVersion) : undefined
    const flags = [
      ...(counted ? ['--import', new URL('counted/drivers.ts', import.meta.url).href] : []),
      ...(this.options.profile ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : []),
    ]
    const remote = await start<ServiceCalls>(
      (firstVersion && this.#firstVersion) || new URL('service.ts', import.meta.url),
      { root, flags },
    )
    const model = { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'bench', LLM_MODEL: 'bench-model' }
    const ports = await remote.ask.start({
      env: {
        DATA_DIR: dataDir,
        PORT: '0',
        RELAY_PORT: '0',
        // So that a job has as many steps as it says, and one for its answer.
        VERIFY: 'off',
        ...(modelUrl === undefined ? {} : { ...model, LLM_BASE_URL: modelUrl }),
        ...(mongodbUrl === undefined ? {} : { MONGODB_URL: mongodbUrl }),
        ...(natsUrl === undefined ? {} : { NATS_URL: natsUrl }),
        // The one that tells when a request is answered.
        ...(counted ? { TRANSPORT: 'node' } : {}),
      },
      instantModel: modelUrl === undefined,
      thinksMs,
    })
    return { ...remote, ...ports }
  }

  load = (): Promise<Remote<LoadCalls>> => start<LoadCalls>(new URL('load.ts', import.meta.url))
  hello = (): Promise<Remote<HelloCalls>> => start<HelloCalls>(new URL('hello.ts', import.meta.url))
  endpoint = (): Promise<Remote<EndpointCalls>> => start<EndpointCalls>(new URL('endpoint.ts', import.meta.url))

  /** A service with a browser in each of so many workspaces: enough that the limits of each are kept. */
  async crowd(browsers: number, options: ServiceOptions = {}): Promise<Crowd> {
    const [service, load] = [await this.service(options), await this.load()]
    const group = await load.ask.connect(service.relayPort, await service.ask.seats(browsers, 1))
    return { service, load, group }
  }

  /** A database of its own on the server of TEST_MONGODB_URL, else on one of the tests: what that is asked can be counted, its speed means nothing. */
  async mongodb(): Promise<string> {
    const name = `bench_${randomUUID().slice(0, 8)}`
    const real = process.env.TEST_MONGODB_URL
    if (!real) this.#mongo ??= await startMongoServer()
    return databaseAt(real || (this.#mongo?.url ?? ''), name)
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    await endAll(this.options.profile)
    await this.#mongo?.kill()
    this.#mongo = null
  }

  /** Removes its folder, after `end`. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The first part of a load, in which it gets under way, and its very end are left out. */
const RAMP = 0.2
const END_MS = 50
export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Measures two versions once in each round. Each begins every other round, so that a slow minute of the machine meets both. */
export async function inTurns<T>(
  { rounds }: Testbed,
  crowds: { readonly now: Crowd; readonly first: Crowd },
  measure: (crowd: Crowd) => Promise<T>,
): Promise<{ now: T; first: T }[]> {
  const measured: { now: T; first: T }[] = []
  for (const round of rounds) {
    if (round % 2 === 0) measured.push({ now: await measure(crowds.now), first: await measure(crowds.first) })
    else measured.push({ first: await measure(crowds.first), now: await measure(crowds.now) })
  }
  return measured
}

/** Keeps so many tasks under way for so long; resolves to what the service did and used, and its browsers waited, in the steady part of it. */
export async function steadily(
  { service, load, group }: Crowd,
  { atOnce, seconds, steps }: { atOnce: number; seconds: number; steps: number },
) {
  const loading = load.ask.tasks(group, { httpPort: service.httpPort, atOnce, seconds, tasksMax: 1e9, steps })
  const look = async () => {
    await wait(seconds * 1_000 * RAMP)
    await service.ask.resetMeter()
    await load.ask.waits(group)
    const before = await service.ask.usage(false)
    await wait(seconds * 1_000 * (1 - RAMP) - END_MS)
    const metered = await service.ask.meter()
    if (metered.steps === 0) throw new Error(`No step was made in ${seconds} s`)
    const used = between(before, await service.ask.usage(false))
    return { ...metered, ...used, waits: await load.ask.waits(group) }
  }
  const [looked] = await Promise.all([look(), loading])
  return looked
}
