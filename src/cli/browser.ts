import { runBrowser } from '../browsers/headless.ts'
import { Failed, onInterrupt, say } from './terminal.ts'

/** [Q5] Pairs a browser with a service and runs it as a session until it is interrupted, removed or taken over. */
export async function browserCommand(options: { url: string; token: string; headed?: boolean }): Promise<void> {
  const browser = await runBrowser({
    serviceUrl: options.url,
    pairingToken: options.token,
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
