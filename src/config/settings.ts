import * as v from 'valibot'
import { STEPS_ALLOWED_MAX, STEPS_MAX } from '../../machines/limits.ts'
import { EFFORTS } from '../../machines/records.ts'
import { ACCOUNT_SETTINGS } from './accounts.ts'
import { httpUrl, matching, oneOf, onOff, originOnly, secretsKey, text, whole } from './kinds.ts'
import { LLM_PROVIDERS } from './llm.ts'
import { hosts, networks, origins, proxies } from './network.ts'
import { TRACE_SETTINGS } from './traces.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const days = whole(1, 36_500, 'a whole number of days from 1 to 36500')

/** The settings of the service by name, each with what it accepts. */
export const Settings = v.partial(
  v.object({
    NODE_ENV: text,
    PORT: whole(0, 65_535, 'a port from 0 to 65535'),
    HOST: matching((value) => /^[^\s/]+$/.test(value), 'a host name or an address'),
    RELAY_PORT: whole(0, 65_535, 'a port from 0 to 65535'),
    BROWSERS: whole(0, 20, 'a whole number from 0 to 20'),
    BROWSER_ALLOW_CIDRS: networks,
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

export type Settings = v.InferOutput<typeof Settings>
