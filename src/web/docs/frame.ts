import type { Response } from '../../net/transport.ts'
import { type Html, html, page } from '../html.ts'

/** The pages of the docs that are written in the repository: [path, title, file]. */
export const WRITTEN = [
  ['/docs', 'Docs', 'README.md'],
  ['/docs/start', 'Start a task and wait', 'docs/start.md'],
  ['/docs/events', 'Follow a task', 'docs/events.md'],
  ['/docs/output', 'Answers as data', 'docs/output.md'],
  ['/docs/questions', 'Questions and approvals', 'docs/questions.md'],
  ['/docs/webhooks', 'Webhooks', 'docs/webhooks.md'],
  ['/docs/sdk', 'Client for programs', 'docs/sdk.md'],
  ['/docs/browsers', 'Browsers on call', 'docs/browsers.md'],
  ['/docs/mcp', 'MCP', 'docs/mcp.md'],
  ['/docs/idempotency', 'Sending a request again', 'docs/idempotency.md'],
  ['/docs/errors', 'Errors and limits', 'docs/errors.md'],
  ['/docs/files', 'Files', 'docs/files.md'],
  ['/docs/budgets', 'Budgets', 'docs/budgets.md'],
  ['/docs/trust', 'Trust', 'docs/trust.md'],
  ['/docs/extension', 'Browser extension', 'docs/extension.md'],
  ['/docs/agent', 'How a task is carried out', 'docs/agent.md'],
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

export const NAV = [
  ['/docs', 'Quick start'],
  ['/docs/api', 'API reference'],
  ...WRITTEN.slice(1).map(([path, title]) => [path, title] as const),
  ['/docs/machines', 'State machines'],
] as const

/** A page of the docs, beside the list of all of them. */
export function docsPage(title: string, path: string, content: Html, asked = ''): Response {
  const items = NAV.map(([to, name]) =>
    to === path
      ? html`<li><a href="${to}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${to}">${name}</a></li>`,
  )
  return page(
    title,
    html`<div class="docs"><div class="side"><search><form class="find" action="/docs/search"><label for="q">Search the docs<input id="q" name="q" type="search" value="${asked}" maxlength="200"></label></form></search>
<p class="to-topics"><a href="#topics">All topics</a></p>
<nav id="topics" aria-label="Docs"><ul>${items}</ul></nav></div><div class="text">${content}</div></div>`,
  )
}
