import { spawn } from 'node:child_process'
import { argsOf } from './built.ts'
import { type Outcome, tally } from './tally.ts'

/** How long after its end a file's process may still hold its output open, through something that it started. */
const LINGER_MS = 1_000

/**
 * Runs one test file in a process group of its own, which is killed as a whole at the limit and at the end:
 * what a test leaves behind does not outlive its file.
 */
export function runFile(file: string, limitMs: number): { started: { kill(): void }; done: Promise<Outcome> } {
  const startedAt = performance.now()
  const { FORCE_COLOR: _, ...env } = process.env
  const child = spawn(process.execPath, argsOf(file), {
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

  const done = new Promise<Outcome>((resolve) => {
    let exitCode: number | null = null
    const end = () => resolve(tally({ output, exitCode, timedOut, ms: performance.now() - startedAt }))
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
