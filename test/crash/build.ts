import { cpSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Those with binaries, files or workers of their own. */
const EXTERNAL = ['lmdb', 'uWebSockets.js', 'playwright-core', '@sparticuz/chromium', 'pino', 'pino-pretty']

/**
 * The service as it is now, in few files: it starts in a fifth of the time, and it stays what it is while a long
 * campaign runs. Resolves to its entry, which takes the arguments of `browser-task`.
 */
export async function buildService(folder: string): Promise<string> {
  const out = join(folder, 'build', 'src')
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
    outExtension: { '.js': '.mjs' },
    // Packages in CommonJS ask for their neighbours by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
  })
  for (const folder of ['static', 'client']) {
    cpSync(join(ROOT, 'src/pages', folder), join(out, folder), { recursive: true })
  }
  cpSync(join(ROOT, 'package.json'), join(dirname(out), 'package.json'))
  for (const beside of ['README.md', 'docs', 'node_modules'])
    symlinkSync(join(ROOT, beside), join(dirname(out), beside))
  return join(out, 'cli.mjs')
}
