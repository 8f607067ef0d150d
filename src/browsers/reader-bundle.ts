import { build } from 'esbuild'

/** Bundles the script that runs in pages to the text of a function which answers a `Reader`. */
export async function bundleReader(): Promise<string> {
  const { dirname = '.' } = import.meta as ImportMeta & { readonly dirname?: string }
  const { outputFiles } = await build({
    absWorkingDir: dirname,
    entryPoints: ['page/reader/reader.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'exported',
    target: 'chrome125',
    minify: true,
    legalComments: 'none',
  })
  return `() => { ${outputFiles[0]?.text ?? ''}; return exported.createReader() }`
}
