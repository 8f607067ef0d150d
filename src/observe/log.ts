import { pino } from 'pino'
import type { Log } from '../../actors/runtime/ports.ts'
import type { LogLevel } from '../config/settings.ts'

/** Where log lines go: standard output, or a test's own. */
export interface LogSink {
  write(line: string): void
}

/** Fields that may carry a secret, at the top of a line and one level below. */
const SECRETS = [
  'authorization',
  'cookie',
  '"set-cookie"',
  'token',
  'session_token',
  'sessionToken',
  'pairing_token',
  'pairingToken',
  'key',
  'apiKey',
  'secret',
  'password',
]
const REDACTED = SECRETS.flatMap((name) => (name.startsWith('"') ? [`[${name}]`, `*[${name}]`] : [name, `*.${name}`]))

/**
 * The service's log: one JSON object a line, or lines for people when `pretty`. Fields named like a secret
 * (authorization, cookie, token, key, …) are written as `[redacted]`. An `err` field is written with its stack.
 */
export function openLog(options: {
  readonly level: LogLevel
  readonly pretty?: boolean
  readonly sink?: LogSink
}): Log {
  const settings = { level: options.level, base: null, redact: { paths: REDACTED, censor: '[redacted]' } }
  if (options.sink) return pino(settings, options.sink)
  if (!options.pretty) return pino(settings)
  return pino({
    ...settings,
    transport: { target: 'pino-pretty', options: { translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname' } },
  })
}
