import { chromium } from 'playwright-core'
import { bundledChromium } from '../../src/browser/bundled.ts'
import { candidates } from '../../src/browser/candidates.ts'
import { startBrowser } from '../../src/browser/chromium.ts'

/**
 * The bare headless Chromium that comes with the package: a page in it takes a fourth of the CPU that it takes in an
 * installed browser, which draws windows that nobody sees. `null` where there is none, or where it does not start.
 */
export async function bareBrowser(): Promise<string | null> {
  const bundled = await bundledChromium().catch(() => null)
  if (bundled === null) return null
  try {
    await (await startBrowser({ headed: false, executablePath: bundled.executablePath })).close()
    return bundled.executablePath
  } catch {
    return null
  }
}

/**
 * The browser of a person, for what the bare one does otherwise: extensions, PDFs, dialogs of the window. The runner
 * has put the bare one into `CHROME_PATH` where `IS_BARE` is set; undefined: whichever is installed.
 */
export const installedPath = (): string | undefined =>
  process.env.IS_BARE ? undefined : process.env.CHROME_PATH || undefined

/** The installed browser that tests use, as a path; `null`: none is installed. */
export async function installedBrowser(): Promise<string | null> {
  const path = installedPath()
  if (path !== undefined) return path
  const { value } = await candidates(true, chromium.executablePath()).next()
  return value?.executablePath ?? null
}
