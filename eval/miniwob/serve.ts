import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'
import { html, type Serve } from '../harness/site.ts'
import { pathOf } from '../harness/stage.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}

/**
 * The page starts its episode by itself, with a seed, and gives a solver the time that it needs. Its clock is no part of
 * the task.
 */
const started = (
  seed: number,
) => `<style>#reward-display { display: none !important }</style><script>addEventListener('load', () => {
core.EPISODE_MAX_TIME = 1e7
Math.seedrandom('seed-${seed}')
core.startEpisodeReal()
})</script>`

/** Serves one task of MiniWoB++ at `/`, with its files beside. */
export function serveMiniwob(root: string, name: string, seed: number): Serve {
  const page = readFileSync(join(root, 'miniwob', `${name}.html`), 'utf8')
  return (request, response) => {
    const path = pathOf(request)
    if (path === '/') {
      response.writeHead(302, { location: `/miniwob/${name}.html` }).end()
    } else if (path === `/miniwob/${name}.html`) {
      html(
        response,
        page.includes('</body>') ? page.replace('</body>', `${started(seed)}</body>`) : page + started(seed),
      )
    } else {
      const file = join(root, normalize(decodeURIComponent(path)))
      if (!file.startsWith(root) || !existsSync(file)) response.writeHead(404).end()
      else {
        response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
        createReadStream(file).pipe(response)
      }
    }
  }
}
