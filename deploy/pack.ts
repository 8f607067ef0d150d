import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { zipExtension } from '../src/extension/build/build.ts'
import { buildParts, PACKED_READER } from './parts.ts'

/**
 * `npm pack` runs this first: dist/service gets all that the published package runs, so that it needs no compiler and no
 * TypeScript. The service in a few files, and what is sent to browsers and threads.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = join(ROOT, 'dist/service')

/** A module goes on finding the files beside its source, which are in the package, too. */
const whereModulesAre: Plugin = {
  name: 'where modules are',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = path.endsWith('reader-source.ts') ? PACKED_READER : await readFile(path, 'utf8')
      const place = `{ url: new URL(${JSON.stringify(relative(OUT, path))}, builtAt).href }`
      return {
        loader: 'ts',
        contents: source.includes('import.meta') ? `const import_meta = ${place};${source}` : source,
      }
    })
  },
}

await rm(OUT, { recursive: true, force: true })
await build({
  absWorkingDir: ROOT,
  entryPoints: ['src/cli.ts'],
  outdir: OUT,
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
const files = new Map([...(await buildParts()), ['extension.zip', await zipExtension(true)] as const])
await mkdir(join(OUT, 'pages'), { recursive: true })
await Promise.all([...files].map(([name, content]) => writeFile(join(OUT, name), content)))
