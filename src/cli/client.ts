import { BrowserTaskError, BrowserTasks } from '../client/index.ts'
import { EXIT, Failed, usageError } from './exit-codes.ts'

export interface ServiceOptions {
  readonly service: string
  readonly key?: string
}

const onWarning = (message: string): void => void process.stderr.write(`Warning: ${message}\n`)

/** The client of a service, by a key. Nothing is retried: a person reads what went wrong, and tries again. */
export function clientOf({ service, key }: ServiceOptions): BrowserTasks {
  if (!key) throw usageError('No key given. Use --key or set BROWSER_TASK_KEY.')
  return new BrowserTasks({ baseUrl: service, key, maxRetries: 0, onWarning })
}

const WRONG_REQUEST: ReadonlySet<number> = new Set([400, 404, 422])

/** [Q15] The exit code for what went wrong. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Failed) return error.exitCode
  if (!(error instanceof BrowserTaskError)) return EXIT.failed
  return WRONG_REQUEST.has(error.status) || error.code === 'base_url_invalid' ? EXIT.usage : EXIT.service
}
