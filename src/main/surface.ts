import type { ClusterReport } from '../../actors/cluster/cluster-report.ts'
import type { Clock, Ids, Log } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import { allowedOriginsOf } from '../api/cors.ts'
import type { CheckSchema, EndpointsPort, FetchFiles, HttpDeps, LivePort, Prices } from '../api/deps.ts'
import { createHandle, routesOf } from '../api/handle.ts'
import { errorList } from '../api/openapi/errors.ts'
import { openApiOf } from '../api/openapi.ts'
import { refuse } from '../api/refusals.ts'
import type { Config } from '../config/config.ts'
import { once } from '../config/once.ts'
import type { TryOut } from '../demo/try-out.ts'
import type { Audit } from '../identity/audit.ts'
import { createPageSessions } from '../identity/key-sign-in.ts'
import type { SendMail } from '../identity/mail.ts'
import { createMembers } from '../identity/members.ts'
import { createOAuth, type OAuthDeps } from '../identity/oauth.ts'
import { createPairings } from '../identity/pairings.ts'
import { createReadTokens } from '../identity/read-tokens.ts'
import { createMailWishes } from '../identity/request-mails.ts'
import type { SecretBox } from '../identity/secret-box.ts'
import { openAccounts } from '../identity/sign-in.ts'
import { createRequestOriginOf, proxiesOf } from '../net/request-origin.ts'
import type { Handler } from '../net/transport.ts'
import { packed } from '../packed.ts'
import type { OpenedStore } from '../stores/open.ts'
import type { PagesDeps } from '../web/deps.ts'
import { openPages } from '../web/pages.ts'
import { keySessionOf } from '../web/viewer.ts'
import { createArchives } from './archives.ts'
import { auditedAccounts, notesUsers } from './audited.ts'
import type { Listening } from './listening.ts'
import { createActivityLog } from './log-lines.ts'
import { OWN_POOL } from './own-pool.ts'
import type { Watching } from './watching.ts'

/** Everything that the HTTP surface needs and that exists once in a service. */
export interface SurfaceParts {
  config: Config
  log: Log
  clock: Clock
  ids: Ids
  prices: Prices
  store: OpenedStore
  taskService: TaskService
  endpoints: EndpointsPort
  fetchFiles: FetchFiles
  checkSchema: CheckSchema
  secretBox: SecretBox | null
  audit: Audit
  startedAt: number
  watching: Watching
  listening: Listening
  live: LivePort
  /** What the model was sent for a step. */
  requestOf: PagesDeps['requestOf']
  modelConfigured: boolean
  mail: SendMail | null
  tryOut: Pick<TryOut, 'offer'> | null
  /** `null`: this process owns all. */
  clusterReport(): ClusterReport | null
}

/** API, sign-in and pages as one handler of requests. */
export async function openSurface(parts: SurfaceParts): Promise<Handler> {
  const { config, log, clock, ids, prices, endpoints, audit, startedAt, watching, listening, modelConfigured } = parts
  const activity = createActivityLog(log)
  const store = activity.store(parts.store)
  const taskService = activity.taskService(parts.taskService)
  const requestOriginOf = createRequestOriginOf({
    publicUrl: config.publicUrl,
    proxies: proxiesOf(config.trustedProxies),
  })
  const { mail } = parts
  const { authTables: tables } = store
  const onUser = notesUsers(audit)
  const opened = activity.accounts(
    await openAccounts({
      config,
      confirms: config.mail !== null,
      requestOriginOf,
      store,
      tables,
      clock,
      log,
      mail,
      onUser,
    }),
  )
  const accounts = opened && auditedAccounts(opened, { requestOriginOf, onUser })
  const members = createMembers({ store, tables, clock, mail, log, onChanged: () => accounts?.forget() })
  const pageSessions = {
    sessions: activity.pageSessions(createPageSessions(store, clock)),
    production: config.production,
  }
  const deps: Omit<HttpDeps, 'pages'> = {
    taskService,
    store,
    endpoints,
    fetchFiles: parts.fetchFiles,
    checkSchema: parts.checkSchema,
    secretBox: parts.secretBox,
    accounts,
    members,
    mailWishes: createMailWishes(tables),
    keySession: (cookie) => keySessionOf(cookie, pageSessions),
    billing: config.billing && (await import('../api/billing/payment.ts')).openBilling({ ...config.billing, clock }),
    mcp: () => mcpOf(config.version, log)(listening.inside),
    requestOriginOf,
    readTokens: createReadTokens(store, clock),
    oauth: createOAuth({ store, clock, fetchDocument: documentsBy(parts.fetchFiles) }),
    pairings: createPairings({ store, clock, ids }),
    audit,
    live: parts.live,
    prices,
    clock,
    ids,
    log,
    onAnswered: (answered) => {
      watching.metrics.answered(answered)
      if (config.logRequests) activity.request(answered)
    },
    config: {
      allowedOrigins: allowedOriginsOf(config),
      version: config.version,
      startedAt,
      publicUrl: config.publicUrl,
      hosts: config.hosts,
      taskStepsMax: config.taskStepsMax,
      publicAddressesOnly: config.production,
      relayPort: () => listening.relay.port,
      relayListening: () => listening.relay.listening(),
      cluster: parts.clusterReport,
    },
  }
  const routes = () => routesOf({ ...deps, pages: null })
  const pages = await openPages({
    ...deps,
    providers: [
      ...(config.auth.oidc ? [{ id: 'oidc', name: config.auth.oidc.name } as const] : []),
      ...(config.auth.google ? [{ id: 'google', name: 'Google' } as const] : []),
    ],
    modelConfigured,
    tryOut: parts.tryOut,
    ownPool: config.browsers > 0 ? OWN_POOL : null,
    inspector: watching.inspector,
    requestOf: parts.requestOf,
    metrics: watching.metrics.read,
    ...pageSessions,
    metricsToken: config.metricsToken,
    extensionZip: async () =>
      (await packed('extension.zip')) ?? (await import('../extension/build/build.ts')).zipExtension(),
    archives: createArchives(),
    refuse,
    openApi: () => openApiOf(routes(), config.version, config.publicUrl),
    errors: () => errorList(routes()),
  })
  return createHandle({ ...deps, pages })
}

/** [A43] A client's document, from the public internet and its own address alone: by a redirect others would speak for its host. */
const documentsBy =
  (fetchFiles: FetchFiles): OAuthDeps['fetchDocument'] =>
  async (url, bytesMax, signal) => {
    const fetched = await fetchFiles([url], bytesMax, signal, 0)
    return 'failed' in fetched ? null : (fetched[0]?.bytes ?? null)
  }

/** [Y7] Loaded when it is first asked for: its packages take a tenth of the CPU time of a start. */
const mcpOf =
  (version: string, log: Log) =>
  (dispatch: Handler): Handler => {
    const handler = once(async () => (await import('../api/mcp/http.ts')).createMcp({ version, log })(dispatch))
    return async (request) => (await handler())(request)
  }
