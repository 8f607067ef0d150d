import { symlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { buildParts, PACKED_READER } from '../../deploy/parts.ts'
import { builtName, ROOT } from './built.ts'

/** Those with binaries, files or workers of their own. */
const EXTERNAL = ['esbuild', 'lmdb', 'uWebSockets.js', '@sparticuz/chromium', 'pino', 'pino-pretty']
const TEST_EXTERNAL = ['@opentelemetry/*', 'oidc-provider', '@seriousme/openapi-schema-validator', 'typescript']

/** They import modules by a path that they work out. */
const FROM_SOURCE = ['test/docs/drawings.test.ts']

/** What tests start as a process of its own. */
const PROGRAMS = [
  'test/support/together.ts',
  'test/crash/campaign.ts',
  'test/crash/claims/entry.ts',
  'test/support/mongo/server.ts',
  'test/support/mongo/owner.ts',
  'test/support/lmdb-owner.ts',
  'test/support/lmdb-writer.ts',
  'test/support/lmdb-filler.ts',
  'test/support/egress/inside.ts',
]

const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"

/** A module goes on finding the files beside its source, and finds built what it would build when it is first needed. */
const modulesOf = (parts: string, changed: (source: string) => string): Plugin => ({
  name: 'modules',
  setup({ onLoad, onResolve }) {
    onLoad(
      { filter: new RegExp(`^${ROOT}(deploy|docs|eval|bench|clients|machines|actors|src|test)/.*\\.ts$`) },
      async ({ path }) => {
        if (path === join(ROOT, 'src/browser/reader-source.ts')) return { loader: 'ts', contents: PACKED_READER }
        if (path === join(ROOT, 'src/packed.ts')) return { loader: 'ts', contents: packedIn(parts) }
        const meta = JSON.stringify({ url: pathToFileURL(path).href, dirname: dirname(path) })
        const source = await readFile(path, 'utf8')
        const contents = path === ROW_VERSIONS_FILE ? changed(source) : source
        return { loader: 'ts', contents: `const import_meta = ${meta};${contents}` }
      },
    )
    // Imported, its three megabytes of CommonJS are read for their names before they are run.
    onResolve({ filter: /^playwright-core$/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'required' },
    )
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({ contents: `module.exports = require('${path}')` }))
  },
})

/** src/packed.ts, of the parts of a test run. */
const packedIn = (parts: string): string => `
import { readFile } from 'node:fs/promises'
export const packed = (name: string) => readFile(${JSON.stringify(parts)} + name).catch(() => null)
`

const partsOf = (folder: string): string => join(folder, 'parts/')

const ROW_VERSIONS_FILE = join(ROOT, 'actors/runtime/row-versions.ts')

/** The file of row versions as the next version may have it: rows of tasks have a format that this one does not read. */
function withNewerRows(source: string): string {
  const [, version] = /ROW_VERSIONS = \{.*\btask: (\d+)/.exec(source) ?? []
  const next = Number(version) + 1
  const changed = source
    .replace(/(ROW_VERSIONS = \{.*\btask: )\d+/, `$1${next}`)
    .replace(/(\n {2}task: \{\n)/, `$1    ${version}: (old) => old,\n`)
    .replace(/(\n {2}task: \{) (?=\d)/, `$1 ${next}: (row) => row, `)
  if (changed.split(String(next)).length < 3) throw new Error(`${ROW_VERSIONS_FILE} is written in another way`)
  return changed
}

async function buildInto(
  folder: string,
  name: string,
  files: readonly string[],
  more: BuildOptions,
  changed = (source: string) => source,
): Promise<string> {
  const out = join(folder, name)
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...files],
    outdir: out,
    outbase: ROOT,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL,
    define: { 'import.meta': 'import_meta' },
    plugins: [modulesOf(partsOf(folder), changed)],
    outExtension: { '.js': '.mjs' },
    // Packages in CommonJS ask for their neighbours by `require`.
    banner: { js: REQUIRE },
    logLevel: 'error',
    ...more,
  })
  symlinkSync(join(ROOT, 'node_modules'), join(out, 'node_modules'))
  return out
}

/**
 * The service as it is now, in few files: it starts in a fourth of the time, and it stays what it is while a long
 * campaign runs. Resolves to its entry, which takes the arguments of `browser-task`. `canary`: the next version, whose rows
 * this one cannot read.
 */
export async function buildService(folder: string, { canary = false } = {}): Promise<string> {
  await mkdir(join(partsOf(folder), 'pages'), { recursive: true })
  for (const [name, content] of await buildParts()) await writeFile(join(partsOf(folder), name), content)
  const [name, changed] = canary ? ['canary', withNewerRows] : ['service', undefined]
  const out = await buildInto(folder, name, ['src/cli.ts'], {}, changed)
  return builtName(out, join(ROOT, 'src/cli.ts'))
}

/**
 * Test files, and the programs that tests start, with all that they import: one that runs from here loads no compiler
 * and finds a few files instead of hundreds. The folder has a build of the service. Resolves to the folder, which is for `TEST_BUILD`.
 */
export async function buildTests(folder: string, files: readonly string[]): Promise<string> {
  return buildInto(folder, 'test', [...files.filter((file) => !FROM_SOURCE.includes(file)), ...PROGRAMS], {
    conditions: ['development'],
    external: [...EXTERNAL, ...TEST_EXTERNAL],
  })
}
