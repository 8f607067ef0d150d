import { basename } from 'node:path'
import type { RequestPaused } from './holds/paused.ts'
import { SHOWN_TYPE } from './read/shown-type.ts'

/**
 * Features that are switched off in the headless shell. `RenderDocument` makes it crash every tab that a page opens by
 * ctrl+click. The switch replaces that of the driver, whose features are named here again (a test compares them).
 */
const DISABLED_FEATURES = [
  'RenderDocument',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'msForceBrowserSignIn',
]

/**
 * Makes the headless shell, the bare Chromium without the parts of a desktop browser, behave as an installed browser does:
 * each site has a process of its own, so that its frames are reached and a crash stays with it.
 */
export const SHELL_ARGS: readonly string[] = [
  '--headless=shell',
  '--use-angle=swiftshader',
  '--site-per-process',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
]

/** For a machine that allows no sandbox: without one there is no zygote either. */
export const UNPROTECTED_ARGS: readonly string[] = ['--no-sandbox', '--no-zygote']

/** What a person reads at its start. */
export const SHELL_LIMITS =
  'It is a Chromium without windows: PDFs are read as text and not drawn. Install Chrome, Edge or Chromium to see them.'

/** Whether a path that somebody chose leads to a headless shell: that of Playwright or Puppeteer. */
export const isShell = (executablePath: string): boolean =>
  /^(chrome-)?headless[-_]shell(\.exe)?$/i.test(basename(executablePath))

const PDF = 'application/pdf'
/** Headers of the PDF that do not hold for the page in its place. */
const OF_ITS_BODY = /^(content-(type|length|encoding|disposition|range)|transfer-encoding|etag|accept-ranges)$/i

/**
 * The page that stands for a PDF, in the form of `Fetch.fulfillRequest`; `null` when the response is none that a browser
 * would show. Its text is read from the PDF's own address. Without it the shell would download the file.
 */
export function pageForPdf({ request, responseStatusCode, responseHeaders = [] }: RequestPaused) {
  const header = (wanted: string) => responseHeaders.find(({ name }) => name.toLowerCase() === wanted)?.value ?? ''
  const isPdf = header('content-type').split(';')[0]?.trim().toLowerCase() === PDF
  if (!isPdf || responseStatusCode !== 200 || /^\s*attachment/i.test(header('content-disposition'))) return null
  const name = escaped(new URL(request.url).pathname.split('/').at(-1) ?? '')
  return {
    responseCode: 200,
    responseHeaders: [
      ...responseHeaders.filter(({ name }) => !OF_ITS_BODY.test(name)),
      { name: 'content-type', value: 'text/html; charset=utf-8' },
    ],
    body: Buffer.from(
      `<!doctype html><html ${SHOWN_TYPE}="${PDF}"><title>${name}</title><p>${name} is a PDF. This browser does not draw it.`,
    ).toString('base64'),
  }
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
