import type { Response } from '../../net/transport.ts'
import { type Html, html } from '../html.ts'
import { docsPage } from './frame.ts'
import type { Section } from './search.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly schema: Schema
}
interface Operation {
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly operationId: string
  readonly security: readonly unknown[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}
type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>
interface Document {
  readonly components?: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Said once for all routes that have them. */
const COMMON = new Set(['X-Workspace-Id', 'Idempotency-Key'])

/** One operation, where it is found. */
interface Entry {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function entriesOf(document: object): readonly Entry[] {
  return Object.entries((document as Document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

/** [P16] The operations as the search finds them. */
export const apiSections = (document: object): readonly Section[] =>
  entriesOf(document).map(({ path, method, operation: { operationId, summary, description } }) => ({
    address: `/docs/api#${operationId}`,
    title: `API: ${method.toUpperCase()} ${path}`,
    text: (description === summary ? summary : `${summary}. ${description}`).replaceAll('`', ''),
  }))

/** [P25] The reference of the API, made of its own OpenAPI document: every operation with its fields and examples. */
export function apiPage(document: object): Response {
  const { schemas } = (document as Document).components ?? { schemas: {} }
  const named: Named = ({ $ref }) => ($ref === undefined ? undefined : schemas[$ref.split('/').at(-1) ?? ''])
  const entries = entriesOf(document)
  const tags = [...new Set(entries.flatMap(({ operation }) => operation.tags))]
  const under = (tag: string) => entries.filter(({ operation }) => operation.tags.includes(tag))
  const index = tags.map(
    (tag) =>
      html`<div><p><strong>${tag}</strong></p><ul>${under(tag).map(
        ({ operation: { operationId, summary } }) => html`<li><a href="#${operationId}">${summary}</a></li>`,
      )}</ul></div>`,
  )
  const sections = tags.map(
    (tag) => html`<h2>${tag}</h2>
${under(tag).map((one) => operationOf(one, named))}`,
  )
  return docsPage(
    'API reference',
    '/docs/api',
    html`<p>Every route of this service, made of its machine-readable description: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<p>Send <code>Authorization: Bearer svc_live_…</code> with each request. With a session cookie instead, <code>X-Workspace-Id</code> says which of your workspaces is meant. Each POST takes an <a href="/docs/idempotency"><code>Idempotency-Key</code></a>. What is refused has <code>error</code> and <code>code</code>: <a href="/docs/errors">errors and limits</a>.</p>
<nav class="operations" aria-label="Routes">${index}</nav>
${sections}`,
  )
}

/** The schema that a reference names. */
type Named = (schema: Schema) => Schema | undefined

function operationOf({ path, method, operation }: Entry, named: Named): Html {
  const { summary, description, operationId, security, requestBody, responses } = operation
  const parameters = operation.parameters.filter(({ name }) => !COMMON.has(name))
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {})
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const schema = (content?.['application/json'] ?? Object.values(content ?? {})[0])?.schema
    return html`<tr><th scope="row">${status}</th><td>${status.startsWith('2') ? fields(schema, named) : html`<span class="quiet">${description}</span>`}</td></tr>`
  })
  return html`<section class="operation" aria-labelledby="${operationId}">
<h3 id="${operationId}">${summary}</h3>
<p><code><span class="method ${method}">${method.toUpperCase()}</span> ${path}</code></p>
<p>${description === summary ? null : description} <span class="quiet">${security.length > 0 ? 'Requires a key or a sign-in.' : 'No authentication required.'}</span></p>
${parameters.length === 0 ? null : html`<dl class="fields">${parameters.map(({ name, in: place, schema, description }) => field(name, `${typeOf(schema)}, in the ${place}`, description))}</dl>`}
${body === undefined ? null : html`<details><summary>Body</summary>${fields(body.schema, named)}</details>`}
<details><summary>Responses</summary><div class="table" role="region" aria-label="Responses of ${method} ${path}" tabindex="0"><table><tbody>${answers}</tbody></table></div></details>
<div class="examples">${code(`Request: ${operationId}`, curlOf({ path, method, operation }, type, body?.example, (body?.schema && named(body.schema)) ?? body?.schema))}
${answerOf(operationId, responses)}</div>
</section>`
}

const code = (label: string, text: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`

/** A command that asks for it, with the fields that are required, or all where none is. */
function curlOf({ path, method, operation }: Entry, type = '', example: unknown, schema?: Schema): string {
  const lines = [`curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} http://localhost:3456${path}`]
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $BROWSER_TASK_KEY"')
  if (type !== '' && type !== 'application/json') lines.push('--data-binary @file')
  else if (typeof example === 'object' && example !== null) {
    const required = Object.entries(example).filter(([name]) => schema?.required?.includes(name))
    const body = required.length > 0 ? Object.fromEntries(required) : example
    lines.push(`--json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  }
  return lines.join(' \\\n  ')
}

/** What the first success looks like. */
function answerOf(operationId: string, responses: Operation['responses']): Html | null {
  const [status, answer] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? []
  const example = answer?.content?.['application/json']?.example
  return example === undefined ? null : code(`Response ${status}: ${operationId}`, JSON.stringify(example, null, 2))
}

function fields(schema: Schema | undefined, named: Named): Html {
  const whole = schema && (named(schema) ?? schema)
  const object = whole?.anyOf?.map((one) => named(one) ?? one).find(({ properties }) => properties) ?? whole
  if (object?.properties === undefined) return html`<p>${typeOf(object ?? {})}</p>`
  const { properties, required = [] } = object
  return html`<dl class="fields">${Object.entries(properties).map(([name, inner]) =>
    field(name, `${typeOf(inner)}${required.includes(name) ? '' : ', optional'}`, inner.description),
  )}</dl>`
}

const field = (name: string, type: string, description?: string): Html =>
  html`<div><dt><code>${name}</code></dt><dd>${type}${description === undefined ? null : html`: ${description}`}</dd></div>`

/** A type in a few words. */
function typeOf(schema: Schema): string {
  const { type, anyOf, items, const: constant, format, maxLength } = schema
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? ''
  if (items) return `list of ${typeOf(items)}`
  const name = typeof type === 'string' ? type : (type?.join(' or ') ?? 'anything')
  return `${format ?? name}${maxLength === undefined ? '' : `, at most ${maxLength} characters`}`
}
