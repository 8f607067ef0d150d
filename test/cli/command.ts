import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENTRY } from '../support/built.ts'
import { eventually } from '../support/eventually.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** No promise of the product: only that a test that waits for nothing ends. */
const UNTIL_MS_MAX = 60_000
const END_MS_MAX = 12_000

/** What a command printed and how it ended. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A command that runs. Its output grows while it does. */
export class Running {
  out = ''
  err = ''
  readonly child: ChildProcess
  readonly ended: Promise<Ended>

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    // A process group of its own, so that what it started can be ended with it.
    this.child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    this.child.stdout?.on('data', (chunk) => {
      this.out += chunk
    })
    this.child.stderr?.on('data', (chunk) => {
      this.err += chunk
    })
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => resolve({ code, out: this.out, err: this.err }))
    })
  }

  /** Resolves to the first match in standard output; rejects when the command has ended before, or after a bound. */
  async said(pattern: RegExp, ms = UNTIL_MS_MAX): Promise<RegExpExecArray> {
    let match: RegExpExecArray | null = null
    const over = () => this.child.exitCode !== null || this.child.signalCode !== null
    await eventually(
      () => {
        match = pattern.exec(this.out)
        return match !== null || over()
      },
      `${pattern} in ${this.out}${this.err}`,
      ms,
    )
    if (match) return match
    throw new Error(`ended without ${pattern}: ${this.out}${this.err}`)
  }

  /** Ends it and all that it started, by force if need be. */
  async end(): Promise<Ended> {
    const { pid } = this.child
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      try {
        if (pid !== undefined) process.kill(-pid, signal)
      } catch {
        // The group is gone.
      }
      const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), END_MS_MAX).unref())
      if ((await Promise.race([this.ended, late])) !== null) break
    }
    return this.ended
  }
}

/** The environment without settings of ours, and with these. */
export function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, CHROME_PATH } = process.env
  return { PATH, HOME, ...(CHROME_PATH ? { CHROME_PATH } : {}), NO_COLOR: '1', ...settings }
}

/** Starts `browser-task` with these arguments and settings. */
export const start = (args: readonly string[], settings: Record<string, string> = {}): Running =>
  new Running(process.execPath, [ENTRY, ...args], environment(settings))

/** Runs `browser-task` to its end. */
export const run = (args: readonly string[], settings: Record<string, string> = {}): Promise<Ended> =>
  start(args, settings).ended

/** Runs `work` with a folder that is removed afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'browser-task-test-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
