import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { type AsyncZipOptions, type AsyncZippable, zip } from 'fflate'
import { bundleOfficeReader, bundlePdfReader, bundleReader } from '../../browser/reader-bundle.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** The extension looks as the pages of the service do. */
const PAGES_STYLE = fileURLToPath(new URL('../../web/static/style.css', import.meta.url))
const PACKAGE = new URL('../../../package.json', import.meta.url)

/** Bundles of modules for the worker and the extension's own pages; the content script is not a module. */
const SCRIPTS = {
  worker: 'worker.ts',
  panel: 'ui/panel.tsx',
  consent: 'ui/consent.tsx',
  input: 'ui/input.tsx',
  options: 'ui/options.tsx',
}
const PAGE_SCRIPTS = { pairing: 'page/pairing.ts' }
const FILES = ['ui/panel.html', 'ui/consent.html', 'ui/input.html', 'ui/options.html', 'ui/style.css']
const ICONS = [16, 32, 48, 128].map((size) => `icons/${size}.png`)

/** The first day that a zip file can name, so that the same files make the same archive. */
const FIRST_DAY = new Date(1980, 0, 1)

/** Too large for the worker, which starts often. */
const PDF_READER = 'pdf-reader.txt'
const OFFICE_READER = 'office-reader.txt'
const textBeside = (name: string) => `async () => (await fetch(chrome.runtime.getURL('${name}'))).text()`

/** The script that reads pages, as a text in the worker; those for files as texts beside it. */
const withReader: Plugin = {
  name: 'reader',
  setup({ onLoad }) {
    onLoad({ filter: /reader-source\.ts$/ }, async () => ({
      contents: [
        `export const readerSource = async () => ${JSON.stringify(await bundleReader())}`,
        `export const pdfReaderSource = ${textBeside(PDF_READER)}`,
        `export const officeReaderSource = ${textBeside(OFFICE_READER)}`,
      ].join('\n'),
    }))
  },
}

/** Builds the extension into a folder that Chrome loads unpacked. Resolves to its files, by their names in it. */
export async function buildExtension(folder: string, isSmall = true): Promise<ReadonlyMap<string, Uint8Array>> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'icons'), { recursive: true })
  const common = {
    absWorkingDir: ROOT,
    bundle: true as const,
    outdir: resolve(folder),
    target: 'chrome128',
    jsx: 'automatic' as const,
    jsxImportSource: 'preact',
    plugins: [withReader],
    legalComments: 'none',
  } satisfies BuildOptions
  await Promise.all([
    build({ ...common, entryPoints: SCRIPTS, format: 'esm' }),
    build({ ...common, entryPoints: PAGE_SCRIPTS, format: 'iife' }),
    ...FILES.map((file) => copyFile(join(ROOT, file), join(folder, file.replace('ui/', '')))),
    copyFile(PAGES_STYLE, join(folder, 'pages.css')),
    ...ICONS.map((file) => copyFile(join(ROOT, file), join(folder, file))),
  ])
  await writeFile(join(folder, 'manifest.json'), await manifest())
  await writeFile(join(folder, PDF_READER), await bundlePdfReader(isSmall))
  await writeFile(join(folder, OFFICE_READER), await bundleOfficeReader())
  const names = [
    'manifest.json',
    PDF_READER,
    OFFICE_READER,
    ...Object.keys({ ...SCRIPTS, ...PAGE_SCRIPTS }).map((name) => `${name}.js`),
    ...FILES.map((file) => file.replace('ui/', '')),
    'pages.css',
    ...ICONS,
  ]
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)))
}

async function manifest(): Promise<string> {
  const { version } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { version: string }
  const { name, ...rest } = JSON.parse(await readFile(join(ROOT, 'manifest.json'), 'utf8')) as { name: string }
  return `${JSON.stringify({ name, version, ...rest }, null, 2)}\n`
}

/** [P15] The same as the bytes of a zip file: larger unless `isSmall`, because somebody waits for it. */
export async function zipExtension(isSmall = false): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'browser-task-extension-'))
  try {
    return zipped(await buildExtension(join(folder, 'extension'), isSmall))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const inThread = promisify<AsyncZippable, AsyncZipOptions, Uint8Array>(zip)
/** In threads of its own: the service goes on meanwhile. */
const zipped = (files: ReadonlyMap<string, Uint8Array>) =>
  inThread(Object.fromEntries(files), { level: 9, mtime: FIRST_DAY })

/** `npm run extension`: dist/extension/, and the same as a zip beside it. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = await buildExtension('dist/extension')
  await writeFile('dist/extension.zip', await zipped(files))
  console.log('dist/extension (load it unpacked) and dist/extension.zip')
}
