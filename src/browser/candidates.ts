import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { bundledChromium, isBundled } from './bundled.ts'
import { isShell, SHELL_ARGS, UNPROTECTED_ARGS } from './headless-shell.ts'

/** A browser that may be started. */
export interface Candidate {
  /** For a person: `Chrome`, or a path. */
  readonly name: string
  readonly executablePath: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** It is a headless shell, which lacks what is in src/browser/headless-shell.ts. */
  readonly isShell: boolean
}

/** The browser at a path that somebody chose. */
export function chosen(executablePath: string): Candidate {
  const shell = isShell(executablePath) || isBundled(executablePath)
  return { name: executablePath, executablePath, args: shell ? SHELL_ARGS : [], env: {}, isShell: shell }
}

/** What is installed, the most usual first, then `downloaded`, then (headless only) what came with the package. */
export async function* candidates(headed: boolean, downloaded: string): AsyncGenerator<Candidate> {
  const plain = { args: [], env: {}, isShell: false }
  for (const [name, paths] of installed()) {
    const executablePath = paths.find((path) => existsSync(path))
    if (executablePath !== undefined) yield { name, executablePath, ...plain }
  }
  if (downloaded && existsSync(downloaded)) yield { name: 'Chromium', executablePath: downloaded, ...plain }
  const bundled = headed ? null : await bundledChromium()
  if (!bundled) return
  const { executablePath, env } = bundled
  const shell = { name: 'bundled Chromium', executablePath, isShell: true }
  // The sandbox needs user namespaces, which not every machine allows.
  for (const args of [SHELL_ARGS, [...SHELL_ARGS, ...UNPROTECTED_ARGS]]) {
    yield { ...shell, args, env: {} }
    // The system lacks what a browser needs: it brings its own.
    yield { ...shell, args, env }
  }
}

type Installed = readonly [name: string, paths: readonly string[]]

function installed(): Installed[] {
  if (process.platform === 'darwin') {
    const app = (name: string) => [`/Applications/${name}.app/Contents/MacOS/${name}`]
    return [
      ['Chrome', app('Google Chrome')],
      ['Edge', app('Microsoft Edge')],
      ['Chromium', app('Chromium')],
    ]
  }
  if (process.platform === 'win32') {
    const folders = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA]
    const exe = (path: string) => folders.filter((folder) => folder !== undefined).map((folder) => join(folder, path))
    return [
      ['Chrome', exe('Google\\Chrome\\Application\\chrome.exe')],
      ['Edge', exe('Microsoft\\Edge\\Application\\msedge.exe')],
      ['Chromium', exe('Chromium\\Application\\chrome.exe')],
    ]
  }
  const onPath = (...names: string[]): string[] =>
    (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return [
    ['Chrome', ['/opt/google/chrome/chrome', ...onPath('google-chrome', 'google-chrome-stable')]],
    ['Edge', ['/opt/microsoft/msedge/msedge', ...onPath('microsoft-edge', 'microsoft-edge-stable')]],
    ['Chromium', [...onPath('chromium', 'chromium-browser'), '/snap/bin/chromium']],
  ]
}
