import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { suite, type Test } from 'uvu'
import { buildExtension } from '../../src/extension/build/build.ts'
import { installedPath } from '../support/browsers.ts'
import { eventually } from '../support/eventually.ts'
import { shared } from '../support/shared.ts'

/** A loaded machine starts a browser slowly. */
const START_MS_MAX = 40_000

/** Chrome itself loads no unpacked extension from its command line any more: Chromium does. */
export const CHROMIUM =
  installedPath() ||
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser'].map((name) => join(folder, name)))
    .find((path) => existsSync(path)) ||
  null

export const argsFor = (extension: string): string[] => [
  `--disable-extensions-except=${extension}`,
  `--load-extension=${extension}`,
  '--no-first-run',
  '--disable-gpu',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]

/** A Chromium with the extension in it, and a profile of its own. */
export interface ExtendedBrowser {
  readonly context: BrowserContext
  /** The built extension, and the profile. */
  readonly folder: { readonly extension: string; readonly profile: string }
  /** A page of the extension in a tab: `panel.html`. */
  open(page: string): Promise<Page>
  /** The first page whose address has this in it, once there is one. */
  page(part: string): Promise<Page>
  close(): Promise<void>
}

/**
 * A Chromium with the extension: the one of all files of this process, which is unpaired and left with an empty page when
 * a file closes it; with options, or when that one is in use, one of its own.
 */
export async function openBrowser(options?: { colorScheme?: 'light' | 'dark' }): Promise<ExtendedBrowser> {
  if (options || isInUse) return startExtended(options)
  isInUse = true
  const browser = await browserOfAll.get()
  return {
    ...browser,
    async close() {
      await unpaired(browser).catch(() => browser.close())
      isInUse = false
      await browserOfAll.release()
    },
  }
}

let isInUse = false
const gone = new WeakSet<ExtendedBrowser>()
const browserOfAll = shared(
  async () => {
    const browser = await startExtended()
    browser.context.once('close', () => gone.add(browser))
    return browser
  },
  (browser) => browser.close(),
  (browser) => gone.has(browser),
)

/** As it was before its first pairing. */
async function unpaired({ context, open }: ExtendedBrowser): Promise<void> {
  const options = await open('options.html')
  for (const page of context.pages()) if (page !== options) await page.close()
  const kept = () => options.evaluate('chrome.storage.local.get(null).then((all) => Object.keys(all).length)')
  if (await options.evaluate("chrome.storage.local.get('pairing').then(({ pairing }) => pairing !== undefined)"))
    await options.getByRole('button', { name: 'Unpair this browser' }).click()
  await eventually(async () => (await kept()) === 0, 'nothing to be kept')
  await context.clearCookies()
  await options.goto('about:blank')
}

/** Builds the extension, unless the test runner has built it for all files, and starts a Chromium with it. */
async function startExtended(options: { colorScheme?: 'light' | 'dark' } = {}): Promise<ExtendedBrowser> {
  if (CHROMIUM === null) throw new Error('There is no Chromium')
  const folder = await mkdtemp(join(tmpdir(), 'extension-'))
  const extension = join(folder, 'extension')
  const profile = join(folder, 'profile')
  const { EXTENSION_BUILD } = process.env
  if (EXTENSION_BUILD) await cp(EXTENSION_BUILD, extension, { recursive: true })
  else await buildExtension(extension, false)
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: argsFor(extension),
    viewport: { width: 1280, height: 800 },
    timeout: START_MS_MAX,
    ...options,
  })
  const [worker] = context.serviceWorkers()
  const id = new URL((worker ?? (await context.waitForEvent('serviceworker', { timeout: START_MS_MAX }))).url()).host
  return {
    context,
    folder: { extension, profile },
    async open(page) {
      const opened = await context.newPage()
      await opened.goto(`chrome-extension://${id}/${page}`)
      return opened
    },
    async page(part) {
      const find = () => context.pages().find((page) => page.url().includes(part))
      await eventually(() => find() !== undefined, `a page at ${part}`, 20_000)
      const found = find()
      if (!found) throw new Error(`The page at ${part} is gone`)
      return found
    },
    async close() {
      await context.close().catch(() => {})
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/**
 * A suite of tests with the real extension in a real Chromium. Without one, its tests are announced as skipped, with
 * their number and the reason. `begin` makes what they share; what fails there fails the file.
 */
export function extensionSuite<Shared>(
  name: string,
  begin: () => Promise<Shared>,
  end: (shared: Shared) => Promise<unknown>,
) {
  const tests: Test = suite(name)
  const bodies: [title: string, body: (shared: Shared) => Promise<void>][] = []
  const add = (title: string, body: (shared: Shared) => Promise<void>): void => {
    bodies.push([title, body])
  }
  const run = async (): Promise<void> => {
    if (CHROMIUM === null) {
      console.log(
        `SKIPPED ${bodies.length} ${name}: no Chromium is installed to load the extension into (or set CHROME_PATH)`,
      )
      tests.run()
      return
    }
    const shared = await begin()
    for (const [title, body] of bodies) tests(title, () => body(shared))
    tests.after(async () => {
      await end(shared)
    })
    tests.run()
  }
  return Object.assign(add, { run })
}
