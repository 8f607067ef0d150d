import { build } from 'esbuild'

/** Bundles the script that reads documents to the text of a function which answers a `Reader`. */
export const bundleReader = (): Promise<string> => bundle('reader', 'createReader', true)

/** The same for PDFs: a `PdfReader`. It is large: to make it small takes seconds. */
export const bundlePdfReader = (isSmall: boolean): Promise<string> => bundle('pdf', 'createPdfReader', isSmall)

/** The same for other files: an `OfficeReader`. */
export const bundleOfficeReader = (): Promise<string> => bundle('office', 'createOfficeReader', true)

async function bundle(name: string, creates: string, minify: boolean): Promise<string> {
  const { dirname = '.' } = import.meta as ImportMeta & { readonly dirname?: string }
  const { outputFiles } = await build({
    absWorkingDir: dirname,
    entryPoints: [`read/${name}.ts`],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'exported',
    target: 'chrome125',
    minify,
    legalComments: 'none',
  })
  return `() => { ${outputFiles[0]?.text ?? ''}; return exported.${creates}() }`
}
