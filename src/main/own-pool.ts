import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Log, OwnPool } from '../../actors/runtime/ports.ts'
import { MINUTE_MS, SECOND_MS } from '../../machines/limits.ts'
import { ownEnv } from '../browser/own-env.ts'
import type { Pairings } from '../identity/pairings.ts'
import { PLACES_DEFAULT } from '../wire/limits.ts'

/** [Z4] The pool of the browsers that the service runs by itself. */
export const OWN_POOL = 'default'
/** A browser ends when it has had no task for so long. */
const IDLE_MS = 10 * MINUTE_MS
/** A start waits so long for the first browser, and no longer. */
const READY_MS_MAX = 20 * SECOND_MS
/** After a browser that failed the next one is started later, each time twice as long. */
const BACK_OFF_MS_FIRST = SECOND_MS
const BACK_OFF_MS_MAX = MINUTE_MS
/** A browser that ran for so long has not failed to start. */
const STEADY_MS = MINUTE_MS
/** In all workspaces together. */
const BROWSERS_MAX = 20
const STOP_MS_MAX = 2 * SECOND_MS

export interface OwnPoolOptions {
  /** How many run for a workspace that needs them. */
  readonly browsers: number
  /** The service, as browsers on this machine reach it. */
  readonly url: string
  /** [Z15] Private addresses and networks that they may open. */
  readonly allowCidrs?: readonly string[]
  readonly pairings: Pick<Pairings, 'create'>
  readonly log: Log
  /** Starts one browser with a pairing token; a test brings its own. */
  readonly start?: (url: string, token: string) => ChildProcess
}

/** The browsers of one workspace. */
interface Fleet {
  readonly running: Set<ChildProcess>
  /** How many are being paired, and run then. */
  pairing: number
  /** While they are started: resolves when the first of them is connected, or has ended. */
  starting: Promise<void> | null
  failures: number
  /** Not before this time, by a clock that nobody sets. */
  notBefore: number
}

/**
 * [Z4] The browsers that this service starts when a task needs one: each a child process that joins the pool like any other.
 * They end by themselves when they are idle, are started again when a task needs one, later after each failure, and end with
 * the service.
 */
export function openOwnPool(options: OwnPoolOptions): OwnPool & { close(): Promise<void> } {
  const { browsers, url, pairings, log, allowCidrs = [], start = startBrowser(allowCidrs) } = options
  const fleets = new Map<string, Fleet>()
  let isClosed = false

  const count = () => [...fleets.values()].reduce((sum, { running, pairing }) => sum + running.size + pairing, 0)

  async function startAll(workspaceId: string, fleet: Fleet): Promise<void> {
    await pause(Math.max(0, fleet.notBefore - performance.now()), undefined, { ref: false })
    const number = Math.min(browsers, BROWSERS_MAX - count())
    if (number < 1) log.warn({ workspaceId }, 'No more browsers are started: so many run already')
    else await Promise.race(Array.from({ length: number }, () => startOne(workspaceId, fleet)))
  }

  /** `null`: it could not be paired, or the service stops. */
  async function pairAndStart(workspaceId: string, fleet: Fleet): Promise<ChildProcess | null> {
    fleet.pairing++
    try {
      const pairing = await pairings.create({
        ...{ workspaceId, keyId: null, publishable: false, allowTasks: false, externalUserId: null },
        ...{ createdBy: 'this service', label: 'started by the service' },
        pool: { pool: OWN_POOL, places: PLACES_DEFAULT },
      })
      if (typeof pairing === 'string') log.warn({ workspaceId, code: pairing }, 'A browser could not be paired')
      if (typeof pairing === 'string' || isClosed) return null
      const child = start(url, pairing.token)
      fleet.running.add(child)
      return child
    } finally {
      fleet.pairing--
    }
  }

  /** Resolves when it is connected, or has ended. */
  async function startOne(workspaceId: string, fleet: Fleet): Promise<void> {
    const child = await pairAndStart(workspaceId, fleet)
    if (!child) return
    const startedAt = performance.now()
    let said = ''
    child.stderr?.on('data', (text: Buffer) => {
      said = `${said}${text}`.slice(-SAID_CHARS_MAX)
    })
    const ended = once(child, 'exit').then(
      ([code]) => code as number | null,
      () => null,
    )
    void ended.then((code) => {
      fleet.running.delete(child)
      const hasFailed = code !== 0 && !isClosed
      if (performance.now() - startedAt >= STEADY_MS || !hasFailed) fleet.failures = 0
      if (!hasFailed) return
      const backOffMs = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_FIRST * 2 ** fleet.failures++)
      fleet.notBefore = performance.now() + backOffMs
      log.warn({ workspaceId, code, backOffMs, said: said.trim() }, 'A browser of this service has ended')
    })
    await Promise.race([once(child, 'message'), ended])
  }

  return {
    name: OWN_POOL,

    async need(workspaceId) {
      if (isClosed) return
      const fleet = fleets.get(workspaceId) ?? newFleet()
      fleets.set(workspaceId, fleet)
      if (fleet.running.size === 0) {
        // While they are started nobody else starts them.
        fleet.starting ??= startAll(workspaceId, fleet)
          .catch((error: unknown) => log.warn({ workspaceId, err: error }, 'A browser could not be started'))
          .finally(() => {
            fleet.starting = null
          })
      }
      if (fleet.starting) await Promise.race([fleet.starting, pause(READY_MS_MAX, undefined, { ref: false })])
    },

    async close() {
      isClosed = true
      const all = [...fleets.values()].flatMap(({ running }) => [...running])
      await Promise.all(all.map(stop))
    },
  }
}

const newFleet = (): Fleet => ({ running: new Set(), pairing: 0, starting: null, failures: 0, notBefore: 0 })
const SAID_CHARS_MAX = 1_000

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit').catch(() => {})
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await exited
  clearTimeout(late)
}

/** It has no key or secret of the service: its environment has what a browser needs, and the token of its pairing. */
const startBrowser =
  (allowCidrs: readonly string[]) =>
  (url: string, token: string): ChildProcess =>
    spawn(
      process.execPath,
      [
        fileURLToPath(new URL('../browser-task.js', import.meta.url)),
        ...['browser', '--service', url, '--idle', String(IDLE_MS / SECOND_MS)],
      ],
      {
        env: {
          ...ownEnv(),
          ...(process.env.CHROME_PATH ? { CHROME_PATH: process.env.CHROME_PATH } : {}),
          BROWSER_TASK_PAIRING_TOKEN: token,
          ...(allowCidrs.length > 0 ? { BROWSER_ALLOW_CIDRS: allowCidrs.join(',') } : {}),
        },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    )
