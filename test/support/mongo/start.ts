import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { argsOf } from '../built.ts'

export interface MongoServer {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Ends it as an operator would: what it holds goes to its data file. */
  stop(): Promise<void>
  /** Ends it at once. */
  kill(): Promise<void>
  /** It keeps its sockets and answers nothing, until `resume`. */
  pause(): void
  resume(): void
}

export interface MongoServerOptions {
  readonly port?: number
  /** Lets a later server go on where this one ended. */
  readonly data?: string
  /** A server that has no transactions, instead of a replica set of one member. */
  readonly standalone?: boolean
  /** `7.0` has no `bulkWrite` of several collections. */
  readonly version?: '7.0' | '8.0'
  /** How long a transaction may be open before it is aborted; a minute when it is left out. */
  readonly transactionMs?: number
}

/** The URL of a database on the server of this URL, with its options. */
export function databaseAt(url: string, name: string): string {
  const [hosts = '', options = ''] = url.split(/\/(?=\?|$)/)
  return `${hosts}/${name}${options}`
}

/** Starts the test server. It ends with this process at the latest. */
export async function startMongoServer(options: MongoServerOptions = {}): Promise<MongoServer> {
  const args = [...argsOf('test/support/mongo/server.ts'), '--with-parent']
  args.push('--port', String(options.port ?? 0))
  if (options.data) args.push('--data', options.data)
  if (options.standalone) args.push('--standalone')
  if (options.version) args.push('--version', options.version)
  if (options.transactionMs !== undefined) args.push('--transaction-ms', String(options.transactionMs))
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const firstLine = once(createInterface(child.stdout), 'line') as Promise<[string]>
  const failed = exited.then(([code]) => Promise.reject(new Error(`the MongoDB test server ended with ${code}`)))
  const [url] = await Promise.race([firstLine, failed])
  failed.catch(() => {})
  const ended = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
  }
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    stop: () => ended('SIGTERM'),
    kill: () => ended('SIGKILL'),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  }
}
