import { Inspection } from '../../actors/inspection/inspection.ts'
import type { Clock, Log, Store } from '../../actors/runtime/ports.ts'
import type { Listener, Transport } from '../net/transport.ts'
import { createDrawings } from '../observe/inspector/drawings.ts'
import { openStately } from '../observe/inspector/stately.ts'
import { openViewers } from '../observe/inspector/viewers.ts'
import { type Metrics, type MetricsOptions, openMetrics } from '../observe/metrics.ts'
import { openTraces, type Traces } from '../observe/traces.ts'
import type { InspectorPort } from '../web/deps.ts'
import type { Actors } from './actors.ts'

/** All that observes the service and changes nothing in it. */
export interface Watching {
  readonly inspection: Inspection
  readonly metrics: Metrics
  readonly traces: Traces
  readonly inspector: InspectorPort
  /** Once the actors are there: those of other nodes are shown, too. */
  attach(actors: Pick<Actors, 'elsewhere' | 'report'>): void
  /** Lets XState's own inspectors connect, when a port is set. */
  listen(port: number | null, transport: Transport): Promise<void>
  /** Resolves when everything is saved and no viewer is left. */
  close(): Promise<void>
}

export function openWatching(store: Store, clock: Clock, log: Log, about: MetricsOptions): Watching {
  const traces = openTraces(store, log)
  const inspection = new Inspection({ clock, log, onTrace: traces.ended })
  const drawings = createDrawings()
  let stately: Listener | null = null
  let actors: Pick<Actors, 'elsewhere' | 'report'> | null = null
  return {
    inspection,
    metrics: openMetrics(inspection, about),
    traces,
    inspector: {
      ...drawings,
      ...openViewers(inspection, clock, () => actors?.elsewhere ?? null),
      nodes: () => actors?.report() ?? null,
    },
    attach(made) {
      actors = made
    },
    async listen(port, transport) {
      if (port === null) return
      const sentences = await drawings.sentences()
      stately = await openStately({ port, transport, inspection, clock, log, sentences })
    },
    async close() {
      await Promise.all([traces.flushed(), stately?.close()])
    },
  }
}
