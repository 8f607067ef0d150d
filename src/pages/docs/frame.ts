import type { Response } from '../../http/transport.ts'
import { type Html, html, page } from '../html.ts'

/** The pages of the docs that are written in the repository: [path, title, file, or a chapter of one]. */
export const WRITTEN = [
  ['/docs', 'Docs', 'README.md'],
  ['/docs/sdk', 'Client for programs', 'docs/sdk.md'],
  ['/docs/mcp', 'MCP', 'docs/mcp.md'],
  ['/docs/idempotency', 'Sending a request again', 'docs/idempotency.md'],
  ['/docs/errors', 'Errors and limits', 'docs/errors.md'],
  ['/docs/events', 'Events', 'docs/events.md'],
  ['/docs/output', 'Structured output', 'docs/output.md'],
  ['/docs/relay', 'Relay protocol', 'docs/relay.md'],
  ['/docs/durability', 'Durability', 'docs/durability.md'],
  ['/docs/webhooks', 'Webhooks', 'docs/webhooks.md'],
  ['/docs/configuration', 'Configuration', 'README.md#Configuration'],
  ['/docs/embedding', 'Pairing in your product', 'docs/embedding.md'],
  ['/docs/metrics', 'Metrics', 'docs/metrics.md'],
] as const
export const NAV = [
  ['/docs', 'Quick start'],
  ['/docs/api', 'API reference'],
  ...WRITTEN.slice(1).map(([path, title]) => [path, title] as const),
  ['/docs/machines', 'State machines'],
] as const

/** A page of the docs, beside the list of all of them. */
export function docsPage(title: string, path: string, content: Html): Response {
  const items = NAV.map(([to, name]) =>
    to === path
      ? html`<li><a href="${to}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${to}">${name}</a></li>`,
  )
  return page(
    title,
    html`<div class="docs"><nav aria-label="Docs"><ul>${items}</ul></nav><div class="text">${content}</div></div>`,
  )
}
