// Teaches Node to read TypeScript as it is written: `node --import ./src/typescript.js file.ts`. Types are taken away and
// nothing else is changed; tsx, which the tests run with, also gives every function its name at run time, and that cost
// a tenth of each step (docs/decisions/0001-typescript-as-it-is-written.md).
import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

// The options that change what a file means; the same as in tsconfig.json, which a package may lie without.
const OPTIONS = {
  loader: 'ts',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  // Node reads a source itself when it shows a line of it.
  sourcesContent: false,
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } },
}

// Node loads this file a second time, on the thread where it runs the hook.
if (isMainThread) {
  process.setSourceMapsEnabled(true)
  register(import.meta.url)
}

/** Node's hook: the source of a module. */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !/\.m?ts(?:\?|$)/.test(url)) return next(url, context)
  const file = fileURLToPath(url)
  const { transform } = await import('esbuild')
  const { code } = await transform(readFileSync(file, 'utf8'), { ...OPTIONS, sourcefile: file })
  return { format: 'module', source: code, shortCircuit: true }
}
