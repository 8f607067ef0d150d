import { randomUUID } from 'node:crypto'
import { type OpenDesk, openDesk } from '../actors/desk.ts'
import type { Desk } from '../actors/front.ts'
import type { Ids, Log, Model, Ports, Store } from '../actors/ports.ts'
import { BODY_BYTES_MAX } from '../machines/limits.ts'
import { openAccounts } from './accounts/accounts.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import type { HttpDeps } from './http/deps.ts'
import { createHandle, routesOf } from './http/handle.ts'
import { openTransport } from './http/open-transport.ts'
import { openApiOf } from './http/openapi.ts'
import type { Listener, Transport } from './http/transport.ts'
import { openWatching, type Watching } from './main/watching.ts'
import { openModel } from './models/open.ts'
import { modelTable } from './models/prices.ts'
import { ownerKey } from './owner.ts'
import { openPages } from './pages/pages.ts'
import { openRelay, type Relay } from './relay/relay.ts'
import type { Schedule } from './schedule.ts'
import { openStore } from './stores/open.ts'
import { toolbox } from './tools/toolbox.ts'
import { openWebhook } from './webhooks.ts'
import { firstWorkspace } from './workspaces.ts'

export interface ServiceOptions {
  readonly config: Config
  readonly log: Log
  /** Instead of the configured one: a bench or a test brings its own. */
  readonly model?: Model
  /** Put around what lies between the rooms: a bench takes the time there. */
  readonly wrap?: { ports?(ports: Ports): Ports; desk?(desk: Desk): Desk }
  /** Nobody can look at the actors: a bench sees what looking costs. */
  readonly unwatched?: boolean
}

export interface RunningService {
  /** Where clients on this machine reach it, without a trailing slash. */
  readonly url: string
  readonly httpPort: number
  readonly relayPort: number
  readonly transport: Transport['name']
  readonly store: Store
  readonly desk: Desk
  /** The plain text of the key that was made because the store was empty; shown once. */
  readonly firstKey: string | null
  /** Accepts no more, ends what runs, keeps it, closes every socket with 1001. Resolves when all is gone. */
  stop(): Promise<void>
  readonly stopped: Promise<void>
}

/**
 * Builds every adapter, hands them to the actors as ports, brings back what was kept, and listens.
 * Rejects with an Error whose message is one line for a person: a port in use, a folder that cannot be written, a
 * database that is down, a script or schedule that does not parse.
 */
export async function startService({
  config,
  log,
  model,
  wrap,
  unwatched = false,
}: ServiceOptions): Promise<RunningService> {
  const startedAt = Date.now()
  for (const warning of config.warnings) log.warn({}, warning)
  const parts: Parts = {}
  try {
    const transport = await openTransport(config.transport, log)
    const chosen = model ?? openModel(config.llm, log)
    const store = await openStore({ mongodbUrl: config.mongodbUrl, dataDir: config.dataDir, log })
    parts.store = store
    const relay = openRelay({ store, model: chosen, clock, ids, log })
    parts.relay = relay
    const watching = openWatching(store, clock, log)
    parts.watching = watching
    const webhook = openWebhook({
      allowPrivate: config.webhookAllowPrivate,
      clock,
      log,
      onOutcome: watching.traces.webhook,
    })
    const billing = config.billing && { freePerMonth: config.billing.freePerMonth }
    const ports: Ports = {
      store: watching.metrics.counted(store),
      model: chosen,
      tools: toolbox,
      outbox: relay.outbox,
      webhook,
      clock,
      ids,
      log,
      billing,
    }
    const actors = openDesk(wrap?.ports?.(ports) ?? ports, {
      retentionDays: config.retentionDays,
      ...(unwatched ? {} : { watch: watching.inspection }),
    })
    const desk = wrap?.desk?.(actors.desk) ?? actors.desk
    relay.attach(desk)
    const firstKey = await firstWorkspace(store, clock, ids)
    await actors.start()
    parts.actors = actors
    watching.metrics.attach(actors.world)
    await watching.listen(config.inspectPort, transport)
    if (config.scheduleFile) {
      const { startSchedule } = await import('./schedule.ts')
      parts.schedule = await startSchedule(config.scheduleFile, { desk, store, log })
    }
    const listening = await listen({ config, log, store, relay, desk, transport, startedAt, watching })
    parts.listening = listening
    return {
      url: urlOf(listening),
      httpPort: listening.http.port,
      relayPort: listening.relay.port,
      transport: transport.name,
      store,
      desk,
      firstKey,
      ...stopping(parts),
    }
  } catch (error) {
    await closeParts(parts)
    throw error
  }
}

const clock = systemClock
const ids: Ids = { uuid: randomUUID }

/** What has been opened so far. */
interface Parts {
  store?: Store
  relay?: Relay
  watching?: Watching
  actors?: OpenDesk
  schedule?: Schedule
  listening?: Listening
}

function stopping(parts: Parts): Pick<RunningService, 'stop' | 'stopped'> {
  let stop: Promise<void> | null = null
  let resolveStopped = () => {}
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve
  })
  return {
    stopped,
    stop() {
      stop ??= closeParts(parts).finally(resolveStopped)
      return stop
    },
  }
}

/** No new work, then the endings of what runs and the word of them to their browsers, then the sockets, the store last. */
async function closeParts({ listening, schedule, actors, relay, watching, store }: Parts): Promise<void> {
  listening?.http.pause()
  listening?.relay.pause()
  schedule?.stop()
  await actors?.stop()
  relay?.close()
  await Promise.all([listening?.http.close(), listening?.relay.close()])
  await watching?.close()
  await store?.close()
}

interface Listening {
  readonly http: Listener
  readonly relay: Listener
  readonly host: string
}

function urlOf({ http, host }: Listening): string {
  const name = host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${http.port}`
}

async function listen(parts: {
  config: Config
  log: Log
  store: Awaited<ReturnType<typeof openStore>>
  relay: Relay
  desk: Desk
  transport: Transport
  startedAt: number
  watching: Watching
}): Promise<Listening> {
  const { config, log, store, relay, desk, transport, startedAt, watching } = parts
  const { host } = config
  const relayListener = await transport.listen({
    host,
    port: config.relayPort,
    maxBodyBytes: 0,
    handle: () => ({ status: 426, headers: [['content-type', 'text/plain']], body: 'A WebSocket is expected here.\n' }),
    sockets: { '/': relay.handlers },
  })
  try {
    const accounts = await openAccounts({ config, store, tables: store.authTables, clock, log })
    const deps: Omit<HttpDeps, 'pages'> = {
      desk,
      store,
      accounts,
      billing: config.billing && (await import('./billing/payment.ts')).openBilling({ ...config.billing, clock }),
      prices: modelTable(config.llm.prices),
      clock,
      ids,
      log,
      config: {
        allowedOrigins: config.production
          ? config.allowedOrigins
          : [...config.allowedOrigins, 'http://localhost:3000', 'http://localhost:5173'],
        version: config.version,
        startedAt,
        publicUrl: config.auth.url,
        relayPort: () => relayListener.port,
        relayListening: () => relayListener.listening(),
      },
    }
    const pages = await openPages({
      ...deps,
      google: config.auth.google !== null,
      inspector: watching.inspector,
      metrics: watching.metrics.read,
      ownerKey: await ownerKey(store),
      openApi: openApiOf(routesOf({ ...deps, pages: null }), config.version),
    })
    const http = await transport.listen({
      host,
      port: config.port,
      maxBodyBytes: BODY_BYTES_MAX,
      handle: createHandle({ ...deps, pages }),
      sockets: { '/relay': relay.handlers },
    })
    return { http, relay: relayListener, host }
  } catch (error) {
    await relayListener.close()
    throw error
  }
}
