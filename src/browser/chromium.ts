import { existsSync } from 'node:fs'
import {
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Frame as PlaywrightFrame,
  type Page as PlaywrightPage,
} from 'playwright-core'
import type { AddressGuard } from '../net/address-guard.ts'
import type { ProfileValues } from '../wire/profiles.ts'
import { type Cdp, type CdpSession, ToolError } from './act/cdp.ts'
import { BlankPage } from './blank-page.ts'
import { type Candidate, candidates, chosen } from './candidates.ts'
import { downloadOf } from './downloads.ts'
import type { Download } from './files.ts'
import { FrameSessions } from './frame-sessions.ts'
import { requestFrom } from './holds/request-from.ts'
import { Interception, type Listener } from './interception.ts'
import { ownEnv } from './own-env.ts'
import type { Reach } from './own-service.ts'
import { protocolOf } from './protocol.ts'
import { RequestOwners } from './request-owners.ts'
import { NoBrowser, type StartedBrowser, type StartOptions } from './started-browser.ts'
import { type ContextNeeds, TaskContexts } from './task-contexts.ts'
import type { HostTab } from './task-tabs.ts'

export { NoBrowser, type StartedBrowser, type StartOptions } from './started-browser.ts'

type StorageState = Exclude<BrowserContextOptions['storageState'], string | undefined>
const VIEWPORT = { width: 1280, height: 800 }
const ARGS = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // What does not go through a proxy (WebRTC over UDP) is not sent.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
]

/**
 * Starts the first browser that is found: the one that was asked for, else Chrome, Edge, Chromium, else the bundled
 * headless Chromium. Rejects with `NoBrowser`.
 */
export async function startBrowser(options: StartOptions): Promise<StartedBrowser> {
  const { executablePath, headed } = options
  if (executablePath !== undefined) {
    if (!existsSync(executablePath)) throw new NoBrowser(`CHROME_PATH: there is no file ${executablePath}.`)
    return started(chosen(executablePath), options)
  }
  let failure: unknown = null
  try {
    for await (const candidate of candidates(headed, chromium.executablePath())) {
      try {
        return await started(candidate, options)
      } catch (error) {
        failure ??= error
      }
    }
  } catch (error) {
    failure ??= new NoBrowser(`The bundled Chromium could not be unpacked: ${firstLine(error)}`)
  }
  if (failure !== null) throw failure
  const bundled = headed ? '' : ', or run npm install with optional dependencies'
  throw new NoBrowser(
    `No browser was found. Install Google Chrome, Microsoft Edge or Chromium, or set CHROME_PATH${bundled}.`,
  )
}

async function started(candidate: Candidate, options: StartOptions): Promise<Chromium> {
  const browser = new Chromium(candidate, await launch(candidate, options))
  await browser.prepare()
  return browser
}

/** Rejects with `NoBrowser` when it does not start. */
async function launch({ name, executablePath, args, env }: Candidate, options: StartOptions): Promise<BrowserContext> {
  const { headed, userDataDir = '' } = options
  try {
    return await chromium.launchPersistentContext(userDataDir, {
      headless: !headed,
      executablePath,
      args: [...ARGS, ...(headed ? [] : ['--disable-gpu']), ...args],
      chromiumSandbox: !isRoot() && !args.includes('--no-sandbox'),
      env: { ...ownEnv(), ...env },
      viewport: headed ? null : VIEWPORT,
      // The caller that starts it ends it.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
  } catch (error) {
    throw new NoBrowser(`${name} did not start: ${NO_SANDBOX.test(String(error)) ? NAMESPACES : firstLine(error)}`)
  }
}

/** What Chromium prints before it ends. */
const NO_SANDBOX = /No usable sandbox|Failed to move to new namespace/
const NAMESPACES = 'its sandbox needs user namespaces. In a container, allow them (docs/operations.md#containers)'

const isRoot = (): boolean => process.getuid?.() === 0

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''

/** So long a tab is given to begin with its first document. */
const ADDRESS_MS_MAX = 500
const LOOK_MS = 10
const isBlank = (page: PlaywrightPage): boolean => /^(|:|about:blank)$/.test(page.url())

class Chromium implements StartedBrowser {
  readonly name: string
  readonly isUnprotected: boolean
  readonly isShell: boolean
  readonly closed: Promise<void>
  readonly #context: BrowserContext
  readonly #tabs = new Map<PlaywrightPage, Tab>()
  readonly #own = new TaskContexts<BrowserContext>((...needs) => this.#openContext(...needs))
  #nextTabId = 1
  readonly #blank: BlankPage
  #interception: Promise<Interception> | null = null

  constructor({ name, args, isShell }: Candidate, context: BrowserContext) {
    this.name = name
    this.isUnprotected = isRoot() || args.includes('--no-sandbox')
    this.isShell = isShell
    this.#context = context
    this.#blank = new BlankPage(context)
    this.closed = new Promise((resolve) => context.once('close', () => resolve()))
    this.#follow(context)
  }

  /** Before its first tab is opened. */
  async prepare(): Promise<void> {
    if (this.isShell) await (await this.#intercepting()).showPdfs()
  }

  async open(taskId: string): Promise<HostTab> {
    try {
      const context = (await this.#own.of(taskId)) ?? this.#context
      return await this.#tabOf(await context.newPage())
    } catch (error) {
      throw new ToolError(`The browser could not open a tab: ${firstLine(error)}`)
    }
  }

  async guard(reach: Reach, addresses: AddressGuard | null = null): Promise<void> {
    this.#own.bound({ addresses, refusalOf: reach.refusalOf })
    await (await this.#intercepting()).refuse(reach)
  }

  /** The session of the whole browser; made when it is first needed. */
  #intercepting(): Promise<Interception> {
    this.#interception ??= this.#wholeBrowser().then((cdp) => {
      const owners = new RequestOwners(cdp, () => [...this.#tabs.values()])
      return new Interception(cdp, (event) => owners.listenerOf(event))
    })
    return this.#interception
  }

  async #wholeBrowser(): Promise<CdpSession> {
    const browser = this.#context.browser()
    if (browser === null) throw new NoBrowser(`${this.name} cannot be controlled as a whole.`)
    return protocolOf(await browser.newBrowserCDPSession())
  }

  separate = (taskId: string, needs: ContextNeeds): Promise<void> => this.#own.begin(taskId, needs)
  ended = (taskId: string): Promise<void> => this.#own.end(taskId)

  async valuesOf(taskId: string): Promise<ProfileValues | null> {
    const context = await this.#own.of(taskId).catch(() => undefined)
    return (await context?.storageState({ indexedDB: true }).catch(() => null)) ?? null
  }

  async cookiesOf(taskId: string): Promise<ProfileValues['cookies']> {
    const context = await this.#own.of(taskId).catch(() => undefined)
    return ((await context?.cookies().catch(() => [])) ?? []) as unknown as ProfileValues['cookies']
  }

  async #openContext(
    { options, isFresh }: ContextNeeds,
    proxyUrl: string | null,
    values: ProfileValues | null,
  ): Promise<BrowserContext> {
    const browser = this.#context.browser()
    if (browser === null) throw new NoBrowser(`${this.name} cannot be controlled as a whole.`)
    const { viewport = VIEWPORT, locale, timeZone, geolocation, permissions, touch } = options
    const context = await browser.newContext({
      viewport,
      ...(proxyUrl === null ? {} : { proxy: { server: proxyUrl, bypass: '<-loopback>' } }),
      // The sign-ins of the task's profile, or of the browser's.
      ...(values ? { storageState: values as StorageState } : {}),
      ...(isFresh || values ? {} : { storageState: await this.#context.storageState() }),
      ...(locale === undefined ? {} : { locale }),
      ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
      ...(geolocation === undefined ? {} : { geolocation }),
      ...(permissions === undefined ? {} : { permissions: [...permissions] }),
      ...(touch === undefined ? {} : { hasTouch: touch }),
    })
    this.#follow(context)
    return context
  }

  async close(): Promise<void> {
    await this.#own.endAll()
    await this.#context.close().catch(() => {})
  }

  #follow(context: BrowserContext): void {
    // Dialogs are answered by the code that works on the page; without a listener they would be dismissed here first.
    context.on('dialog', () => {})
    context.on('page', (page) => {
      this.#opened(page).catch(() => {})
    })
  }

  async #opened(page: PlaywrightPage): Promise<void> {
    const opener = await page.opener()
    const tab = (opener && this.#tabs.get(opener)) ?? (await this.#whoAskedFor(page))
    if (tab) tab.popup(await this.#tabOf(page))
  }

  /** A click with ctrl opens a tab that names no opener: it is known by its address, or by being the only one. */
  async #whoAskedFor(page: PlaywrightPage): Promise<Tab | undefined> {
    const asking = () => [...this.#tabs.values()].filter((tab) => tab.newTabs.length > 0 && tab.isBeside(page))
    // In the headless shell a tab begins with an empty document.
    for (let waited = 0; isBlank(page) && asking().length > 0 && waited < ADDRESS_MS_MAX; waited += LOOK_MS) {
      if (this.#tabs.has(page)) break
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    // A task opened it by itself.
    if (this.#tabs.has(page)) return undefined
    const url = page.url()
    const [only, ...others] = asking()
    const tab = asking().find((each) => each.newTabs.includes(url)) ?? (others.length === 0 ? only : undefined)
    if (tab) tab.newTabs = tab.newTabs.filter((asked) => asked !== url)
    return tab
  }

  async #tabOf(page: PlaywrightPage): Promise<Tab> {
    const session = await page.context().newCDPSession(page)
    if (this.isShell) await mayCopy(session, page.context() !== this.#context)
    const { windowId } = await session.send('Browser.getWindowForTarget').catch(() => ({ windowId: 1 }))
    const tab = new Tab(this.#nextTabId++, windowId, page, session, this.#blank.shrink, () => this.#intercepting())
    this.#tabs.set(page, tab)
    page.once('close', () => this.#tabs.delete(page))
    return tab
  }
}

/** Lets a page fill the clipboard, as an installed browser does after a click; the headless shell refuses. */
async function mayCopy(session: CDPSession, isOwnContext: boolean): Promise<void> {
  const { targetInfo } = await session.send('Target.getTargetInfo')
  // The context of the browser itself has no id that the call takes.
  const browserContextId = isOwnContext ? targetInfo.browserContextId : undefined
  await session.send('Browser.setPermission', {
    permission: { name: 'clipboard-write' },
    setting: 'granted',
    ...(browserContextId === undefined ? {} : { browserContextId }),
  })
}

class Tab implements HostTab {
  readonly tabId: number
  readonly windowId: number
  readonly cdp: Cdp
  readonly #page: PlaywrightPage
  /** Addresses that the page opens in tabs of their own. */
  newTabs: string[] = []
  /** Takes the requests of the tab; `null` while nobody does. */
  listener: Listener | null = null
  readonly #intercepting: () => Promise<Interception>
  #gone: string | null = null
  readonly #downloadListeners: ((download: Download) => void)[] = []
  readonly #goneListeners: ((why: string) => void)[] = []
  readonly #popupListeners: ((tab: HostTab) => void)[] = []

  constructor(
    tabId: number,
    windowId: number,
    page: PlaywrightPage,
    session: CDPSession,
    shrink: Cdp['shrink'],
    intercepting: () => Promise<Interception>,
  ) {
    this.#intercepting = intercepting
    this.tabId = tabId
    this.windowId = windowId
    this.#page = page
    const frames = new FrameSessions<PlaywrightFrame>(
      () => page.frames().filter((frame) => frame.parentFrame() !== null),
      async (frame, closed) => {
        const session = await page.context().newCDPSession(frame)
        session.once('close', closed)
        return protocolOf(session)
      },
    )
    page.on('framenavigated', (frame) => frames.forget(frame))
    page.on('framedetached', (frame) => frames.forget(frame))
    this.cdp = { ...protocolOf(session), frameSessions: () => frames.list(), shrink }
    page.once('close', () => this.#leave('The tab of this task was closed.'))
    page.once('crash', () => this.#leave('The page crashed.'))
    page.on('download', (download) => {
      for (const listener of this.#downloadListeners) listener(downloadOf(download))
    })
    this.cdp.on('Page.frameRequestedNavigation', ({ url, disposition }: { url: string; disposition: string }) => {
      if (disposition === 'newTab' || disposition === 'newWindow') this.newTabs = [...this.newTabs.slice(-9), url]
    })
  }

  async close(): Promise<void> {
    await this.#page.close().catch(() => {})
  }

  /** Whether a page is in the browser context of this tab. */
  isBeside(page: PlaywrightPage): boolean {
    return page.context() === this.#page.context()
  }

  async pauseRequests(listener: Listener): Promise<void> {
    this.listener = listener
    await (await this.#intercepting()).hold((address) => requestFrom(this.cdp, address))
  }

  onGone(listener: (why: string) => void): void {
    if (this.#gone !== null) listener(this.#gone)
    else this.#goneListeners.push(listener)
  }

  onPopup(listener: (tab: HostTab) => void): void {
    this.#popupListeners.push(listener)
  }

  onDownload(listener: (download: Download) => void): void {
    this.#downloadListeners.push(listener)
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
