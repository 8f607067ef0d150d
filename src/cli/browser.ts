import { runBrowser } from '../browsers/headless.ts'
import { clientOf } from './client.ts'
import { Failed, onInterrupt, say } from './terminal.ts'

export interface BrowserCommandOptions {
  readonly url: string
  readonly token?: string
  readonly key?: string
  readonly headed?: boolean
}

/** [Q5] Pairs a browser with a service and runs it as a session until it is interrupted, removed or taken over. */
export async function browserCommand(options: BrowserCommandOptions): Promise<void> {
  const browser = await runBrowser({
    serviceUrl: options.url,
    pairingToken: options.token ?? (await tokenBy(options)),
    headed: options.headed ?? false,
    log: (line) => say(line),
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
  if (!interrupted) throw new Failed(stopped.message)
}

/** A pairing token that the key makes. */
async function tokenBy({ url, key }: BrowserCommandOptions): Promise<string> {
  if (!key) throw new Failed('Neither a pairing token nor a key given. Use --token, --key or set BROWSER_TASK_KEY.')
  return (await clientOf({ service: url, key }).browsers.pair({ label: 'command line' })).pairing_token
}
