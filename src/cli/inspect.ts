import { ownerKey } from '../owner.ts'
import { withStore } from './store.ts'
import { say } from './terminal.ts'

/** Prints the link with which whoever runs the service watches all of its actors; beside a running service too. */
export async function inspectCommand(options: { url: string; json?: boolean }): Promise<void> {
  const key = await withStore((store) => ownerKey(store))
  const url = `${options.url.replace(/\/+$/, '')}/inspector?owner=${key}`
  if (options.json) {
    say(JSON.stringify({ url, key }))
    return
  }
  say(url)
  say('Whoever has this link sees the actors of all workspaces: do not pass it on.')
}
