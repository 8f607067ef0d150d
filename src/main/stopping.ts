import type { Log, Store } from '../../actors/runtime/ports.ts'
import type { SchemaChecks } from '../api/schemas/schema-checks.ts'
import type { Audit } from '../identity/audit.ts'
import type { RunningService } from '../main.ts'
import type { Telemetry } from '../observe/telemetry/open.ts'
import type { Relay } from '../relay/relay.ts'
import type { Schedule } from '../schedule/schedule.ts'
import type { ThreadScripts } from '../script/scripts.ts'
import type { OpenedStore } from '../stores/open.ts'
import type { Actors } from './actors.ts'
import type { Listening } from './listening.ts'
import type { Watching } from './watching.ts'

/** What has been opened so far. */
export interface Parts {
  store?: OpenedStore
  audit?: Audit
  relay?: Relay
  watching?: Watching
  telemetry?: Telemetry
  actors?: Actors
  schedule?: Schedule
  schemas?: SchemaChecks
  scripts?: ThreadScripts
  listening?: Listening
  ownPool?: { close(): Promise<void> }
  tryOut?: { close(): Promise<void> }
  needsYou?: { close(): void }
}

export function stopping(parts: Parts, store: Store, log: Log): Pick<RunningService, 'stop' | 'stopped'> {
  let stop: Promise<void> | null = null
  let settle = { resolve: () => {}, reject: (_: Error) => {} }
  const stopped = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  stopped.catch(() => {})
  store.onLost((reason) => {
    log.error({ reason }, 'Another process now owns the store. This process stops without ending any tasks.')
    parts.actors?.abandon()
    stop ??= closeParts(parts).finally(() => settle.reject(new Error(reason)))
  })
  return {
    stopped,
    stop() {
      stop ??= closeParts(parts).finally(settle.resolve)
      return stop
    },
  }
}

/** No new work, then the endings of what runs and the word of them to their browsers, then the sockets, the store last. */
export async function closeParts({
  listening,
  schedule,
  schemas,
  scripts,
  actors,
  relay,
  watching,
  telemetry,
  audit,
  ownPool,
  tryOut,
  needsYou,
  store,
}: Parts): Promise<void> {
  schedule?.stop()
  needsYou?.close()
  await listening?.pause()
  await actors?.stop()
  relay?.close()
  await ownPool?.close()
  await tryOut?.close()
  await listening?.close()
  await actors?.close()
  schemas?.close()
  scripts?.close()
  await Promise.all([watching?.close(), telemetry?.close(), audit?.close()])
  await store?.close()
}
