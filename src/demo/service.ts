import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../config/clock.ts'
import { readConfig } from '../config/config.ts'
import { buildVersion } from '../config/version.ts'
import { firstWorkspace } from '../identity/first-workspace.ts'
import { startService } from '../main.ts'
import { openModel } from '../models/open.ts'
import { openLog } from '../observe/log.ts'
import { openStore } from '../stores/open.ts'

const LOOK_EVERY_MS = 25
const START_MS_MAX = 30_000

/** The service of a demonstration. */
export interface DemoService {
  readonly url: string
  readonly key: string
  /** Kills it with SIGKILL and starts it again; `null` where it runs in this very process. */
  readonly crash: (() => Promise<Crash>) | null
  stop(): Promise<void>
}

export interface Crash {
  readonly killedPid: number
  readonly newPid: number
  /** From the kill until it answered again. */
  readonly awayMs: number
}

export type Env = Readonly<Record<string, string | undefined>>

/** In this process: what people see first needs no second one. */
export async function serveHere(env: Env): Promise<DemoService> {
  const config = readConfig({ BUILD_VERSION: buildVersion(), ...env, PORT: '0', RELAY_PORT: '0' })
  const log = openLog({ level: 'silent' })
  const service = await startService({ config, log, model: openModel(config.llm, log) })
  return { url: service.url, key: service.firstKey ?? '', crash: null, stop: () => service.stop() }
}

/** In a process of its own, `serve` as anyone would start it, so that it can be killed. */
export async function serveApart(env: Env): Promise<DemoService> {
  const [port, relayPort] = await Promise.all([freePort(), freePort()])
  const settings = { ...env, PORT: String(port), RELAY_PORT: String(relayPort) }
  const key = await firstKeyOf(settings)
  const url = `http://127.0.0.1:${port}`
  let child = await started(settings, url)
  return {
    url,
    key,
    async crash() {
      const killedPid = child.pid ?? 0
      const at = performance.now()
      child.kill('SIGKILL')
      await once(child, 'exit')
      child = await started(settings, url)
      return { killedPid, newPid: child.pid ?? 0, awayMs: performance.now() - at }
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** The store is made, and the key that is shown once, before the service that uses them. */
export async function firstKeyOf(env: Env): Promise<string> {
  const { mongodbUrl, dataDir } = readConfig(env)
  const store = await openStore({ mongodbUrl, dataDir, log: openLog({ level: 'silent' }) })
  try {
    return (await firstWorkspace(store, systemClock, { uuid: randomUUID })) ?? ''
  } finally {
    await store.close()
  }
}

/** Resolves when it answers; rejects with what it said when it ends before. */
export async function started(env: Env, url: string): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('../browser-task.js', import.meta.url))
  const child = spawn(process.execPath, [file, 'serve'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', (text: Buffer) => {
    said += text
  })
  const end = performance.now() + START_MS_MAX
  while (child.exitCode === null && performance.now() < end) {
    const healthy = await fetch(`${url}/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (healthy) return child
    await setTimeout(LOOK_EVERY_MS)
  }
  child.kill('SIGKILL')
  throw new Error(said.trim() || `The service did not answer at ${url}.`)
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
