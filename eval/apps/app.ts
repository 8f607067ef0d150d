import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Hands, refIn } from '../harness/hands.ts'
import { freePort } from '../harness/ports.ts'
import { excerpt, Unsolved } from '../harness/task.ts'

const run = promisify(execFile)
const START_MS_MAX = 240_000
const END_MS_MAX = 5_000

/** A real application, as it comes from its registry, with data of its own. */
export interface App {
  readonly name: string
  /** Installs it, unless it is there, and starts it on a free port of the loopback interface. */
  start(): Promise<RunningApp>
  readonly tasks: readonly AppTask[]
}

export interface RunningApp {
  readonly url: string
  /** What its own data says, not what its pages show. */
  ask(question: string): Promise<unknown>
  close(): Promise<void>
}

/** One thing to do in an application; whether it was done is read from the application's own data. */
export interface AppTask {
  readonly name: string
  readonly about: string
  /** Sees only what the tools return. Throws when it cannot go on. */
  solve(hands: Hands, url: string, hears: Hears): Promise<unknown>
  /** A question to the application and its answer when the task is done; left out where what was told is all. */
  readonly done?: readonly [question: string, answer: unknown]
}

export type MessageKind = 'saved' | 'refused' | 'field error' | 'alert' | 'toast'

/** Notes whether the answer of the act that caused it tells a message of the application. */
export type Hears = (kind: MessageKind, answer: string, message: RegExp) => void

/** Clicks the first line that matches in what was told, else on the page as it is now. */
export const press = async (s: Hands, line: RegExp, told: string): Promise<string> => s.click(await s.ref(line, told))

/** The reference of the next line below a text that has one, where labels are not bound to their fields. */
export function below(told: string, label: RegExp): string {
  const lines = told.split('\n')
  const at = lines.findIndex((line) => label.test(line))
  if (at === -1) throw new Unsolved(`nothing is called ${label}: ${excerpt(told)}`)
  const ref = refIn(lines.slice(at + 1).join('\n'), /./)
  if (ref === null) throw new Unsolved(`nothing has a reference below ${label}: ${excerpt(told)}`)
  return ref
}

/** A program that serves on a port, in a folder of its own that is removed with it. */
export async function serve(
  command: (folder: string, port: number) => { file: string; args: readonly string[]; env?: Record<string, string> },
  ready: (port: number) => string,
): Promise<{ folder: string; port: number; close(): Promise<void> }> {
  const [folder, port] = [await tempFolder(), await freePort()]
  const { file, args, env } = command(folder, port)
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  const take = (text: Buffer) => {
    out = (out + text).slice(-20_000)
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const exited = once(child, 'exit')
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX)
      await exited
      clearTimeout(timer)
    }
    await rm(folder, { recursive: true, force: true })
  }
  for (const until = performance.now() + START_MS_MAX; performance.now() < until; ) {
    const answer = await fetch(ready(port), { redirect: 'manual' }).catch(() => null)
    if (answer && answer.status < 500) return { folder, port, close }
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await close()
  throw new Error(`${file} ${args.join(' ')} does not serve:\n${out.trim()}`)
}

export const tempFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'browser-task-app-'))

/** What a program prints. */
export async function printed(
  file: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env } as NodeJS.ProcessEnv
  return (await run(file, [...args], { ...options, env, maxBuffer: 2 ** 24 })).stdout
}

const ASK = `import json, sqlite3, sys
print(json.dumps(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()))`

/** The rows of a query to a file of SQLite. */
export const rowsOf = async (file: string, query: string): Promise<unknown> =>
  JSON.parse(await printed('python3', ['-c', ASK, file, query]))
