import { type Browsers, connectBrowsers } from './parts/browsers.ts'
import { pipelined } from './parts/pipeline.ts'
import type { Seat } from './parts/seed.ts'
import { type Load, putUnderLoad } from './parts/starter.ts'
import { usageOfThis } from './parts/usage.ts'
import { serve } from './remote.ts'

/** The load generator, in a process of its own: browsers over WebSockets, starts over HTTP, reads over raw sockets. */

let groups: Browsers[] = []

const calls = {
  /** Connects a group of browsers beside those that are there; resolves to its number and how long it took. */
  async connect(relayPort: number, seats: readonly Seat[]) {
    const from = performance.now()
    groups.push(await connectBrowsers(relayPort, seats))
    return { group: groups.length - 1, ms: performance.now() - from }
  },
  /** Tasks in one group. */
  async load(group: number, load: Load) {
    const browsers = groups[group]
    if (!browsers) throw new Error(`No group ${group} is connected`)
    const loaded = await putUnderLoad(browsers, load)
    if (browsers.lost() > 0) throw new Error(`${browsers.lost()} browsers were disconnected under load`)
    return loaded
  },
  pipelined,
  lost: () => groups.reduce((sum, browsers) => sum + browsers.lost(), 0),
  disconnect() {
    for (const browsers of groups) browsers.close()
    groups = []
  },
  usage: () => usageOfThis(),
}
export type LoadCalls = typeof calls

serve(calls)
