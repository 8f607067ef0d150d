import { createHash } from 'node:crypto'
import { MINUTE_MS } from '../../machines/limits.ts'
import { Windows } from '../net/windows.ts'
import type { PagesDeps } from './deps.ts'
import { html, page } from './html.ts'
import { get, type PageRoute } from './page-route.ts'

/** What can be installed from this service, by its name in the address. */
export interface ArchivesPort {
  readonly names: { readonly typescript: string; readonly python: string; readonly service: string }
  /** All of them. Rejects where they cannot be built. */
  read(): Promise<ReadonlyMap<string, Uint8Array>>
}

/** For each address. A package manager asks for one archive once or twice. */
const DOWNLOADS_PER_MINUTE_MAX = 30

interface Archive {
  readonly bytes: Uint8Array
  readonly etag: string
}

type Deps = Pick<PagesDeps, 'archives' | 'clock' | 'requestOriginOf' | 'refuse' | 'log'>

/**
 * [P45] The clients and the service as archives, of the version that runs, for npm and pip: `/clients` says how. They are
 * read, and in a checkout built, once, when the first of them is asked for.
 */
export function archiveRoutes({ archives, clock, requestOriginOf, refuse, log }: Deps): readonly PageRoute[] {
  const downloads = new Windows(MINUTE_MS, DOWNLOADS_PER_MINUTE_MAX)
  const known = new Set<string>(Object.values(archives.names))
  let reading: Promise<ReadonlyMap<string, Archive>> | null = null
  const read = () => {
    reading ??= archives.read().then((files) => new Map([...files].map(([name, bytes]) => [name, archiveOf(bytes)])))
    reading.catch(() => {
      reading = null
    })
    return reading
  }
  return [
    get('/clients', (request) => listPage(requestOriginOf(request).origin, archives.names)),
    get('/clients/', (request) => listPage(requestOriginOf(request).origin, archives.names)),
    get('/clients/:name', async (request, name = '') => {
      if (!known.has(name)) return null
      if (!downloads.takes(requestOriginOf(request).address, clock.now())) return refuse('too_many_downloads')
      const found = await read().catch((err) => {
        log.error({ err }, 'the archives of the clients could not be built')
        return null
      })
      const archive = found?.get(name)
      if (archive === undefined) return refuse('archives_not_built')
      const headers = [
        ['ETag', archive.etag],
        ['Cache-Control', 'public, max-age=300'],
        ['X-Content-Type-Options', 'nosniff'],
      ] as const
      if (request.headers['if-none-match'] === archive.etag) return { status: 304, headers, body: null }
      const type = ['Content-Type', name.endsWith('.tgz') ? 'application/gzip' : 'application/zip'] as const
      return { status: 200, headers: [type, ...headers], body: archive.bytes }
    }),
  ]
}

const archiveOf = (bytes: Uint8Array): Archive => ({
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
})

const listPage = (origin: string, { typescript, python, service }: ArchivesPort['names']) =>
  page(
    'Install',
    html`<p>The clients of this service and the service itself, of the version that runs here. They are in no public registry: a package of such a name there is not ours.</p>
<h2>TypeScript and JavaScript</h2>
<pre><code>npm install ${origin}/clients/${typescript}</code></pre>
<h2>Python</h2>
<pre><code>pip install ${origin}/clients/${python}</code></pre>
<h2>Command line</h2>
<pre><code>npx -y ${origin}/clients/browser-task-client.tgz run "…" --service ${origin} --pool default</code></pre>
<p>It reads the key from <code>BROWSER_TASK_KEY</code>. <code>--help</code> names all commands.</p>
<h2>A browser, or a service of your own</h2>
<pre><code>npx -y ${origin}/clients/browser-task-service.tgz browser --service ${origin} --token …
npm install ${origin}/clients/${service}</code></pre>
<p><a href="/docs/sdk">SDKs</a> · <a href="/docs/publishing">Publish the clients</a></p>`,
    { narrow: true, stranger: true },
  )
