import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type BrowserContext, type CDPSession, chromium, type Page as PlaywrightPage } from 'playwright-core'
import { type Cdp, ToolError } from './page/cdp.ts'
import type { HostTab, TabHost } from './tabs.ts'

export interface StartOptions {
  /** Shows the window. */
  readonly headed: boolean
  /** Keeps the profile (cookies, sign-ins) here; a fresh one that is thrown away when left out. */
  readonly userDataDir?: string | undefined
  /** Use this browser and no other. */
  readonly executablePath?: string | undefined
}

/** A browser that was started for tasks. */
export interface StartedBrowser extends TabHost {
  /** What was started, for a person: `Chrome`, or a path. */
  readonly name: string
  close(): Promise<void>
  /** Resolves when the browser has ended, by `close` or by itself. */
  readonly closed: Promise<void>
}

/** No browser, or none that starts. The message is one line that says what to do. */
export class NoBrowser extends Error {
  override readonly name = 'NoBrowser'
}

const VIEWPORT = { width: 1280, height: 800 }
const ARGS = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

interface Candidate {
  readonly name: string
  readonly channel?: string
  readonly executablePath?: string
  readonly args?: readonly string[]
}

/**
 * Starts the first browser that is found: the one that was asked for, else Chrome, Edge, Chromium, else the bundled
 * headless Chromium. Rejects with `NoBrowser`.
 */
export async function startBrowser(options: StartOptions): Promise<StartedBrowser> {
  let failure = ''
  for await (const candidate of candidates(options)) {
    try {
      return new Chromium(candidate.name, await launch(candidate, options))
    } catch (error) {
      failure = `${candidate.name} did not start: ${firstLine(error)}`
    }
  }
  const install = options.headed
    ? 'Install Google Chrome, Microsoft Edge or Chromium, or set CHROME_PATH'
    : 'Install Google Chrome, Microsoft Edge or Chromium, set CHROME_PATH, or run npm install with optional dependencies'
  throw new NoBrowser(failure || `No browser was found. ${install}.`)
}

async function* candidates({ executablePath, headed }: StartOptions): AsyncGenerator<Candidate> {
  if (executablePath !== undefined) {
    if (!existsSync(executablePath)) throw new NoBrowser(`CHROME_PATH: there is no file ${executablePath}.`)
    yield { name: executablePath, executablePath }
    return
  }
  for (const [name, paths] of installed()) {
    const path = paths.find((path) => existsSync(path))
    if (path !== undefined) yield { name, executablePath: path }
  }
  const downloaded = chromium.executablePath()
  if (downloaded && existsSync(downloaded)) yield { name: 'Chromium', executablePath: downloaded }
  if (!headed && process.platform === 'linux' && process.arch === 'x64') yield* bundled()
}

async function* bundled(): AsyncGenerator<Candidate> {
  const found = await import('@sparticuz/chromium').catch(() => null)
  if (!found) return
  const { default: sparticuz } = found
  yield { name: 'bundled Chromium', executablePath: await sparticuz.executablePath(), args: BUNDLED_ARGS }
}

/** What the bundled Chromium needs besides: it has no GPU process, no zygote and no crash handler of its own. */
const BUNDLED_ARGS = ['--headless=shell', '--no-zygote', '--disable-gpu', '--use-angle=swiftshader', '--no-sandbox']

function installed(): [name: string, paths: string[]][] {
  const onPath = (...names: string[]): string[] =>
    (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
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
  return [
    ['Chrome', ['/opt/google/chrome/chrome', ...onPath('google-chrome', 'google-chrome-stable')]],
    ['Edge', ['/opt/microsoft/msedge/msedge', ...onPath('microsoft-edge')]],
    ['Chromium', [...onPath('chromium', 'chromium-browser'), '/snap/bin/chromium']],
  ]
}

function launch({ executablePath, args = [] }: Candidate, options: StartOptions): Promise<BrowserContext> {
  const isRoot = process.getuid?.() === 0
  return chromium.launchPersistentContext(options.userDataDir ?? '', {
    headless: !options.headed,
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [...ARGS, ...(options.headed ? [] : ['--disable-gpu']), ...args],
    chromiumSandbox: !isRoot && !args.includes('--no-sandbox'),
    viewport: options.headed ? null : VIEWPORT,
    // Whoever runs it ends it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''

class Chromium implements StartedBrowser {
  readonly name: string
  readonly closed: Promise<void>
  readonly #context: BrowserContext
  readonly #tabs = new Map<PlaywrightPage, Tab>()
  #nextTabId = 1

  constructor(name: string, context: BrowserContext) {
    this.name = name
    this.#context = context
    this.closed = new Promise((resolve) => context.once('close', () => resolve()))
    // Dialogs are answered by whoever works on the page; without a listener they would be dismissed here first.
    context.on('dialog', () => {})
    context.on('page', (page) => {
      this.#opened(page).catch(() => {})
    })
  }

  async open(): Promise<HostTab> {
    try {
      return await this.#tabOf(await this.#context.newPage())
    } catch (error) {
      throw new ToolError(`The browser could not open a tab: ${firstLine(error)}`)
    }
  }

  async close(): Promise<void> {
    await this.#context.close().catch(() => {})
  }

  async #opened(page: PlaywrightPage): Promise<void> {
    const opener = await page.opener()
    const tab = opener && this.#tabs.get(opener)
    if (tab) tab.popup(await this.#tabOf(page))
  }

  async #tabOf(page: PlaywrightPage): Promise<Tab> {
    const session = await this.#context.newCDPSession(page)
    const { windowId } = await session.send('Browser.getWindowForTarget').catch(() => ({ windowId: 1 }))
    const tab = new Tab(this.#nextTabId++, windowId, page, session)
    this.#tabs.set(page, tab)
    page.once('close', () => this.#tabs.delete(page))
    return tab
  }
}

class Tab implements HostTab {
  readonly tabId: number
  readonly windowId: number
  readonly cdp: Cdp
  readonly #page: PlaywrightPage
  #gone: string | null = null
  readonly #goneListeners: ((why: string) => void)[] = []
  readonly #popupListeners: ((tab: HostTab) => void)[] = []

  constructor(tabId: number, windowId: number, page: PlaywrightPage, session: CDPSession) {
    this.tabId = tabId
    this.windowId = windowId
    this.#page = page
    this.cdp = protocolOf(session)
    page.once('close', () => this.#leave('The tab of this task was closed.'))
    page.once('crash', () => this.#leave('The page crashed.'))
  }

  async close(): Promise<void> {
    await this.#page.close().catch(() => {})
  }

  onGone(listener: (why: string) => void): void {
    if (this.#gone !== null) listener(this.#gone)
    else this.#goneListeners.push(listener)
  }

  onPopup(listener: (tab: HostTab) => void): void {
    this.#popupListeners.push(listener)
  }

  popup(tab: HostTab): void {
    for (const listener of this.#popupListeners) listener(tab)
  }

  #leave(why: string): void {
    if (this.#gone !== null) return
    this.#gone = why
    for (const listener of this.#goneListeners.splice(0)) listener(why)
  }
}

/** The raw protocol of a session, whose own types name every method and event. */
function protocolOf(session: CDPSession): Cdp {
  const raw = session as unknown as {
    send(method: string, params?: object): Promise<unknown>
    on(event: string, listener: (params: never) => void): void
    off(event: string, listener: (params: never) => void): void
  }
  return {
    send: (method, params) => raw.send(method, params),
    on(event, listener) {
      raw.on(event, listener)
      return () => raw.off(event, listener)
    },
  }
}
