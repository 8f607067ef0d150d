import * as v from 'valibot'
import {
  AUDIT_RETENTION_DAYS_DEFAULT,
  FREE_TASKS_PER_MONTH,
  RETENTION_DAYS_DEFAULT,
  STEPS_ALLOWED_MAX,
  STEPS_MAX,
} from '../../machines/limits.ts'
import { EFFORTS } from '../../machines/records.ts'
import { ACCOUNT_SETTINGS, type AuthConfig, accountWarnings, authOf, type MailConfig, mailOf } from './accounts.ts'
import { ConfigError, shown } from './error.ts'
import { everyInterface, hosts, isLoopback, LOOPBACK, networks, origins, proxies } from './hosts.ts'
import { httpUrl, matching, oneOf, onOff, originOnly, secretsKey, text, whole } from './kinds.ts'
import { LLM_PROVIDERS, type LlmConfig, llmOf } from './llm.ts'
import { TRACE_SETTINGS, tracesUrlOf } from './traces.ts'

export type { AuthConfig, MailConfig } from './accounts.ts'
export { ConfigError } from './error.ts'
export type { LlmProvider } from './llm.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Every setting of the service, parsed. What was not set and has no default is `null`. */
export interface Config {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** 0 picks a free one. */
  readonly relayPort: number
  /** [Z4] How many browsers the service runs for a workspace whose tasks ask for the pool `default`. */
  readonly browsers: number
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

const ENVIRONMENTS = new Set(['production', 'development', 'test'])

const days = whole(1, 36_500, 'a whole number of days from 1 to 36500')

const Settings = v.partial(
  v.object({
    NODE_ENV: text,
    PORT: whole(0, 65_535, 'a port from 0 to 65535'),
    HOST: matching((value) => /^[^\s/]+$/.test(value), 'a host name or an address'),
    RELAY_PORT: whole(0, 65_535, 'a port from 0 to 65535'),
    BROWSERS: whole(0, 20, 'a whole number from 0 to 20'),
    DEMO: onOff,
    DATA_DIR: text,
    MONGODB_URL: matching(
      (value) => /^mongodb(\+srv)?:\/\/[^/\s]/.test(value),
      'a URL that starts with mongodb:// or mongodb+srv://',
    ),
    NATS_URL: matching(
      (value) => value.split(',').every((url) => /^(nats|tls):\/\/[^/\s]/.test(url.trim())),
      'URLs that start with nats:// or tls://, separated by commas',
    ),
    SHUTDOWN: oneOf(['handover', 'end']),
    LLM_PROVIDER: oneOf(LLM_PROVIDERS),
    LLM_MODEL: text,
    LLM_MODELS: text,
    LLM_SMALL_MODEL: text,
    LLM_EFFORT: oneOf(EFFORTS),
    LLM_BASE_URL: httpUrl,
    LLM_API_KEY: text,
    LLM_SCRIPT: text,
    LLM_FALLBACK: text,
    LLM_FALLBACK_BASE_URL: httpUrl,
    LLM_FALLBACK_API_KEY: text,
    LLM_PRICES: text,
    ANTHROPIC_API_KEY: text,
    OPENAI_API_KEY: text,
    GOOGLE_GENERATIVE_AI_API_KEY: text,
    PUBLIC_URL: v.pipe(httpUrl, v.transform(originOnly)),
    TRUSTED_PROXIES: proxies,
    HOSTS: hosts,
    ...ACCOUNT_SETTINGS,
    PAYMENT_WEBHOOK_SECRET: text,
    FREE_TASKS_PER_MONTH: whole(0, 999_999_999, 'a whole number, 0 or more'),
    ALLOWED_ORIGINS: origins,
    WEBHOOK_ALLOW_PRIVATE: onOff,
    WEBHOOK_ALLOW_CIDRS: networks,
    SECRETS_KEY: secretsKey,
    SCHEDULE_FILE: text,
    SITE_NOTES: text,
    RETENTION_DAYS: days,
    AUDIT_RETENTION_DAYS: days,
    VERIFY: onOff,
    TASK_STEPS_MAX: whole(STEPS_MAX, STEPS_ALLOWED_MAX, `a whole number from ${STEPS_MAX} to ${STEPS_ALLOWED_MAX}`),
    INSPECT_WS: whole(1, 65_535, 'a port from 1 to 65535'),
    TRANSPORT: oneOf(['uws', 'node']),
    LOG_LEVEL: oneOf(LOG_LEVELS),
    LOG_REQUESTS: onOff,
    METRICS_TOKEN: matching((value) => /^[\x21-\x7e]{16,}$/.test(value), '16 characters or more, without spaces'),
    BUILD_VERSION: text,
    ...TRACE_SETTINGS,
  }),
)
type Settings = v.InferOutput<typeof Settings>

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

/** What the names of our settings begin with, where nothing else on a machine is called so. */
const OWN_PREFIX =
  /^(?:LLM|OIDC|SMTP|MONGODB|NATS|WEBHOOK|PAYMENT|SCHEDULE|SECRETS|RETENTION|AUDIT|INSPECT|METRICS|RELAY|SIGN)_/

/** A setting that is spelt wrong has no effect, which its value cannot tell. */
const unknownOf = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env)
    .filter((name) => OWN_PREFIX.test(name) && !(name in Settings.entries))
    .map((name) => `${name} is not a setting of this service: it has no effect.`)

function warningsOf(set: Settings, production: boolean): string[] {
  const scripted = llmOf(set).provider === 'scripted'
  const ignored = (['LLM_MODEL', 'LLM_BASE_URL'] as const).filter((name) => set[name])
  const said: readonly (readonly [boolean, string])[] = [
    [scripted && !set.LLM_SCRIPT, 'No language model key is set: tasks are refused until there is one.'],
    [scripted && ignored.length > 0, `${ignored.join(' and ')} has no effect with the scripted provider.`],
    [
      !set.LLM_FALLBACK && !!(set.LLM_FALLBACK_BASE_URL || set.LLM_FALLBACK_API_KEY),
      'LLM_FALLBACK_BASE_URL and LLM_FALLBACK_API_KEY have no effect: LLM_FALLBACK is not set.',
    ],
    [!scripted && !!set.LLM_SCRIPT, 'LLM_SCRIPT has no effect: LLM_PROVIDER is not scripted.'],
    [
      set.FREE_TASKS_PER_MONTH !== undefined && !set.PAYMENT_WEBHOOK_SECRET,
      'FREE_TASKS_PER_MONTH has no effect: billing needs PAYMENT_WEBHOOK_SECRET.',
    ],
    [
      set.NODE_ENV !== undefined && !ENVIRONMENTS.has(set.NODE_ENV),
      `NODE_ENV is ${JSON.stringify(set.NODE_ENV)}, which is not one of ${[...ENVIRONMENTS].join(', ')}: the service runs in development mode.`,
    ],
    [
      !production && [set.HOST, set.PUBLIC_URL, set.BETTER_AUTH_URL].some((at) => at !== undefined && !isLoopback(at)),
      'HOST or PUBLIC_URL can be reached from other machines, but NODE_ENV is not production: webhooks may reach private addresses, and cookies are not Secure.',
    ],
    [
      !production && !set.HOST,
      'HOST is not set: the service listens on all interfaces of this machine, anyone who reaches it can sign up, and webhooks may reach private addresses. HOST=127.0.0.1 keeps it to this machine.',
    ],
    [
      production && set.SIGN_UP === true && !set.PAYMENT_WEBHOOK_SECRET,
      'SIGN_UP is on and billing is not configured: anyone who reaches this service can run tasks on its model key, at no cost to them.',
    ],
    [
      production && !set.HOSTS && !set.PUBLIC_URL && !set.BETTER_AUTH_URL,
      'Neither HOSTS nor PUBLIC_URL is set: requests with any Host header are accepted.',
    ],
    ...accountWarnings(set, production),
  ]
  return said.flatMap(([applies, sentence]) => (applies ? [sentence] : []))
}
