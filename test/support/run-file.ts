import { spawn } from 'node:child_process'
import { argsOf } from './built.ts'
import { outcomesOf } from './group.ts'
import { type Ended, type Outcome, tally } from './tally.ts'

/** How long after its end a file's process may still hold its output open, through something that it started. */
const LINGER_MS = 1_000

/** A process that runs, and what comes of it. */
export interface Started<Result> {
  readonly started: { kill(): void }
  readonly done: Promise<Result>
}

/** Runs one test file in a process of its own. */
export function runFile(file: string, limitMs: number): Started<Outcome> {
  const { started, done } = runProcess(argsOf(file), limitMs)
  return { started, done: done.then(tally) }
}

/** Runs several, one after the other, in one process; what it resolves to is said at `outcomesOf`. */
export function runGroup(files: readonly string[], limitMs: number): Started<Map<string, Outcome> | null> {
  const { started, done } = runProcess([...argsOf('test/support/together.ts'), ...files], limitMs)
  return { started, done: done.then((ended) => outcomesOf(files, ended)) }
}

/**
 * Runs node in a process group of its own, which is killed as a whole at the limit and at the end: what a test leaves
 * behind does not outlive its process.
 */
function runProcess(args: readonly string[], limitMs: number): Started<Ended> {
  const startedAt = performance.now()
  const { FORCE_COLOR: _, ...env } = process.env
  const child = spawn(process.execPath, args, {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group is gone.
    }
  }

  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  let timedOut = false
  const limit = setTimeout(() => {
    timedOut = true
    kill()
  }, limitMs)

  const done = new Promise<Ended>((resolve) => {
    let exitCode: number | null = null
    const end = () => resolve({ output, exitCode, timedOut, ms: performance.now() - startedAt })
    child.once('error', (error) => {
      output += `\n${error.message}\n`
      end()
    })
    child.once('exit', (code) => {
      exitCode = code
      clearTimeout(limit)
      kill()
      const linger = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, LINGER_MS)
      child.once('close', () => {
        clearTimeout(linger)
        end()
      })
    })
  })
  return { started: { kill }, done }
}
