import { type ChildProcess, execFile, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { pngOf } from './xwd.ts'

/** The programs that a screen needs: Debian has packages with these names in lower case. */
const PROGRAMS = ['Xvfb', 'openbox', 'xdotool'] as const
const SIZE = '1400x1000x24'
/** Nobody has this id: Chromium keeps its sandbox, which it has not got as root. */
const UNPRIVILEGED_ID = 27_183
/** A loaded machine starts a display slowly. */
const DISPLAY_MS_MAX = 20_000

const isRoot = process.getuid?.() === 0
const owner = isRoot ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {}

const isInstalled = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))

/** Why no window can be shown here; `null`: it can. */
export function whyNoScreen(): string | null {
  const missing = PROGRAMS.filter((name) => !isInstalled(name))
  return missing.length === 0 ? null : `${missing.join(', ')} not installed`
}

/** A display of its own with a window manager, and a person's mouse and keyboard on it. */
export interface Screen {
  /** Belongs to the user that `start` starts programs as; removed at the end. */
  readonly folder: string
  /** Starts a program on this display, as an unprivileged user where the tests run as root. */
  start(program: string, args: readonly string[], options?: SpawnOptions): ChildProcess
  /** Gives files that this process has made to that user. */
  give(path: string): void
  /** `xdotool` with these arguments; resolves to what it prints. */
  xdotool(...args: string[]): Promise<string>
  /** Presses the left button at a point of the screen. */
  click(x: number, y: number): Promise<void>
  /** Presses keys such as `ctrl+t`, one after the other. */
  press(...keys: string[]): Promise<void>
  /** Types a text as fast as a person who types fast. */
  type(text: string): Promise<void>
  /** What is to be seen on it, bars and dialogs of the browser included, as a PNG. */
  picture(): Promise<Buffer>
  close(): Promise<void>
}

export async function openScreen(): Promise<Screen> {
  const folder = await mkdtemp(join(tmpdir(), 'headed-'))
  if (isRoot) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: folder, XDG_RUNTIME_DIR: folder }
  const start: Screen['start'] = (program, args, options = {}) =>
    spawn(program, args, { stdio: 'ignore', env, ...owner, ...options })
  const display = start(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', SIZE, '-nolisten', 'tcp', '-noreset', '-fbdir', folder],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  env.DISPLAY = `:${await numberOf(display)}`
  const manager = start('openbox', [])
  const run = promisify(execFile)
  const xdotool = async (...args: string[]) => (await run('xdotool', args, { env, ...owner })).stdout.trim()
  return {
    folder,
    start,
    give: (path) => {
      if (isRoot) spawnSync('chown', ['-R', `${UNPRIVILEGED_ID}:${UNPRIVILEGED_ID}`, path])
    },
    xdotool,
    click: async (x, y) => {
      await xdotool('mousemove', String(Math.round(x)), String(Math.round(y)), 'click', '1')
    },
    press: async (...keys) => {
      await xdotool('key', '--clearmodifiers', '--delay', '30', ...keys)
    },
    type: async (text) => {
      await xdotool('type', '--clearmodifiers', '--delay', '30', text)
    },
    picture: async () => pngOf(await readFile(join(folder, 'Xvfb_screen0'))),
    async close() {
      for (const child of [manager, display]) await ended(child)
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** Asks a process to end, and has it ended when it does not. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  // A busy browser takes seconds to keep its session.
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await gone
  clearTimeout(late)
}

/** The display that Xvfb has found free. */
function numberOf(display: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('Xvfb did not start')), DISPLAY_MS_MAX)
    display.once('error', reject)
    ;(display.stdio[3] as Readable).once('data', (data) => {
      clearTimeout(late)
      resolve(String(data).trim())
    })
  })
}
