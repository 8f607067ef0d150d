import { clientOf, type ServiceOptions } from './client.ts'
import { say, table } from './terminal.ts'

interface Options extends ServiceOptions {
  readonly json?: boolean
}

/** [Q21] Prints a link by which a person pairs a browser. */
export async function pairCommand({ json, label, ...options }: Options & { readonly label?: string }): Promise<void> {
  const pairing = await clientOf(options).browsers.pair(label === undefined ? {} : { label })
  if (json) {
    say(JSON.stringify(pairing))
    return
  }
  say(pairing.pairing_url)
  say(`Open it in the browser that tasks should act in. It is valid for ${pairing.expires_in_seconds} seconds, once.`)
}

/** [Q21] Prints the browsers of the workspace, newest first. */
export async function listBrowsers({ json, ...options }: Options): Promise<void> {
  const browsers = []
  for await (const browser of clientOf(options).browsers.list()) browsers.push(browser)
  if (json) {
    for (const browser of browsers) say(JSON.stringify(browser))
    return
  }
  if (browsers.length === 0) say('No browsers paired yet.')
  else
    say(
      table(
        ['ID', 'NAME', 'STATUS', 'POOL'],
        browsers.map(({ id, label, status, pool }) => [id, label ?? '', status, pool?.name ?? '']),
      ),
    )
}
