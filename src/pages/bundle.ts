import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** What is behind `/static/client/<name>.js`. */
const ENTRIES = { dashboard: 'dashboard.tsx', forms: 'forms.ts', inspector: 'inspector.tsx' }

/** The modules of the pages as browsers get them, by their names. */
export async function bundleClient(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('client/', import.meta.url)),
    entryPoints: ENTRIES,
    outdir: 'out',
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
  })
  return new Map(outputFiles.map(({ path, contents }) => [path.replace(/^.*[\\/]/, ''), contents]))
}
