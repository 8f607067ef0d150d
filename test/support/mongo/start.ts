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

/** Starts the test server. It ends with this process at the latest; a `data` file lets a later one go on where it ended. */
export async function startMongoServer(options: { port?: number; data?: string } = {}): Promise<MongoServer> {
  const args = [...argsOf('test/support/mongo/server.ts'), '--with-parent']
  args.push('--port', String(options.port ?? 0))
  if (options.data) args.push('--data', options.data)
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
