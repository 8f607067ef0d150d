import { symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Those with binaries, files or workers of their own. */
const EXTERNAL = ['esbuild', 'lmdb', 'uWebSockets.js', 'playwright-core', '@sparticuz/chromium', 'pino', 'pino-pretty']

/** A module of the service goes on finding the files beside it. */
const whereModulesAre: Plugin = {
  name: 'where modules are',
  setup({ onLoad }) {
    onLoad({ filter: new RegExp(`^${ROOT}src/.*\\.ts$`) }, async ({ path }) => {
      const meta = JSON.stringify({ url: pathToFileURL(path).href, dirname: dirname(path) })
      return { loader: 'ts', contents: (await readFile(path, 'utf8')).replaceAll('import.meta', `(${meta})`) }
    })
  },
}

/**
 * The service as it is now, in few files: it starts in a fourth of the time, and it stays what it is while a long
 * campaign runs. Resolves to its entry, which takes the arguments of `browser-task`.
 */
export async function buildService(folder: string): Promise<string> {
  const out = join(folder, 'service')
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/cli.ts'],
    outdir: out,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL,
    plugins: [whereModulesAre],
    outExtension: { '.js': '.mjs' },
    // Packages in CommonJS ask for their neighbours by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
  })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(out, 'cli.mjs')
}

/** What tests start as `browser-task`: the build that the test runner has made for all of its files, else the source. */
export const ENTRY = process.env.SERVICE_BUILD ?? join(ROOT, 'src/browser-task.js')
