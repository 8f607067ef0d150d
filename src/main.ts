import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { requestOf } from '../actors/conversation/sent-request.ts'
import type { Ids, Log, Model, Ports, Store } from '../actors/runtime/ports.ts'
import type { TaskService } from '../actors/task-service.ts'
import { STOP_MS_MAX } from '../machines/limits.ts'
import { bodyBytesMax } from './api/request-body.ts'
import { SchemaChecks } from './api/schemas/schema-checks.ts'
import { systemClock } from './config/clock.ts'
import type { Config } from './config/config.ts'
import { openTryOut } from './demo/try-out.ts'
import { createAudit } from './identity/audit.ts'
import { firstWorkspace } from './identity/first-workspace.ts'
import { openSecretBox } from './identity/made-secrets.ts'
import { openMail } from './identity/mail.ts'
import { createPairings } from './identity/pairings.ts'
import { openNeedsYou } from './identity/request-mails.ts'
import { openActors } from './main/actors.ts'
import { auditedForBrowsers, auditedForSchedule } from './main/audited.ts'
import { takePorts } from './main/listening.ts'
import { openOwnPool } from './main/own-pool.ts'
import { openOwnStore, secretsOf } from './main/own-store.ts'
import { closeParts, type Parts, stopping } from './main/stopping.ts'
import { openSurface } from './main/surface.ts'
import { openWatching } from './main/watching.ts'
import { openModel } from './models/open.ts'
import { modelTable } from './models/prices.ts'
import { readSiteNotes } from './models/site-notes.ts'
import { createToolbox } from './models/toolbox.ts'
import { createFileFetch } from './net/file-fetch.ts'
import { openTransport } from './net/open-transport.ts'
import type { Transport } from './net/transport.ts'
import { openRelay } from './relay/relay.ts'
import { ThreadScripts } from './script/scripts.ts'
import type { OpenedStore } from './stores/open.ts'
import { createEndpoints } from './webhooks/endpoints.ts'
import { openWebhook } from './webhooks/webhooks.ts'

export interface ServiceOptions {
  readonly config: Config
  readonly log: Log
  /** Already opened by its owner; the service closes it, also when the start fails. Opened here when it is left out. */
  readonly store?: OpenedStore
  /** Instead of the configured one: a bench or a test brings its own. */
  readonly model?: Model
  /** Wraps the interfaces between modules, so that the bench can measure there. */
  readonly wrap?: { ports?(ports: Ports): Ports; taskService?(taskService: TaskService): TaskService }
}

export interface RunningService {
  /** Where clients on this machine reach it, without a trailing slash. */
  readonly url: string
  readonly httpPort: number
  readonly relayPort: number
  readonly transport: Transport['name']
  readonly modelId: string
  readonly store: OpenedStore
  readonly taskService: TaskService
  /** The plain text of the key that was made because the store was empty; shown once. */
  readonly firstKey: string | null
  /** Accepts no more, ends what runs, keeps it, closes every socket with 1001. Resolves when all is gone. */
  stop(): Promise<void>
  /** Resolves after `stop`. Rejects when the service stopped by itself, because it lost its store: no task was ended. */
  readonly stopped: Promise<void>
}

/**
 * Builds every adapter, takes the store and the ports for itself, brings back what was kept, and answers. A start that
 * fails has ended no task, and releases what it took.
 * Rejects with an Error whose message is one line for a person: a store or port in use, a folder that cannot be written, a
 * database that is down, a script or schedule that does not parse.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, log, store: opened, model, wrap } = options
  const startedAt = Date.now()
  for (const warning of config.warnings) log.warn({}, warning)
  const parts: Parts = opened ? { store: opened } : {}
  try {
    const transport = await openTransport(config.transport, log)
    const configured = model ?? openModel(config.llm, log, { table: modelTable(config.llm.prices) })
    // The shop is on this machine, and so must be the browsers.
    const tryOut = config.demo && config.browsers > 0 && config.natsUrl === null ? openTryOut(log) : null
    if (tryOut) parts.tryOut = tryOut
    const chosen = tryOut?.beside(configured) ?? configured
    const siteNotes = config.siteNotes === null ? null : await readSiteNotes(config.siteNotes)
    const store = opened ?? (await openOwnStore(config, log))
    parts.store = store
    const box = await openSecretBox(config, store)
    const schemas = new SchemaChecks()
    parts.schemas = schemas
    const scripts = new ThreadScripts()
    parts.scripts = scripts
    const relay = openRelay({
      ...{ store, clock, ids, log, secretBox: box },
      onLoad: (load) => parts.watching?.metrics.browserLoaded(load),
    })
    const audit = createAudit({ store, clock, ids, log })
    parts.audit = audit
    parts.relay = relay
    const listening = await takePorts({ config, transport, relay, maxBodyBytes: bodyBytesMax })
    parts.listening = listening
    const prices = modelTable(config.llm.prices)
    const watching = openWatching(store, clock, log, { version: config.version, prices })
    parts.watching = watching
    const telemetry =
      config.tracesUrl === null
        ? null
        : (await import('./observe/telemetry/open.ts')).openTelemetry(config.tracesUrl, config.version, {
            store,
            inspection: watching.inspection,
            log,
          })
    if (telemetry) parts.telemetry = telemetry
    const observed = (each: Store) => watching.metrics.counted(telemetry?.traces.followed(each) ?? each)
    const webhook = openWebhook({
      allowPrivate: config.webhookAllowPrivate,
      allowCidrs: config.webhookAllowCidrs,
      box,
      clock,
      log,
      onOutcome: watching.traces.webhook,
      onAttempt: watching.metrics.webhookCalled,
      ...(telemetry ? { traceparent: (taskId) => telemetry.traces.ofTask(taskId) } : {}),
    })
    const ownPool =
      config.browsers === 0
        ? null
        : openOwnPool({
            browsers: config.browsers,
            url: listening.url,
            allowCidrs: config.browserAllowCidrs,
            pairings: createPairings({ store, clock, ids }),
            log,
          })
    if (ownPool) parts.ownPool = ownPool
    const billing = config.billing && { freePerMonth: config.billing.freePerMonth }
    const ports: Ports = {
      store: observed(store),
      model: telemetry?.model(chosen) ?? chosen,
      tools: createToolbox((...output) => schemas.misfit(...output)),
      scripts,
      outbox: relay.outbox,
      webhook,
      clock,
      ids,
      log,
      billing,
      ...(siteNotes ? { siteNotes } : {}),
      ownPool,
      secrets: secretsOf(box),
      ...(telemetry ? { traces: telemetry.traces } : {}),
    }
    const { retentionDays, auditRetentionDays, verify } = config
    const options = { retentionDays, auditRetentionDays, verify, watch: watching.inspection, observed }
    const actors = await openActors(config, store, wrap?.ports?.(ports) ?? ports, options)
    parts.actors = actors
    const taskService = wrap?.taskService?.(actors.taskService) ?? actors.taskService
    relay.attach(auditedForBrowsers(taskService, audit))
    watching.metrics.attach(actors.measured)
    watching.attach(actors)
    await watching.listen(config.inspectPort, transport)
    const firstKey = await firstWorkspace(store, clock, ids)
    const modelConfigured = chosen.configured !== false
    const mail = openMail(config, log)
    if (mail)
      parts.needsYou = openNeedsYou({
        ...{ taskService, store, tables: store.authTables, mail, clock, log },
        origin: config.publicUrl ?? listening.url,
        owns: actors.owns,
      })
    const handle = await openSurface({
      config,
      log,
      clock,
      ids,
      prices,
      store,
      taskService,
      checkSchema: schemas.schema,
      fetchFiles: createFileFetch({
        allowPrivate: config.webhookAllowPrivate,
        allowCidrs: config.webhookAllowCidrs,
        clock,
        log,
      }),
      endpoints: createEndpoints({ store, taskService, box, clock, ids }),
      secretBox: box,
      audit,
      startedAt,
      watching,
      listening,
      live: actors.liveOf(relay.live),
      requestOf: (task, step) => requestOf(ports, task, step),
      modelConfigured,
      mail,
      tryOut,
      clusterReport: actors.report,
    })
    await actors.start()
    if (config.scheduleFile) {
      const { startSchedule } = await import('./schedule/schedule.ts')
      parts.schedule = await startSchedule(config.scheduleFile, {
        ...{ taskService: auditedForSchedule(taskService, audit), store, log },
        ...(config.natsUrl === null ? {} : { several: { isOwn: actors.owns } }),
      })
    }
    listening.open(handle)
    return {
      url: listening.url,
      httpPort: listening.http.port,
      relayPort: listening.relay.port,
      transport: transport.name,
      modelId: chosen.id,
      store,
      taskService,
      firstKey,
      ...stopping(parts, store, log),
    }
  } catch (error) {
    parts.actors?.abandon()
    // What does not let go in time must not keep the start from failing.
    await Promise.race([closeParts(parts), pause(STOP_MS_MAX, undefined, { ref: false })])
    throw error
  }
}

const clock = systemClock
const ids: Ids = { uuid: randomUUID }
