import { symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { builtName, ROOT } from './built.ts'

/** Those with binaries, files or workers of their own. */
const EXTERNAL = ['esbuild', 'lmdb', 'uWebSockets.js', 'playwright-core', '@sparticuz/chromium', 'pino', 'pino-pretty']
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
]

const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"

/** A module goes on finding the files beside its source. */
const whereModulesAre: Plugin = {
  name: 'where modules are',
  setup({ onLoad }) {
    onLoad(
      { filter: new RegExp(`^${ROOT}(docs|eval|bench|clients|machines|actors|src|test)/.*\\.ts$`) },
      async ({ path }) => {
        const meta = JSON.stringify({ url: pathToFileURL(path).href, dirname: dirname(path) })
        return { loader: 'ts', contents: `const import_meta = ${meta};${await readFile(path, 'utf8')}` }
      },
    )
  },
}

async function buildInto(folder: string, files: readonly string[], more: BuildOptions): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...files],
    outdir: folder,
    outbase: ROOT,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL,
    define: { 'import.meta': 'import_meta' },
    plugins: [whereModulesAre],
    outExtension: { '.js': '.mjs' },
    // Packages in CommonJS ask for their neighbours by `require`.
    banner: { js: REQUIRE },
    logLevel: 'error',
    ...more,
  })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

/**
 * The service as it is now, in few files: it starts in a fourth of the time, and it stays what it is while a long
 * campaign runs. Resolves to its entry, which takes the arguments of `browser-task`.
 */
export async function buildService(folder: string): Promise<string> {
  const out = join(folder, 'service')
  await buildInto(out, ['src/cli.ts'], {})
  return builtName(out, join(ROOT, 'src/cli.ts'))
}

/**
 * Test files, and the programs that tests start, with all that they import: one that runs from here loads no compiler
 * and finds a few files instead of hundreds. Resolves to the folder, which is for `TEST_BUILD`.
 */
export async function buildTests(folder: string, files: readonly string[]): Promise<string> {
  const out = join(folder, 'test')
  await buildInto(out, [...files.filter((file) => !FROM_SOURCE.includes(file)), ...PROGRAMS], {
    conditions: ['development'],
    external: [...EXTERNAL, ...TEST_EXTERNAL],
  })
  return out
}
