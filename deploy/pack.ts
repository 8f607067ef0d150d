import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { buildTypescript } from '../clients/generate.ts'
import { pythonWheel } from '../clients/python-wheel.ts'
import { COMMIT_FILE, commitOf } from '../src/config/version.ts'
import { zipExtension } from '../src/extension/build/build.ts'
import { type Files, packageFiles, tarball } from '../src/web/archive.ts'
import { buildParts, PACKED_READER } from './parts.ts'

/**
 * `npm pack` runs this first: dist/service gets all that the published package runs, so that it needs no compiler and no
 * TypeScript: the service in a few files, what is sent to browsers and threads, and the archives of the clients.
 *
 * With a folder as its argument it changes nothing here: that folder gets the archives that a checkout serves under
 * /clients (src/web/archives.ts).
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SERVICE = 'dist/service'
const CLIENT = 'clients/typescript'

/** A module goes on finding the files beside its source, which are in the package, too. */
const whereModulesAre: Plugin = {
  name: 'where modules are',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = path.endsWith('reader-source.ts') ? PACKED_READER : await readFile(path, 'utf8')
      const place = `{ url: new URL(${JSON.stringify(relative(join(ROOT, SERVICE), path))}, builtAt).href }`
      return {
        loader: 'ts',
        contents: source.includes('import.meta') ? `const import_meta = ${place};${source}` : source,
      }
    })
  },
}

/** Builds into the root of a package all that it has beside its sources. */
async function buildInto(root: string): Promise<void> {
  const folder = join(root, SERVICE)
  await rm(folder, { recursive: true, force: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/cli.ts'],
    outdir: folder,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    define: { 'import.meta': 'import_meta' },
    plugins: [whereModulesAre],
    banner: { js: 'const builtAt = import.meta.url;' },
    logLevel: 'error',
  })
  await buildTypescript(join(root, CLIENT, 'dist'))
  const files = new Map([...(await buildParts()), ['extension.zip', await zipExtension(true)] as const])
  await writeInto(folder, new Map([...files, ...(await clientArchives(root))]))
  const commit = commitOf()
  if (commit !== null) await writeFile(join(root, COMMIT_FILE), `${commit}\n`)
}

/** The archives of the clients, by their paths below dist/service. */
async function clientArchives(root: string): Promise<Files> {
  const wheel = pythonWheel(new URL('../clients/python/', import.meta.url))
  return new Map([
    [`clients/${wheel.name}`, wheel.bytes],
    ['clients/browser-task-client.tgz', await tarball(await packageFiles(join(root, CLIENT)))],
  ])
}

const writeInto = (folder: string, files: ReadonlyMap<string, Uint8Array | string>): Promise<unknown> =>
  Promise.all(
    [...files].map(async ([name, content]) => {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    }),
  )

/** The package of this checkout, as it would be published, in a folder. */
async function copyTo(root: string): Promise<void> {
  const isBuilt = (name: string) => name.startsWith('dist/') || name.startsWith(`${CLIENT}/dist/`)
  await writeInto(root, new Map([...(await packageFiles(ROOT))].filter(([name]) => !isBuilt(name))))
  const ofClient = [...(await packageFiles(join(ROOT, CLIENT)))].filter(([name]) => !name.startsWith('dist/'))
  await writeInto(join(root, CLIENT), new Map(ofClient))
  await buildInto(root)
}

const [folder] = process.argv.slice(2)
if (folder === undefined) await buildInto(ROOT)
else {
  const root = await mkdtemp(join(tmpdir(), 'browser-task-package-'))
  try {
    await copyTo(root)
    await cp(join(root, SERVICE, 'clients'), folder, { recursive: true })
    await writeFile(join(folder, 'browser-task-service.tgz'), await tarball(await packageFiles(root)))
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
