import * as v from 'valibot'
import { PairingFailed, runBrowser } from '../browser/headless.ts'
import { networks } from '../config/network.ts'
import { PLACES_DEFAULT, PLACES_MAX } from '../wire/limits.ts'
import { clientOf } from './client.ts'
import { EXIT, Failed, usageError } from './exit-codes.ts'
import { onInterrupt } from './interrupt.ts'
import { say } from './terminal.ts'

export interface BrowserCommandOptions {
  readonly service: string
  readonly token?: string
  readonly key?: string
  readonly headed?: boolean
  /** [Z1] The pool that it joins, and how many tasks it takes at a time. */
  readonly pool?: string
  readonly tasks?: string
  readonly label?: string
  /** Seconds without a task after which it ends. */
  readonly idle?: string
}

/** [Q5, Z1] Pairs a browser with a service and runs it as a session until it is interrupted, removed or taken over. */
export async function browserCommand(options: BrowserCommandOptions): Promise<void> {
  const { pool, idle } = options
  if (options.tasks !== undefined && pool === undefined) throw usageError('--tasks needs --pool.')
  const allowCidrs = allowedNetworks()
  const browser = await runBrowser({
    allowCidrs,
    serviceUrl: options.service,
    pairingToken: options.token ?? (await tokenBy(options)),
    headed: options.headed ?? false,
    ...(idle === undefined ? {} : { idleMs: wholeNumber('--idle', idle, MAX_IDLE_S) * 1_000 }),
    log: (line) => say(line),
    // The service that has started it waits for this.
    onConnected: () => process.send?.('connected'),
  }).catch((error: unknown) => {
    throw error instanceof PairingFailed ? new Failed(error.message, EXIT.service) : error
  })
  const joined = browser.pool ? ` of pool ${browser.pool.name}, ${browser.pool.places} tasks at a time` : ''
  if (browser.sessionId !== null) say(`Browser session ${browser.sessionId}${joined}. End it with Ctrl-C.`)
  let interrupted = false
  const forget = onInterrupt(() => {
    interrupted = true
    // `closed` tells how it went.
    browser.close().catch(() => {})
  })
  // It ends with the service that has started it.
  process.on('disconnect', () => browser.close().catch(() => {}))
  const stopped = await browser.closed
  forget()
  if (!interrupted && !(idle !== undefined && stopped.why === 'closed')) throw new Failed(stopped.message, EXIT.service)
}

/** [Z15] As the service reads this setting: whoever runs a browser says which of their private addresses tasks may open. */
function allowedNetworks(): readonly string[] {
  const given = process.env.BROWSER_ALLOW_CIDRS?.trim()
  if (!given) return []
  const parsed = v.safeParse(networks, given)
  if (parsed.success) return parsed.output
  throw usageError(`BROWSER_ALLOW_CIDRS ${JSON.stringify(given)} is not valid: expected ${parsed.issues[0].message}.`)
}

const MAX_IDLE_S = 86_400

function wholeNumber(option: string, given: string, max: number): number {
  const number = Number(given)
  if (/^\d+$/.test(given) && number >= 1 && number <= max) return number
  throw usageError(`${option} must be a whole number from 1 to ${max}.`)
}

/** A pairing token that the key makes. */
async function tokenBy({ service, key, pool, tasks, label }: BrowserCommandOptions): Promise<string> {
  if (!key) throw usageError('Neither a pairing token nor a key given. Use --token, --key or set BROWSER_TASK_KEY.')
  const places = tasks === undefined ? PLACES_DEFAULT : wholeNumber('--tasks', tasks, PLACES_MAX)
  const pairing = { label: label ?? 'command line', ...(pool === undefined ? {} : { pool: { name: pool, places } }) }
  return (await clientOf({ service, key }).browsers.pair(pairing)).pairing_token
}
