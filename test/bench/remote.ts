import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** What a process of the bench can be asked to do; arguments and answers are plain data. */
// biome-ignore lint/suspicious/noExplicitAny: each call has its own arguments
export type Calls = Readonly<Record<string, (...args: any[]) => unknown>>

/** A process of the bench, seen from the one that started it. */
export interface Remote<C extends Calls> {
  readonly pid: number
  /** Rejects with what the call threw, when the process ends, and after CALL_MS_MAX. */
  readonly ask: { readonly [N in keyof C]: (...args: Parameters<C[N]>) => Promise<Awaited<ReturnType<C[N]>>> }
  /** `kill -9`, and its end. */
  kill(): Promise<void>
}

interface Question {
  readonly id: number
  readonly name: string
  readonly args: unknown[]
}
interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

const LOADER = new URL('../../src/typescript.js', import.meta.url).href
const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const START_FLAGS = String(PACKAGE.scripts.start)
  .split(' ')
  .filter((word) => word.startsWith('--'))
const CALL_MS_MAX = 15 * 60_000
const running = new Set<ChildProcess>()

/** In the started process: answers calls, and ends with the process that asks. */
export function serve(calls: Calls): void {
  process.on('disconnect', () => process.exit(0))
  // Interrupting is the business of the process that started this one.
  process.on('SIGINT', () => {})
  process.on('message', async ({ id, name, args }: Question) => {
    const answer = (fields: Omit<Answer, 'id'>) => void process.send?.({ id, ...fields })
    try {
      answer({ value: await calls[name]?.(...args) })
    } catch (error) {
      answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.send?.({ id: 0 })
}

/** Starts a file as a process of its own, with the flags of `npm start`: production builds, no development conditions. */
export async function start<C extends Calls>(
  file: URL,
  env: Readonly<Record<string, string>> = {},
): Promise<Remote<C>> {
  const child = fork(file, {
    execArgv: ['--import', LOADER, ...START_FLAGS, '--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
    serialization: 'advanced',
  })
  running.add(child)
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const name = file.pathname.split('/').at(-1)
  const failed = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended with ${signal ?? code}`))
    waiting.clear()
  })
  const ready = new Promise<void>((resolve, reject) => {
    waiting.set(0, { resolve: () => resolve(), reject })
  })
  child.on('message', ({ id, value, error }: Answer) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(value)
    else asked?.reject(new Error(`${name}: ${error}`))
  })
  let last = 0
  const ask = (call: string, args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++last
      const timer = setTimeout(() => reject(new Error(`${name} did not answer ${call}`)), CALL_MS_MAX)
      timer.unref()
      const settle =
        <T>(how: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer)
          how(value)
        }
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) })
      if (!child.connected) return settle(reject)(new Error(`${name} is gone`))
      child.send({ id, name: call, args } satisfies Question)
    })
  await ready
  return {
    pid: child.pid ?? 0,
    ask: new Proxy({} as never, {
      get:
        (_, call: string) =>
        (...args: unknown[]) =>
          ask(call, args),
    }),
    async kill() {
      child.kill('SIGKILL')
      await failed
    },
  }
}

/** Ends every process that was started and still runs. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}
