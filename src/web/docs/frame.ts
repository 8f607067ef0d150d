import type { Response } from '../../net/transport.ts'
import { type Html, html, page, trusted } from '../html.ts'

/** The pages of the docs that are written in the repository: [path, title, file]. */
export const WRITTEN = [
  ['/docs', 'Start', 'README.md'],
  ['/docs/start', 'Start a task and wait', 'docs/start.md'],
  ['/docs/events', 'Follow a task', 'docs/events.md'],
  ['/docs/output', 'Answers as data', 'docs/output.md'],
  ['/docs/questions', 'Questions and approvals', 'docs/questions.md'],
  ['/docs/webhooks', 'Webhooks', 'docs/webhooks.md'],
  ['/docs/sdk', 'SDKs', 'docs/sdk.md'],
  ['/docs/browsers', 'Browsers on call', 'docs/browsers.md'],
  ['/docs/recipes', 'Recipes', 'docs/recipes.md'],
  ['/docs/mcp', 'MCP', 'docs/mcp.md'],
  ['/docs/idempotency', 'Idempotency', 'docs/idempotency.md'],
  ['/docs/errors', 'Errors and limits', 'docs/errors.md'],
  ['/docs/files', 'Files', 'docs/files.md'],
  ['/docs/budgets', 'Budgets', 'docs/budgets.md'],
  ['/docs/trust', 'Trust', 'docs/trust.md'],
  ['/docs/extension', 'Browser extension', 'docs/extension.md'],
  ['/docs/agent', 'How a task is carried out', 'docs/agent.md'],
  ['/docs/browser', 'The browser half', 'docs/browser.md'],
  ['/docs/relay', 'Relay protocol', 'docs/relay.md'],
  ['/docs/durability', 'Durability', 'docs/durability.md'],
  ['/docs/settings', 'Settings and commands', 'docs/settings.md'],
  ['/docs/embedding', 'Pairing in your product', 'docs/embedding.md'],
  ['/docs/inspector', 'Inspector', 'docs/inspector.md'],
  ['/docs/metrics', 'Metrics', 'docs/metrics.md'],
  ['/docs/tracing', 'Traces', 'docs/tracing.md'],
  ['/docs/operations', 'Operation', 'docs/operations.md'],
  ['/docs/growth', 'More than one node', 'docs/growth.md'],
  ['/docs/security', 'Security', 'docs/security.md'],
  ['/docs/map', 'Where everything is', 'docs/map.md'],
  ['/docs/extending', 'Extending the service', 'docs/extending.md'],
  ['/docs/publishing', 'Publishing the clients', 'docs/publishing.md'],
  ['/docs/spec-rules', 'Numbered rules', 'docs/spec-rules.md'],
  ['/docs/bench', 'Performance', 'docs/bench.md'],
  ['/docs/eval', 'How well tasks are done', 'docs/eval.md'],
] as const
/** How many of them, at the beginning, are for those who use the API. */
const FOR_INTEGRATORS = WRITTEN.findIndex(([path]) => path === '/docs/extension')

/** [P36] What programs that read the docs begin with (llmstxt.org): the routes first, then the pages for integrators. */
export const LLMS_TXT = `# Browser Task Service

> Say in plain language what should be done on the web, and have it done in a person's own browser. POST /v1/tasks with a key (Authorization: Bearer svc_live_…) starts a task in a paired browser; GET /v1/tasks/{id}?wait_s=60 waits for its end.

## API

- [OpenAPI document](/openapi.json): every route, field, error and event
- [API reference](/docs/api)

## Use it

${WRITTEN.slice(0, FOR_INTEGRATORS)
  .map(([path, title]) => `- [${title}](${path})`)
  .join('\n')}

## Operate and build it

${WRITTEN.slice(FOR_INTEGRATORS)
  .map(([path, title]) => `- [${title}](${path})`)
  .join('\n')}
`

/** All pages in the order in which they are read, by what they are for. */
const PARTS: readonly (readonly [name: string, pages: readonly (readonly [path: string, title: string])[]])[] = [
  [
    'Use',
    [
      ['/docs', 'Start'],
      ['/docs/api', 'API reference'],
      ...WRITTEN.slice(1, FOR_INTEGRATORS).map(([path, title]) => [path, title] as const),
    ],
  ],
  [
    'Operate and build',
    [
      ...WRITTEN.slice(FOR_INTEGRATORS).map(([path, title]) => [path, title] as const),
      ['/docs/machines', 'State machines'],
    ],
  ],
]
const ORDER = PARTS.flatMap(([, pages]) => [...pages])

export interface DocsOptions {
  /** What is searched for. */
  readonly asked?: string
  /** Stands in the place of the list of all pages. */
  readonly nav?: Html
}

/** A page of the docs, beside the list of all of them: its contents, and the pages before and after it. */
export function docsPage(title: string, path: string, content: Html, { asked = '', nav }: DocsOptions = {}): Response {
  const headings = nav === undefined ? headingsOf(content) : []
  const list = html`<p>On this page</p><ul>${headings.map(([id, words]) => html`<li><a href="#${id}">${words}</a></li>`)}</ul>`
  const [part] = PARTS.find(([, pages]) => pages.some(([to]) => to === path)) ?? []
  const around = (article: Html) => html`<div class="docs${nav === undefined ? '' : ' reference'}">
<div class="side"><search><form class="find" action="/docs/search"><label for="q"><span class="hidden">Search the docs</span><input id="q" name="q" type="search" placeholder="Search (/)" value="${asked}" maxlength="200" aria-keyshortcuts="/"></label></form></search>
<button type="button" class="plain" popovertarget="topics">Contents</button>
<nav id="topics" aria-label="Docs" popover>${headings.length === 0 ? null : html`<div class="here">${list}</div>`}${nav ?? topics(path)}</nav></div>
<div class="text">${part === undefined ? null : html`<p class="part">${part}</p>`}
${article}${pager(path)}</div>
${headings.length === 0 ? null : html`<nav class="contents" aria-label="Contents of this page">${list}</nav>`}
</div>`
  return page(title, content, { around, script: 'docs.js', wide: nav !== undefined, area: '/docs', account: SIGN_IN })
}

/** What the header offers a stranger. */
export const SIGN_IN = html`<a class="sign-in" href="/dashboard">Sign in</a>`

const topics = (path: string): readonly Html[] =>
  PARTS.map(
    ([name, pages]) =>
      html`<p>${name}</p><ul>${pages.map(([to, label]) =>
        to === path
          ? html`<li><a href="${to}" aria-current="page">${label}</a></li>`
          : html`<li><a href="${to}">${label}</a></li>`,
      )}</ul>`,
  )

/** The highest headings of a page, by their ids. */
function headingsOf({ text }: Html): (readonly [id: string, words: Html])[] {
  const headings = [...text.matchAll(/<h([23]) id="([^"]+)">(.*?)<\/h\1>/g)]
  const top = Math.min(...headings.map(([, level]) => Number(level)))
  const highest = headings.filter(([, level]) => Number(level) === top)
  return highest.map(([, , id = '', words = '']) => [id, trusted(words.replace(/<\/?a\b[^>]*>/g, ''))])
}

/** The pages before and after this one; none for a page that is not in the list, such as a search. */
function pager(path: string): Html | null {
  const at = ORDER.findIndex(([to]) => to === path)
  if (at < 0) return null
  const [before, after] = [ORDER[at - 1], ORDER[at + 1]]
  return html`
<nav class="pager" aria-label="Previous and next page">
${before === undefined ? null : html`<a rel="prev" href="${before[0]}"><span class="quiet">Previous</span> ${before[1]}</a>`}
${after === undefined ? null : html`<a rel="next" href="${after[0]}"><span class="quiet">Next</span> ${after[1]}</a>`}
</nav>`
}
