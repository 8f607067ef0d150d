import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
    const { modelUrl, thinksMs = 0, dataDir = this.dataDir(), firstVersion = false } = options
    if (firstVersion) this.#firstVersion ??= firstVersionIn(join(this.#folder, 'first-version'))
    const root = firstVersion && this.#firstVersion ? new URL('../../', this.#firstVersion) : undefined
    const remote = await start<ServiceCalls>(
      (firstVersion && this.#firstVersion) || new URL('service.ts', import.meta.url),
      { root, flags: this.options.profile ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : [] },
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

  /** Ends all processes. */
  end = (): Promise<void> => endAll(this.options.profile)

  /** Removes its folder, after `end`. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The first part of a load, in which it gets under way, and its very end are left out. */
const RAMP = 0.2
const END_MS = 50
export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Keeps so many tasks under way for so long; resolves to what the service did and used in the steady part of it. */
export async function steadily(
  { service, load, group }: Crowd,
  { atOnce, seconds, steps }: { atOnce: number; seconds: number; steps: number },
) {
  const loading = load.ask.tasks(group, { httpPort: service.httpPort, atOnce, seconds, tasksMax: 1e9, steps })
  const look = async () => {
    await wait(seconds * 1_000 * RAMP)
    await service.ask.resetMeter()
    const before = await service.ask.usage(false)
    await wait(seconds * 1_000 * (1 - RAMP) - END_MS)
    const metered = await service.ask.meter()
    if (metered.steps === 0) throw new Error(`No step was made in ${seconds} s`)
    return { ...metered, ...between(before, await service.ask.usage(false)) }
  }
  const [looked] = await Promise.all([look(), loading])
  return looked
}
