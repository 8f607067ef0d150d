import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What a process of the bench can be asked to do; arguments and answers are plain data. */
// biome-ignore lint/suspicious/noExplicitAny: each call has its own arguments
export type Calls = Readonly<Record<string, (...args: any[]) => unknown>>

/** A process of the bench, seen from the one that started it. */
export interface Remote<C extends Calls> {
  /** Rejects with what the call threw, and when the process ends. */
  readonly ask: { readonly [N in keyof C]: (...args: Parameters<C[N]>) => Promise<Awaited<ReturnType<C[N]>>> }
  /** `kill -9`; resolves at its end. */
  kill(): Promise<void>
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

const running = new Set<ChildProcess>()

/** In the started process: answers calls, and ends with the process that asks. */
export function serve(calls: Calls): void {
  process.on('disconnect', () => process.exit(0))
  // An interrupt is for the process that started this one.
  process.on('SIGINT', () => {})
  process.on('message', async ({ id, name, args }: { id: number; name: string; args: unknown[] }) => {
    const answer = (fields: Omit<Answer, 'id'>) => void process.send?.({ id, ...fields })
    try {
      answer({ value: await calls[name]?.(...args) })
    } catch (error) {
      answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.send?.({ id: 0 })
}

/**
 * Starts a file as a process of its own, as `npm start` of the repository around it does: with its loader and flags, and
 * production builds.
 * @param root the repository's folder, with a slash at its end; this one when left out
 */
export async function start<C extends Calls>(
  file: URL,
  { root = new URL('..', import.meta.url), flags = [] as readonly string[] } = {},
): Promise<Remote<C>> {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  const startFlags = String(scripts.start).match(/--\S+/g) ?? []
  const child = fork(file, {
    cwd: fileURLToPath(root),
    execArgv: ['--import', new URL('src/typescript.js', root).href, ...startFlags, '--expose-gc', ...flags],
    env: { ...process.env, NODE_ENV: 'production' },
    serialization: 'advanced',
  })
  running.add(child)
  const name = file.pathname.split('/').at(-1)
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended with ${signal ?? code}`))
    waiting.clear()
  })
  child.on('message', ({ id, value, error }: Answer) => {
    if (error === undefined) waiting.get(id)?.resolve(value)
    else waiting.get(id)?.reject(new Error(`${name}: ${error}`))
    waiting.delete(id)
  })
  const answerTo = (id: number) => new Promise<unknown>((resolve, reject) => void waiting.set(id, { resolve, reject }))
  // 0: it is ready.
  await answerTo(0)
  let last = 0
  const ask = (call: string, args: unknown[]) => {
    if (!child.connected) return Promise.reject(new Error(`${name} has ended`))
    child.send({ id: ++last, name: call, args })
    return answerTo(last)
  }
  return {
    ask: new Proxy({} as never, {
      get:
        (_, call: string) =>
        (...args: unknown[]) =>
          ask(call, args),
    }),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Ends every process that was started and still runs. `politely`: each may write what it has to at its exit. */
export async function endAll(politely = false): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const exit = once(child, 'exit')
      if (politely) child.disconnect()
      else child.kill('SIGKILL')
      await exit
    }),
  )
}
