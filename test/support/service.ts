import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { ENTRY } from './built.ts'
import { freePorts } from './ports.ts'
import { Api } from './service/api.ts'
import { tempFolder } from './stores.ts'

const START_MS_MAX = 120_000
const END_MS_MAX = 20_000
const LOOK_MS = 10

export interface ServiceOptions {
  /** Settings beside those that a test always sets: ports, host, data folder. */
  readonly env?: Readonly<Record<string, string>>
  /** Another build of the same entry. */
  readonly entry?: string
  /** The group it runs as: a firewall knows it by that. */
  readonly gid?: number
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The service as a process of its own, on ports that it keeps over restarts. */
export interface TestService {
  readonly url: string
  readonly relayPort: number
  readonly dataDir: string
  /** The first secret key, which the first start printed. */
  readonly key: string
  /** The API with that key. */
  readonly api: Api
  readonly pid: number
  /** All that it has printed, over all starts. */
  readonly output: string
  /** `null` while it runs. */
  readonly exit: Exit | null
  signal(name: NodeJS.Signals): void
  /** Resolves when the running process has ended. */
  ended(): Promise<Exit>
  /** SIGTERM, and its end. */
  stop(): Promise<Exit>
  /** SIGKILL, and its end. */
  kill(): Promise<Exit>
  /** Starts the next process on the same ports and data, and with these settings from now on; returns at once. */
  spawn(env?: Readonly<Record<string, string>>): void
  /** Resolves when it answers health, with how long that took, in ms. */
  answers(): Promise<number>
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * For tests that start more than ten tasks a minute: clients wait when they are refused, up to a minute. `limits` are
 * others to set, such as `running_tasks=20`.
 */
export function allowManyStarts({ dataDir }: TestService, ...limits: readonly string[]): void {
  const env = { ...process.env, DATA_DIR: dataDir }
  const wanted = ['starts_per_minute=1000', ...limits]
  execFileSync(process.execPath, [ENTRY, 'limits', 'default', ...wanted], { env, stdio: 'ignore' })
}

/** Starts the real process on free loopback ports and a data folder of its own, and waits until it answers. */
export async function openService(options: ServiceOptions = {}): Promise<TestService> {
  const [port = 0, relayPort = 0] = await freePorts(2)
  const service = new Service(port, relayPort, options)
  service.spawn()
  await service.answers()
  return service
}

class Service implements TestService {
  readonly url: string
  readonly relayPort: number
  readonly dataDir = tempFolder()
  output = ''
  exit: Exit | null = null
  readonly #entry: string
  readonly #gid: number | undefined
  #env: Readonly<Record<string, string>>
  #child: ChildProcess | null = null
  #ended: Promise<Exit> = Promise.resolve({ code: null, signal: null })
  #startedAt = 0

  constructor(port: number, relayPort: number, { env = {}, entry = ENTRY, gid }: ServiceOptions) {
    this.url = `http://127.0.0.1:${port}`
    this.relayPort = relayPort
    this.#entry = entry
    this.#gid = gid
    const { PATH = '', HOME = '', CHROME_PATH = '' } = process.env
    this.#env = {
      PATH,
      HOME,
      ...(CHROME_PATH === '' ? {} : { CHROME_PATH }),
      HOST: '127.0.0.1',
      PORT: String(port),
      RELAY_PORT: String(relayPort),
      DATA_DIR: this.dataDir,
      LOG_LEVEL: 'warn',
      ...env,
    }
  }

  get key(): string {
    const key = /svc_live_[0-9a-f]{48}/.exec(this.output)?.[0]
    if (key === undefined) throw new Error(`No key was printed:\n${this.output}`)
    return key
  }

  get api(): Api {
    return new Api(this.url, this.key)
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  spawn(env: Readonly<Record<string, string>> = {}): void {
    this.#startedAt = performance.now()
    this.#env = { ...this.#env, ...env }
    this.exit = null
    const source = this.#entry.endsWith('.ts') ? ['--conditions=development', '--import', 'tsx'] : []
    const child = spawn(process.execPath, [...source, this.#entry, 'serve'], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(this.#gid === undefined ? {} : { gid: this.#gid }),
    })
    this.#child = child
    running.add(child)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text
      })
    }
    this.#ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        running.delete(child)
        this.exit = { code, signal }
        resolve(this.exit)
      })
    })
  }

  async answers(): Promise<number> {
    const health = new Api(this.url, '')
    while (performance.now() - this.#startedAt < START_MS_MAX) {
      if (this.exit)
        throw new Error(`The service ended with ${JSON.stringify(this.exit)}:\n${this.output.slice(-4_000)}`)
      const answered = await health.get('/v1/health').catch(() => null)
      if (answered) return performance.now() - this.#startedAt
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    throw new Error(`The service does not answer:\n${this.output.slice(-4_000)}`)
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  ended(): Promise<Exit> {
    return this.#inTime(START_MS_MAX, 'It did not end')
  }

  stop(): Promise<Exit> {
    return this.#end('SIGTERM')
  }

  kill(): Promise<Exit> {
    return this.#end('SIGKILL')
  }

  #end(signal: NodeJS.Signals): Promise<Exit> {
    this.signal(signal)
    return this.#inTime(END_MS_MAX, `It did not end after ${signal}`)
  }

  #inTime(ms: number, what: string): Promise<Exit> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what}:\n${this.output}`)), ms)
    })
    return Promise.race([this.#ended, late]).finally(() => clearTimeout(timer))
  }
}
