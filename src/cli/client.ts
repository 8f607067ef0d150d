import { BrowserTasks } from '../client/index.ts'
import { Failed } from './terminal.ts'

export interface ServiceOptions {
  readonly service: string
  readonly key?: string
}

/** The client of a service, by a key. Nothing is retried: a person reads what went wrong, and tries again. */
export function clientOf({ service, key }: ServiceOptions): BrowserTasks {
  if (!key) throw new Failed('No key given. Use --key or set BROWSER_TASK_KEY.')
  return new BrowserTasks({ baseUrl: service, key, maxRetries: 0 })
}
