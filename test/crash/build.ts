import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Those with binaries, files or workers of their own. */
const EXTERNAL = ['lmdb', 'uWebSockets.js', 'playwright-core', '@sparticuz/chromium', 'pino', 'pino-pretty', 'elkjs']

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
  mkdirSync(join(out, 'static'), { recursive: true })
  cpSync(join(ROOT, 'src/pages/static'), join(out, 'static'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(dirname(out), 'package.json'))
  cpSync(join(ROOT, 'README.md'), join(dirname(out), 'README.md'))
  symlinkSync(join(ROOT, 'node_modules'), join(dirname(out), 'node_modules'))
  return join(out, 'cli.mjs')
}
