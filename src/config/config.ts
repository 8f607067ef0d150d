import * as v from 'valibot'
import {
  AUDIT_RETENTION_DAYS_DEFAULT,
  FREE_TASKS_PER_MONTH,
  RETENTION_DAYS_DEFAULT,
  STEPS_MAX,
} from '../../machines/limits.ts'
import { type AuthConfig, authOf, type MailConfig, mailOf } from './accounts.ts'
import { ConfigError, shown } from './error.ts'
import { type LlmConfig, llmOf } from './llm.ts'
import { everyInterface, LOOPBACK } from './network.ts'
import { type LogLevel, Settings } from './settings.ts'
import { tracesUrlOf } from './traces.ts'
import { unknownOf, warningsOf } from './warnings.ts'

export type { AuthConfig, MailConfig } from './accounts.ts'
export { ConfigError } from './error.ts'
export type { LlmProvider } from './llm.ts'

/** Every setting of the service, parsed. What was not set and has no default is `null`. */
export interface Config {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** 0 picks a free one. */
  readonly relayPort: number
  /** [Z4] How many browsers the service runs for a workspace whose tasks ask for the pool `default`. */
  readonly browsers: number
  /** [Z15] Private addresses and networks that they open in production all the same. */
  readonly browserAllowCidrs: readonly string[]
  /** [P44] Whether an empty dashboard offers the demo's task, with its script as the model. */
  readonly demo: boolean
  readonly dataDir: string
  /** `null`: the embedded store in `dataDir`. */
  readonly mongodbUrl: string | null
  /** Shares the store with other nodes, over these NATS servers; `null`: one process owns it. */
  readonly natsUrl: string | null
  /** What a stop does with running tasks: they end, or go on at another node or at the next start. */
  readonly shutdown: 'handover' | 'end'
  readonly llm: LlmConfig
  readonly auth: AuthConfig
  /** `null`: the service sends no e-mail. */
  readonly mail: MailConfig | null
  /** Whether strangers may make an account: not in production, unless it is said. Those who have one sign in all the same. */
  readonly signUp: boolean
  /** `null`: billing is not configured, tasks are free. */
  readonly billing: { readonly webhookSecret: string; readonly freePerMonth: number } | null
  /** Where clients reach the service; `null`: as each request says. */
  readonly publicUrl: string | null
  /** Addresses and ranges whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[]
  /** The hosts that requests may name beside those that are always allowed; `*` is every one. */
  readonly hosts: readonly string[]
  /** The origins that CORS echoes, beside the two of localhost outside production. */
  readonly allowedOrigins: readonly string[]
  readonly webhookAllowPrivate: boolean
  /** Private addresses and networks that webhooks may call all the same. */
  readonly webhookAllowCidrs: readonly string[]
  /** Encrypts secrets that the service has to know again; `null`: made once and kept in the store, but not in production. */
  readonly secretsKey: string | null
  readonly scheduleFile: string | null
  /** The folder of the operator's notes on sites. */
  readonly siteNotes: string | null
  readonly retentionDays: number
  /** Of the audit log. */
  readonly auditRetentionDays: number
  /** Whether models check what their answers say and no page did. */
  readonly verify: boolean
  /** [L2] The highest `max_steps` that a task may ask for. */
  readonly taskStepsMax: number
  /** The loopback port for XState's own inspector. */
  readonly inspectPort: number | null
  /** `null`: uWebSockets.js where its binary loads, else node:http. */
  readonly transport: 'uws' | 'node' | null
  readonly logLevel: LogLevel
  /** Whether each request is logged. */
  readonly logRequests: boolean
  /** With which `/metrics` may be read from elsewhere. */
  readonly metricsToken: string | null
  /** The running build, `dev` when unknown. */
  readonly version: string
  /** Where an OpenTelemetry collector takes traces; `null`: nothing is traced. */
  readonly tracesUrl: string | null
  /** What was set and has no effect, or is to be known before it surprises: one sentence each, for the log. */
  readonly warnings: readonly string[]
}

/**
 * Reads the configuration of blanks.md from an environment. An empty value is as good as none.
 * @throws ConfigError for the first setting that does not parse, or that lacks its companion.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const set = parse(env)
  const production = set.NODE_ENV === 'production'
  const publicUrl = set.PUBLIC_URL ?? set.BETTER_AUTH_URL ?? null
  const port = set.PORT ?? 3456
  const relayPort = set.RELAY_PORT ?? 7862
  if (port === relayPort && port !== 0) {
    throw new ConfigError(`PORT and RELAY_PORT are both ${port}: they must differ`)
  }
  if (set.NATS_URL && !set.MONGODB_URL) {
    throw new ConfigError('NATS_URL needs MONGODB_URL: several nodes share a store in MongoDB')
  }
  return {
    production,
    host: set.HOST ?? (production ? '127.0.0.1' : everyInterface()),
    port,
    relayPort,
    browsers: set.BROWSERS ?? (production ? 0 : 1),
    browserAllowCidrs: set.BROWSER_ALLOW_CIDRS ?? [],
    demo: set.DEMO ?? !production,
    dataDir: set.DATA_DIR ?? './data',
    mongodbUrl: set.MONGODB_URL ?? null,
    natsUrl: set.NATS_URL ?? null,
    shutdown: set.SHUTDOWN ?? 'handover',
    llm: llmOf(set),
    auth: authOf(set, production),
    mail: mailOf(set),
    signUp: set.SIGN_UP ?? !production,
    billing: set.PAYMENT_WEBHOOK_SECRET
      ? { webhookSecret: set.PAYMENT_WEBHOOK_SECRET, freePerMonth: set.FREE_TASKS_PER_MONTH ?? FREE_TASKS_PER_MONTH }
      : null,
    publicUrl,
    trustedProxies: set.TRUSTED_PROXIES ?? LOOPBACK,
    hosts: set.HOSTS ?? (production && publicUrl === null ? ['*'] : []),
    allowedOrigins: set.ALLOWED_ORIGINS ?? [],
    webhookAllowPrivate: set.WEBHOOK_ALLOW_PRIVATE ?? !production,
    webhookAllowCidrs: set.WEBHOOK_ALLOW_CIDRS ?? [],
    secretsKey: set.SECRETS_KEY ?? null,
    scheduleFile: set.SCHEDULE_FILE ?? null,
    siteNotes: set.SITE_NOTES ?? null,
    retentionDays: set.RETENTION_DAYS ?? RETENTION_DAYS_DEFAULT,
    auditRetentionDays: set.AUDIT_RETENTION_DAYS ?? AUDIT_RETENTION_DAYS_DEFAULT,
    verify: set.VERIFY ?? true,
    taskStepsMax: set.TASK_STEPS_MAX ?? STEPS_MAX,
    inspectPort: set.INSPECT_WS ?? null,
    transport: set.TRANSPORT ?? null,
    logLevel: set.LOG_LEVEL ?? 'info',
    logRequests: set.LOG_REQUESTS ?? false,
    metricsToken: set.METRICS_TOKEN ?? null,
    version: set.BUILD_VERSION ?? 'dev',
    tracesUrl: tracesUrlOf(set),
    warnings: [...warningsOf(set, production), ...unknownOf(env)],
  }
}

function parse(env: Readonly<Record<string, string | undefined>>): Settings {
  const given: Record<string, string> = {}
  for (const name of Object.keys(Settings.entries)) {
    const value = env[name]?.trim()
    if (value) given[name] = value
  }
  const parsed = v.safeParse(Settings, given)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const name = String(issue.path?.[0]?.key)
  throw new ConfigError(`${name} ${shown(name, given[name] ?? '')} is not valid: expected ${issue.message}`)
}
