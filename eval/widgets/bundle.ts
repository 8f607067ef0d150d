import { build } from 'esbuild'
import { WIDGETS_ROOT } from '../harness/cache.ts'
import { html, type Serve } from '../harness/site.ts'
import { pathOf } from '../harness/stage.ts'

interface Bundle {
  readonly js: string
  readonly css: string
}

/** A page's script with the libraries that it imports, and their styles. */
async function bundle(script: string): Promise<Bundle> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: WIDGETS_ROOT, loader: 'jsx' },
    bundle: true,
    write: false,
    outdir: '/out',
    format: 'esm',
    jsx: 'automatic',
    minify: true,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'dataurl', '.png': 'dataurl', '.woff': 'dataurl', '.woff2': 'dataurl' },
  })
  const text = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return { js: text('.js'), css: text('.css') }
}

/** Serves a page whose script is bundled when it is first asked for. */
export function serveWidget(page: string, script: string): Serve {
  let built: Promise<Bundle> | null = null
  return async (request, response) => {
    built ??= bundle(script)
    const path = pathOf(request)
    if (path === '/') {
      html(
        response,
        `<!doctype html><meta charset="utf-8"><title>Widget</title><link rel="stylesheet" href="/app.css">
<style>body{font:16px sans-serif;margin:20px;max-width:700px}</style>${page}<script type="module" src="/app.js"></script>`,
      )
    } else if (path === '/app.js') {
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end((await built).js)
    } else if (path === '/app.css') {
      response.writeHead(200, { 'content-type': 'text/css; charset=utf-8' }).end((await built).css)
    } else response.writeHead(404).end()
  }
}
