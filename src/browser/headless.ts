import { WebSocket } from 'ws'
import { HAS_CONTEXTS } from '../../machines/domains.ts'
import { TAKES_LIVE_INPUT } from '../../machines/input-request.ts'
import { REGISTER_MS_MAX, TASK_STUCK_MS } from '../../machines/limits.ts'
import { HAS_PROFILES } from '../../machines/profiles.ts'
import type { ContextOptions } from '../../machines/records.ts'
import type { NamedValue } from '../../machines/redaction.ts'
import { guardOf as addressGuardOf } from '../net/address-guard.ts'
import type { ExecuteTool } from '../wire/relay.ts'
import { ToolError } from './act/cdp.ts'
import { addressOf } from './act/tools/address.ts'
import { inProcess } from './call-memory.ts'
import { startBrowser } from './chromium.ts'
import { SHELL_LIMITS } from './headless-shell.ts'
import { RELAY_PORT_DEFAULT } from './limits.ts'
import { type Refusal, serviceReach } from './own-service.ts'
import { privateRefusal } from './private-refusal.ts'
import { valuesToRedact } from './profile-redaction.ts'
import { RelayClient } from './relay-client.ts'
import type { Stopped } from './relay-connection.ts'
import { serviceFiles } from './service-files.ts'
import { serviceProfiles } from './service-profiles.ts'
import { ANNOUNCED, gateOf, guardOf, Tabs } from './task-tabs.ts'

export interface RunOptions {
  /** The service's HTTP address, such as `http://127.0.0.1:3456`. */
  readonly serviceUrl: string
  /** Either a pairing token, used up here, … */
  readonly pairingToken?: string
  /** … or the session token that an earlier pairing gave, with the relay port that it told. */
  readonly sessionToken?: string
  readonly relayPort?: number
  readonly headed?: boolean
  /** [Z4] It ends by itself when it has had no task for so long. */
  readonly idleMs?: number
  /** [Z15] Private addresses and networks that its tasks open even if the service wants public ones alone. */
  readonly allowCidrs?: readonly string[]
  /** One line for a person. */
  log(line: string): void
  /** The service has accepted it: it may be given tasks. */
  onConnected?(): void
  /** Keeps the browser's profile; a fresh one that is thrown away when left out. */
  readonly userDataDir?: string
  /** Use this browser and no other; `CHROME_PATH` when left out. */
  readonly executablePath?: string
}

export interface RunningBrowser {
  /** `null` when it was started with a session token: the service names it later. */
  readonly sessionId: string | null
  readonly sessionToken: string
  /** [Z1] The pool that it has joined. */
  readonly pool: { readonly name: string; readonly places: number } | null
  /** Disconnects and closes the browser. */
  close(): Promise<void>
  /** Resolves when it has ended, with why. */
  readonly closed: Promise<Stopped>
}

/** The service does not take this browser. The message is one line for a person. */
export class PairingFailed extends Error {
  override readonly name = 'PairingFailed'
}

/**
 * Pairs with a service and runs a browser as its session until it is closed. Resolves when the browser has started and
 * the connection is on its way. Rejects with `NoBrowser` or `PairingFailed`, whose messages are for people.
 */
export async function runBrowser(options: RunOptions): Promise<RunningBrowser> {
  const { serviceUrl, headed = false, idleMs, log } = options
  if (!URL.canParse(serviceUrl)) throw new PairingFailed(`${serviceUrl} is not a valid service address.`)
  // A pairing token is good for one use: the browser comes first, so that none is wasted where there is no browser.
  const browser = await startBrowser({
    headed,
    userDataDir: options.userDataDir,
    executablePath: options.executablePath ?? (process.env.CHROME_PATH || undefined),
  })
  try {
    const session = await sessionFor(options)
    const addresses = session.publicOnly
      ? addressGuardOf({ allowPrivate: false, allowCidrs: options.allowCidrs ?? [] })
      : null
    const service = serviceReach([serviceUrl], [session.relayPort])
    await browser.guard(service, addresses)
    const refusalOf: Refusal = (address) => service.refusalOf(address) ?? privateRefusal(address, addresses)
    log(`${browser.name} is running.`)
    if (addresses) log(PUBLIC_ONLY)
    if (browser.isShell) log(SHELL_LIMITS)
    if (browser.isUnprotected) log(process.getuid?.() === 0 ? AS_ROOT : NO_NAMESPACES)
    const isPooled = session.pool !== undefined
    const profiles = serviceProfiles({ serviceUrl, sessionToken: session.token })
    /** [Z12] The tasks whose profiles are saved when they end. */
    const saved = new Set<string>()
    const stopping = new AbortController()
    /** [Z16] By task, from its first call on. */
    const redacted = new Map<string, readonly NamedValue[]>()
    const profileOf = async (taskId: string) => {
      const ofProfile = redacted.get(taskId)
      return ofProfile ? [...ofProfile, ...valuesToRedact({ cookies: await browser.cookiesOf(taskId) })] : []
    }
    const tabs = new Tabs(browser, {
      files: serviceFiles(async () => ({ serviceUrl, sessionToken: session.token })),
      profileOf,
    })
    const readProfile = (taskId: string) => async () => {
      const { save, values } = await profiles.read(taskId)
      if (save) saved.add(taskId)
      redacted.set(taskId, valuesToRedact(values ?? {}))
      return values
    }
    const endTask = async (taskId: string) => {
      const values = saved.delete(taskId) ? await browser.valuesOf(taskId) : null
      await tabs.end(taskId)
      redacted.delete(taskId)
      await browser.ended(taskId)
      if (values && !(await profiles.save(taskId, values, stopping.signal)))
        log(`The profile of task ${taskId} could not be saved.`)
    }
    const end = (taskId: string) => void endTask(taskId).catch(() => {})
    const tasks = new RunningTasks(end, idleMs)
    const client = await RelayClient.start({
      url: relayUrl(serviceUrl, session.relayPort),
      sessionToken: session.token,
      WebSocket,
      storage: inProcess(),
      async execute(call, signal) {
        const { taskId, tool, input, allowedDomains, context, profile, secrets, startsAt } = call
        tasks.seen(taskId)
        if (tool === 'navigate') refuseAddress(refusalOf, String(input.url))
        if (isPooled && tool === 'computer') refusePaste(input)
        if (isPooled || allowedDomains || context)
          await browser.separate(taskId, {
            domains: allowedDomains ?? null,
            options: contextOptionsOf(context),
            isFresh: isPooled,
            ...(profile ? { profile: readProfile(taskId) } : {}),
          })
        const startAt = firstPage(refusalOf, startsAt)
        return tabs.execute(
          taskId,
          tool,
          input,
          signal,
          allowedDomains ?? null,
          secrets,
          startAt,
          gateOf(call),
          guardOf(call),
        )
      },
      shows: { tabOf: (taskId) => tabs.protocolOf(taskId) },
      taskEnded: (taskId) => tasks.ended(taskId),
      tools: [...ANNOUNCED, HAS_CONTEXTS, TAKES_LIVE_INPUT, ...(isPooled ? [HAS_PROFILES] : [])],
      onFrame: ({ type }) => {
        if (type !== 'registered') return
        tasks.rest()
        options.onConnected?.()
      },
      log,
    })
    tasks.onIdle = () => client.close(IDLE)
    const closed = client.stopped.then(async (stopped) => {
      tasks.close()
      stopping.abort()
      await tabs.endAll()
      await browser.close()
      return stopped
    })
    browser.closed.then(() => client.close('The browser was closed.'))
    return {
      sessionId: session.id,
      sessionToken: session.token,
      pool: session.pool ?? null,
      async close() {
        client.close()
        await closed
      },
      closed,
    }
  } catch (error) {
    await browser.close()
    throw error
  }
}

const IDLE = 'The browser had no task for a while.'

/** The tasks of a browser. */
class RunningTasks {
  onIdle = () => {}
  readonly #end: (taskId: string) => void
  readonly #idleMs: number | undefined
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #idle: NodeJS.Timeout | undefined

  constructor(end: (taskId: string) => void, idleMs: number | undefined) {
    this.#end = end
    this.#idleMs = idleMs
  }

  /** A call of the task has come. */
  seen(taskId: string): void {
    clearTimeout(this.#idle)
    if (this.#timers.has(taskId)) return
    // No task runs for longer. One that went on in another browser, while this one was away, is not told to end here.
    this.#timers.set(
      taskId,
      setTimeout(() => this.ended(taskId), TASK_STUCK_MS),
    )
  }

  ended(taskId: string): void {
    clearTimeout(this.#timers.get(taskId))
    this.#timers.delete(taskId)
    this.#end(taskId)
    this.rest()
  }

  close(): void {
    clearTimeout(this.#idle)
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  /** It waits for a task from now on, unless it has one. */
  rest(): void {
    clearTimeout(this.#idle)
    if (this.#idleMs === undefined || this.#timers.size > 0) return
    this.#idle = setTimeout(() => this.onIdle(), this.#idleMs)
  }
}

const PASTES = /(^|\s)((ctrl|control|meta|cmd|command)\+(shift\+)?v|shift\+insert|paste)(\s|$)/i

/** [Z6] The tasks of a browser share its clipboard: none of them may read what another one has copied. */
function refusePaste({ action, text }: Readonly<Record<string, unknown>>): void {
  if (action === 'key' && PASTES.test(String(text)))
    throw new ToolError('This browser has no clipboard to paste from. Type the text instead.')
}

/** The frame's options without what it says of nothing. */
const contextOptionsOf = (context: ExecuteTool['context']): ContextOptions =>
  Object.fromEntries(Object.entries(context ?? {}).filter(([, value]) => value !== undefined)) as ContextOptions

/** [I10] Where a task begins, unless tasks may not go there. */
const firstPage = (refusalOf: Refusal, url: string | undefined): string | null =>
  url !== undefined && refusalOf(url) === null ? url : null

/** Says why before the browser does. Whatever gets past this (a link, a redirect, a frame) is refused by the browser. */
function refuseAddress(refusalOf: Refusal, wanted: string): void {
  const refusal = refusalOf(addressOf(wanted.trim()))
  if (refusal !== null) throw new ToolError(refusal)
}

/** The relay of a service: beside its HTTP port, or at /relay of the same origin behind https. */
export function relayUrl(serviceUrl: string, relayPort: number): string {
  const url = new URL(serviceUrl)
  if (url.protocol === 'https:') return `wss://${url.host}/relay`
  return `ws://${url.hostname}:${relayPort}/`
}

const AS_ROOT =
  'Warning: as root the browser runs without its sandbox, so a page that breaks out of it owns this machine. Run it as another user.'

const PUBLIC_ONLY = 'Its tasks open public addresses alone, and private ones that BROWSER_ALLOW_CIDRS lists.'
const NO_NAMESPACES =
  'Warning: this machine allows no user namespaces, so the browser runs without its sandbox, and a page that breaks out of it has the rights of this user.'

interface Session {
  readonly id: string | null
  readonly token: string
  /** [Z1] The pool that it belongs to. */
  readonly pool?: { readonly name: string; readonly places: number } | undefined
  readonly relayPort: number
  /** [Z15] Its tasks open public addresses alone. */
  readonly publicOnly?: boolean
}

async function sessionFor({ serviceUrl, pairingToken, sessionToken, relayPort }: RunOptions): Promise<Session> {
  if (sessionToken !== undefined) return { id: null, token: sessionToken, relayPort: relayPort ?? RELAY_PORT_DEFAULT }
  if (pairingToken === undefined) throw new PairingFailed('A pairing token is needed.')
  const response = await fetch(new URL('/v1/browser-sessions/register', serviceUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pairing_token: pairingToken }),
    signal: AbortSignal.timeout(REGISTER_MS_MAX),
  }).catch(() => {
    throw new PairingFailed(`No service answers at ${serviceUrl}.`)
  })
  const body: unknown = await response.json().catch(() => null)
  if (response.status === 401) {
    throw new PairingFailed('The pairing token is wrong, expired or already used. Create a new one.')
  }
  if (response.status !== 201 || !isRegistration(body)) {
    throw new PairingFailed(`The service at ${serviceUrl} did not register this browser (status ${response.status}).`)
  }
  const {
    browser_session_id: id,
    session_token: token,
    relay_port,
    pool,
    public_addresses_only: publicOnly = false,
  } = body
  return { id, token, relayPort: relay_port ?? RELAY_PORT_DEFAULT, pool, publicOnly }
}

interface Registration {
  readonly browser_session_id: string
  readonly session_token: string
  readonly relay_port?: number
  readonly pool?: { readonly name: string; readonly places: number }
  readonly public_addresses_only?: boolean
}
const isRegistration = (body: unknown): body is Registration =>
  typeof body === 'object' &&
  body !== null &&
  'browser_session_id' in body &&
  typeof body.browser_session_id === 'string' &&
  'session_token' in body &&
  typeof body.session_token === 'string'
