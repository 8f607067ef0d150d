import { fileURLToPath } from 'node:url'
import { packed } from '../packed.ts'

/** What is behind `/static/client/<name>.js`. */
const ENTRIES = {
  tasks: 'tasks.tsx',
  task: 'task.tsx',
  settings: 'settings.tsx',
  inspector: 'inspector.tsx',
  shared: 'shared.tsx',
  docs: 'docs.ts',
  copy: 'copy.ts',
}

/** The modules of the pages as browsers get them, by their names. */
export async function bundleClient(): Promise<ReadonlyMap<string, Uint8Array>> {
  const names = Object.keys(ENTRIES).map((name) => `${name}.js`)
  const files = await Promise.all(names.map(async (name) => [name, await packed(`pages/${name}`)] as const))
  const built = files.flatMap(([name, bytes]) => (bytes === null ? [] : [[name, bytes] as const]))
  if (built.length > 0) return new Map(built)
  const { build } = await import('esbuild')
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
