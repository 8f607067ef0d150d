import type { ChildProcess } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type Test } from 'uvu'
import { buildExtension } from '../../src/extension/build/build.ts'
import { argsFor, CHROMIUM } from '../extension/browser.ts'
import { eventually } from '../support/eventually.ts'
import { ended, openScreen, type Screen, whyNoScreen } from './screen.ts'
import { type Target, Watcher } from './watcher.ts'

/** A Chromium with a window, its sandbox and the extension, as a person has it. */
export interface HeadedBrowser {
  readonly screen: Screen
  /** Of the browser as it runs now: another one after `restart`. */
  readonly watcher: Watcher
  /** `chrome-extension://…/` */
  readonly extension: string
  /** Presses the left button on an element that is seen, as a person does. */
  click(target: Target, selector: string): Promise<void>
  /** Goes where a person types it: into the address bar of the window in front. */
  visit(url: string): Promise<void>
  /** The page of the tab that is in front; not one of the extension. */
  front(): Promise<Target>
  /** A page of the extension in a tab in front: `panel.html`. */
  openOwn(page: string): Promise<Target>
  /** Ends the browser by a signal. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again with the same profile. `restores`: with the tabs that it had. */
  restart(restores?: boolean): Promise<void>
  close(): Promise<void>
}

export async function openHeaded(): Promise<HeadedBrowser> {
  if (CHROMIUM === null) throw new Error('There is no Chromium')
  const executable = CHROMIUM
  const screen = await openScreen()
  const built = join(screen.folder, 'extension')
  const profile = join(screen.folder, 'profile')
  const { EXTENSION_BUILD } = process.env
  if (EXTENSION_BUILD) await cp(EXTENSION_BUILD, built, { recursive: true })
  else await buildExtension(built, false)
  // Otherwise an extension from a folder is off after it was reloaded.
  await mkdir(join(profile, 'Default'), { recursive: true })
  await writeFile(join(profile, 'Default', 'Preferences'), '{"extensions":{"ui":{"developer_mode":true}}}')
  for (const path of [built, profile]) screen.give(path)
  let chromium: ChildProcess
  let watcher: Watcher
  let extension = ''

  async function start(restores = false): Promise<void> {
    await rm(join(profile, 'DevToolsActivePort'), { force: true })
    chromium = screen.start(executable, [
      ...argsFor(built).filter((arg) => arg !== '--no-sandbox'),
      `--user-data-dir=${profile}`,
      '--remote-debugging-port=0',
      '--no-default-browser-check',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--password-store=basic',
      '--window-position=0,0',
      '--window-size=1300,950',
      restores ? '--restore-last-session' : 'about:blank',
    ])
    watcher = await Watcher.of(profile)
    extension = new URL((await watcher.target('worker.js', 40_000)).url).href.replace('worker.js', '')
  }
  await start()
  const kill: HeadedBrowser['kill'] = async (signal) => {
    watcher.end()
    await ended(chromium, signal)
  }
  const browser: HeadedBrowser = {
    screen,
    get watcher() {
      return watcher
    },
    get extension() {
      return extension
    },
    async click(target, selector) {
      const [x, y] = await pointOf(watcher, target, selector)
      await screen.click(x, y)
    },
    async visit(url) {
      await screen.press('ctrl+l')
      await screen.type(url)
      // Without what the browser proposes to add.
      await screen.press('Delete', 'Return')
    },
    async front() {
      const pages = (await watcher.targets()).filter(({ type, url }) => type === 'page' && !url.startsWith(extension))
      for (const page of pages)
        if (await watcher.value<boolean>(page, "document.visibilityState === 'visible'").catch(() => false)) return page
      throw new Error(`No tab is in front: ${pages.map(({ url }) => url).join(' ')}`)
    },
    async openOwn(page) {
      const url = extension + page
      const opened = await watcher.open(url)
      await eventually(
        () => watcher.value<boolean>(opened, `location.href === '${url}' && document.readyState === 'complete'`),
        `${page} to be there`,
      )
      return opened
    },
    kill,
    restart: start,
    async close() {
      await kill()
      await screen.close()
    },
  }
  return browser
}

/** The middle of an element on the screen, once it is there and stands still. */
async function pointOf(watcher: Watcher, target: Target, selector: string): Promise<readonly [number, number]> {
  let point: readonly [number, number] | null = null
  const stands = async () => {
    const before = String(point)
    point = await watcher.value<[number, number] | null>(target, where(selector)).catch(() => null)
    return point !== null && String(point) === before
  }
  await eventually(stands, `${selector} to be seen`, 20_000)
  if (point === null) throw new Error(`${selector} is gone`)
  return point
}

/** Bars of the browser are above the page, the side panel beside it; a window has no frame. */
const where = (selector: string): string => `(() => {
  const element = document.querySelector(${JSON.stringify(selector)})
  const { x, y, width, height } = element?.getBoundingClientRect() ?? { width: 0 }
  if (width === 0 || element.disabled) return null
  return [screenX + x + width / 2, screenY + outerHeight - innerHeight + y + height / 2]
})()`

/**
 * A suite of tests in a Chromium with a window. Where there can be none its tests are announced as skipped, with their number
 * and the reason. `begin` makes what they share; what fails there fails the file.
 */
export function headedSuite<Shared>(
  name: string,
  begin: () => Promise<Shared>,
  end: (shared: Shared) => Promise<unknown>,
) {
  const tests: Test = suite(`headed, ${name}`)
  const bodies: [title: string, body: (shared: Shared) => Promise<unknown>][] = []
  const add = (title: string, body: (shared: Shared) => Promise<unknown>): void => {
    bodies.push([title, body])
  }
  const run = async (): Promise<void> => {
    const why = CHROMIUM === null ? 'no Chromium is installed to load the extension into' : whyNoScreen()
    if (why !== null) {
      console.log(`SKIPPED ${bodies.length} headed, ${name}: ${why}`)
      tests.run()
      return
    }
    const shared = await begin()
    for (const [title, body] of bodies)
      tests(title, async () => {
        await body(shared)
      })
    tests.after(async () => {
      await end(shared)
    })
    tests.run()
  }
  return Object.assign(add, { run })
}
