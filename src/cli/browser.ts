import { PairingFailed, runBrowser } from '../browser/headless.ts'
import { clientOf } from './client.ts'
import { EXIT, Failed, onInterrupt, say, usageError } from './terminal.ts'

export interface BrowserCommandOptions {
  readonly service: string
  readonly token?: string
  readonly key?: string
  readonly headed?: boolean
}

/** [Q5] Pairs a browser with a service and runs it as a session until it is interrupted, removed or taken over. */
export async function browserCommand(options: BrowserCommandOptions): Promise<void> {
  const browser = await runBrowser({
    serviceUrl: options.service,
    pairingToken: options.token ?? (await tokenBy(options)),
    headed: options.headed ?? false,
    log: (line) => say(line),
  }).catch((error: unknown) => {
    throw error instanceof PairingFailed ? new Failed(error.message, EXIT.service) : error
  })
  if (browser.sessionId !== null) say(`Browser session ${browser.sessionId}. End it with Ctrl-C.`)
  let interrupted = false
  const forget = onInterrupt(() => {
    interrupted = true
    // `closed` tells how it went.
    browser.close().catch(() => {})
  })
  const stopped = await browser.closed
  forget()
  if (!interrupted) throw new Failed(stopped.message, EXIT.service)
}

/** A pairing token that the key makes. */
async function tokenBy({ service, key }: BrowserCommandOptions): Promise<string> {
  if (!key) throw usageError('Neither a pairing token nor a key given. Use --token, --key or set BROWSER_TASK_KEY.')
  return (await clientOf({ service, key }).browsers.pair({ label: 'command line' })).pairing_token
}
