import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { HttpDeps } from '../src/api/deps.ts'
import { routesOf } from '../src/api/handle.ts'
import { openApiOf } from '../src/api/openapi.ts'
import { pythonModelsOf, synchronous } from './python-models.ts'
import { type Document, typescriptOf } from './typescript-types.ts'

/**
 * `npm run sdk`: what the OpenAPI document gives to the clients. Types are kept in git, so that a change of the API is
 * read beside its cause; `npm run sdk -- --pack` builds `clients/typescript/dist`, which is not.
 */
const ROOT = fileURLToPath(new URL('.', import.meta.url))

/** The document of the present routes. */
export const documentOf = (): Document =>
  // Routes are listed, none is called.
  openApiOf(routesOf({} as HttpDeps), '0') as unknown as Document

/** Each generated file, as the present sources want it. */
export function generated(): ReadonlyMap<string, string> {
  const document = documentOf()
  const python = join(ROOT, 'python/src/browser_task_client')
  return new Map([
    [join(ROOT, 'typescript/src/api.ts'), typescriptOf(document)],
    [join(python, 'models.py'), pythonModelsOf(document)],
    [join(python, '_sync.py'), synchronous(readFileSync(join(python, '_async.py'), 'utf8'))],
  ])
}

/** Commander is a CommonJS module, which asks for `require`; its licence wants to be named. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
/* With commander, © 2011 TJ Holowaychuk, MIT licence. */`

/** The client as the sources of the command name it: beside the command, in the package. */
const CLIENT_BESIDE: Plugin = {
  name: 'client beside',
  setup({ onResolve }) {
    onResolve({ filter: /\/client\/index\.ts$/ }, () => ({ path: './index.js', external: true }))
  },
}

/** Builds the TypeScript client into a folder: one module for Node and browsers, its types, and its command for Node. */
export async function buildTypescript(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: ['src/cli/client-main.ts'],
    outfile: join(folder, 'browser-task.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    plugins: [CLIENT_BESIDE],
    banner: { js: BANNER },
    logLevel: 'error',
  })
  await build({
    absWorkingDir: join(ROOT, 'typescript'),
    entryPoints: ['src/index.ts'],
    outfile: join(folder, 'index.js'),
    bundle: true,
    // Names stay, for stacks.
    minifySyntax: true,
    minifyWhitespace: true,
    format: 'esm',
    target: ['node20', 'chrome116', 'firefox124', 'safari17.4'],
    logLevel: 'error',
  })
  const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url))
  execFileSync(tsc, ['-p', join(ROOT, 'typescript'), '--outDir', folder], { stdio: 'inherit' })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of generated()) if (readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
  if (process.argv.includes('--pack')) await buildTypescript(join(ROOT, 'typescript/dist'))
}
