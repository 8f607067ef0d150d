import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const END_MS_MAX = 5_000
const SAY_MS_MAX = 30_000
const LOOK_MS = 50

/** A program of the project under measurement, and what it has printed. */
export interface Running {
  readonly child: ChildProcess
  /** Rejects with what it printed when it ends before, or does not say so within 30 s. */
  said(pattern: RegExp): Promise<RegExpExecArray>
  end(): Promise<void>
}

/** Starts `browser-task.js` of `root` with the given arguments. */
export function startCli(root: string, args: readonly string[], env: Readonly<Record<string, string>>): Running {
  const child = spawn(process.execPath, [join(root, 'src', 'browser-task.js'), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  const take = (text: Buffer) => {
    out += text
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  const exited = once(child, 'exit')
  return {
    child,
    async said(pattern) {
      let closed = false
      child.once('close', () => {
        closed = true
      })
      for (let waited = 0; waited < SAY_MS_MAX; waited += LOOK_MS) {
        const found = pattern.exec(out)
        if (found) return found
        if (closed) break
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
      throw new Error(`${args.join(' ')} did not say ${pattern}:\n${out.trim()}`)
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX)
      await exited
      clearTimeout(timer)
    },
  }
}

/** A program that starts Chromium so that its state can be looked at over `port`, beside whoever drives it. */
export async function chromeWithPort(port: number): Promise<{ path: string; remove(): Promise<void> }> {
  const chrome = process.env.CHROME_PATH || '/usr/bin/chromium'
  const folder = await mkdtemp(join(tmpdir(), 'browser-task-eval-'))
  const path = join(folder, 'chrome')
  await writeFile(path, `#!/bin/sh\nexec '${chrome}' --remote-debugging-port=${port} "$@"\n`)
  await chmod(path, 0o755)
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}
