import { type Browsers, connectBrowsers } from './browsers.ts'
import { get } from './gets.ts'
import type { PairedBrowser } from './paired-browsers.ts'
import { serve } from './remote.ts'
import { type Load, runTasks, sendStarts } from './tasks.ts'

/** A process: the load generator. Browsers over WebSockets, starts of tasks over HTTP, reads over raw sockets. */

const groups: Browsers[] = []

const calls = {
  /** Connects a group of browsers beside those that are there; resolves to its number. Calls are answered after so many ms. */
  async connect(relayPort: number, paired: readonly PairedBrowser[], answersAfterMs = 0) {
    groups.push(await connectBrowsers(relayPort, paired, answersAfterMs))
    return groups.length - 1
  },
  /** Tasks in one group; resolves to how long each took, in ms. */
  async tasks(group: number, load: Load) {
    const browsers = groups[group]
    if (!browsers) throw new Error(`No group ${group} is connected`)
    return runTasks(browsers, load)
  },
  starts: sendStarts,
  get,
  /** How long each browser of a group waited for the next frame after a result, in ms, since this was asked for last. */
  waits: (group: number) => groups[group]?.waits() ?? [],
  lost: () => groups.reduce((sum, browsers) => sum + browsers.lost(), 0),
}
export type LoadCalls = typeof calls

serve(calls)
