import { readdir, readFile } from 'node:fs/promises'
import { once } from '../../config/once.ts'
import type { Request, Response } from '../../net/transport.ts'
import { ENDPOINT, KEY, RECIPE, SESSION, TASK } from '../../wire/example-values.ts'
import { accountMenu } from '../dashboard/frame.ts'
import type { InspectorPort, PagesDeps } from '../deps.ts'
import { type Html, html, redirect, trusted } from '../html.ts'
import { markdown } from '../markdown.ts'
import { get, type PageRoute } from '../page-route.ts'
import { dashboardUser } from '../viewer.ts'
import { apiPage, apiSections, exampleRequest } from './api.ts'
import { errorSections, errorTables } from './errors.ts'
import { docsPage, SIGN_IN, WRITTEN } from './frame.ts'
import { searchPage, sectionsOf } from './search.ts'

const ROOT = new URL('../../../', import.meta.url)

/** Where the repository has no README, this has to do. */
const QUICK_START = `# Quick start
1. Get a pairing link: \`POST /v1/browser-sessions/pair\` with your key as \`Authorization: Bearer svc_live_…\`.
2. Pair a browser: \`npx -y <url>/clients/browser-task-service.tgz browser --service <url> --token <pairing token>\`.
3. Start a task: \`POST /v1/tasks\` with \`{"task": "…", "browser_session_id": "…"}\`, or \`"browser": {"pool": "default"}\` in its place.
4. Watch it: \`GET /v1/tasks/<id>\`.
`

const NOT_HERE = 'This document is not included in this installation.\n'

export interface DocsDeps extends Pick<PagesDeps, 'accounts' | 'store' | 'sessions' | 'production' | 'archives'> {
  readonly inspector: Pick<InspectorPort, 'names' | 'svg' | 'sentences'>
  readonly openApi: () => object
  readonly errors: PagesDeps['errors']
}

/**
 * [P1] The documents of the repository, the reference of the API, and the machines' drawings. Files are read at the start, and made into
 * pages when they are first asked for: that would take a third of the CPU time of a start.
 */
export async function docsRoutes(deps: DocsDeps, root: URL = ROOT): Promise<readonly PageRoute[]> {
  const images = await imagesIn(root)
  const written = await Promise.all(
    WRITTEN.map(async ([path, title, file]) => {
      const source =
        (await readFile(new URL(file, root), 'utf8').catch(() => null)) ?? (path === '/docs' ? QUICK_START : NOT_HERE)
      // What is one document's title is the page's.
      return { path, title, file, text: source.replace(/^# .*\n/, '') }
    }),
  )
  const pages = written.map(({ path, title, file, text }) => {
    const page = once(() => {
      const readme = path === '/docs'
      const end = readme
        ? html`<p>The whole API as OpenAPI 3.1: <a href="/openapi.json">/openapi.json</a></p>`
        : path === '/docs/errors'
          ? errorTables(deps.errors())
          : null
      const toHtml = (source: string) => markdown(source, { lower: 0, linkTo: linksFrom(file, images) })
      if (!readme) return docsPage(title, path, html`${toHtml(text)}${end}`)
      // The first thing that is read after what the service is: a call of it, and where one goes from there.
      const rest = Math.max(text.search(/^## /m), 0)
      const call = exampleRequest(deps.openApi(), 'createTask')
      return docsPage(
        title,
        path,
        html`${toHtml(text.slice(0, rest))}${call}${cards()}${toHtml(text.slice(rest))}${end}`,
      )
    })
    return get(path, (request) => forReader(request, page(), deps))
  })
  const api = once(() => apiPage(deps.openApi(), deps.archives.names))
  const sections = once(() => [
    ...apiSections(deps.openApi()),
    ...errorSections(deps.errors()),
    ...written.flatMap(({ path, title, text }) => sectionsOf(path, title, text)),
  ])
  const image = get('/docs/images/:name', async (_, name = '') => {
    const bytes = images.has(name) ? await readFile(new URL(`docs/images/${name}`, root)) : null
    return bytes && { status: 200, headers: IMAGE_HEADERS, body: bytes }
  })
  const search = get('/docs/search', (request) => forReader(request, searchPage(request, sections()), deps))
  return [
    ...pages,
    search,
    image,
    get('/docs/api', (request) => forReader(request, api(), deps)),
    // Its name in the first two versions.
    get('/docs/configuration', () => redirect('/docs/settings')),
    get('/docs/machines', async (request) => forReader(request, await machinesPage(deps.inspector), deps)),
  ]
}

/** The ids of the examples that a reader may have of their own. */
const EXAMPLE_IDS = { task: TASK, browser: SESSION, key: KEY, endpoint: ENDPOINT, recipe: RECIPE }

/**
 * [P25] The page for who is signed in, with their account in its header: its script puts their own ids, which it asks the API for, in the
 * place of those of the examples.
 */
async function forReader(request: Request, page: Response, deps: DocsDeps): Promise<Response> {
  const viewer = await dashboardUser(request, deps)
  const workspace = viewer?.workspaces[0]
  if (!viewer || !workspace) return page
  const reader = html`data-workspace="${workspace.id}" data-examples="${JSON.stringify(EXAMPLE_IDS)}"`
  const body = String(page.body)
    .replace(SIGN_IN.text, () => accountMenu(viewer, workspace).text)
    .replace('<div class="docs', () => `<div ${reader.text} class="docs`)
  return { ...page, body }
}

const IMAGE_HEADERS: Response['headers'] = [
  ['Content-Type', 'image/png'],
  ['Cache-Control', 'max-age=3600'],
  ['X-Content-Type-Options', 'nosniff'],
]

/** Where a reader of the first page goes from there. */
const GUIDES = [
  ['/docs/start', 'Start a task and wait', 'One request, and its answer'],
  ['/docs/events', 'Follow a task', 'Each step as it happens'],
  ['/docs/questions', 'Questions and approvals', 'When a person has to decide'],
  ['/docs/webhooks', 'Webhooks', 'Signed events at your own URL'],
  ['/docs/sdk', 'SDKs', 'TypeScript and Python'],
  ['/docs/api', 'API reference', 'Every operation, with examples'],
] as const

const cards = (): Html =>
  html`<nav class="guides" aria-label="Guides">${GUIDES.map(
    ([path, title, words]) => html`<a href="${path}"><strong>${title}</strong><span class="quiet">${words}</span></a>`,
  )}</nav>`

/** The names of the pictures that the docs may show. */
async function imagesIn(root: URL): Promise<ReadonlySet<string>> {
  const names = await readdir(new URL('docs/images/', root)).catch(() => [])
  return new Set(names.filter((name) => name.endsWith('.png')))
}

/** Where a document's links to files of the repository lead: to their pages, if they have any. */
function linksFrom(file: string, images: ReadonlySet<string>) {
  const pages = new Map<string, string>(WRITTEN.map(([path, , of]) => [of, path]))
  return (target: string): string | null => {
    const { pathname, hash } = new URL(target, `http://docs/${file}`)
    const name = pathname.slice(1)
    const image = name.replace(/^docs\/images\//, '')
    if (image !== name && images.has(image)) return `/docs/images/${image}`
    const page = pages.get(name)
    return page === undefined ? null : `${page}${hash}`
  }
}

async function machinesPage({ names, svg, sentences }: DocsDeps['inspector']): Promise<Response> {
  const all = await sentences()
  const machines = await Promise.all(names.map(async (name) => ({ name, drawing: (await svg(name)) ?? '' })))
  return docsPage(
    'State machines',
    '/docs/machines',
    html`<p>Every actor of the service runs one of these statecharts, which are drawn from the code. The <a href="/inspector">inspector</a> shows them live.</p>
${machines.map(
  ({ name, drawing }) => html`<h2 id="${name}">${name}</h2>
<p>${all[name]?.about ?? null}</p>
<div class="drawing" tabindex="0" role="region" aria-label="Drawing of ${name}">${trusted(drawing)}</div>
${PARTS.map(([title, part]) => wordList(name, title, all[name]?.[part] ?? {}))}`,
)}`,
  )
}

const PARTS = [
  ['States', 'states'],
  ['Events', 'events'],
  ['Guards', 'guards'],
] as const

function wordList(name: string, title: string, sentences: Readonly<Record<string, string>>): Html {
  const items = Object.entries(sentences)
  if (items.length === 0) return html``
  return html`<details><summary>${title} of ${name}</summary>
<dl class="fields">${items.map(([each, words]) => html`<div><dt><code>${each}</code></dt><dd>${words}</dd></div>`)}</dl></details>`
}
