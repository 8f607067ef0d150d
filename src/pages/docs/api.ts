import type { Response } from '../../http/transport.ts'
import { type Html, html } from '../html.ts'
import { docsPage } from './frame.ts'

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
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
    >
  >
}
interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** The reference of the API, made of its own OpenAPI document. */
export function apiPage(document: object): Response {
  const { paths, components } = document as Document
  const named: Named = ({ $ref }) => ($ref === undefined ? undefined : components.schemas[$ref.split('/').at(-1) ?? ''])
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))]
  const sections = tags.map((tag) => {
    const those = operations.filter(({ operation }) => operation.tags.includes(tag))
    return html`<h2>${tag}</h2>
${those.map((one) => operationOf(one, named))}`
  })
  return docsPage(
    'API reference',
    '/docs/api',
    html`<p>Every route of this service. Machine-readable version: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
${sections}`,
  )
}

/** The schema that a reference names. */
type Named = (schema: Schema) => Schema | undefined

function operationOf(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  named: Named,
): Html {
  const { summary, description, operationId, security, parameters, requestBody, responses } = operation
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const schema = (content?.['application/json'] ?? Object.values(content ?? {})[0])?.schema
    return html`<tr><th scope="row">${status}</th><td>${status.startsWith('2') ? fields(schema, named) : html`<span class="quiet">${description}</span>`}</td></tr>`
  })
  return html`<section class="operation" aria-labelledby="${operationId}">
<h3 id="${operationId}"><code><span class="method ${method}">${method.toUpperCase()}</span> ${path}</code></h3>
<p>${summary}. ${description === summary ? null : description} <span class="quiet">${security.length > 0 ? 'Requires a key or a sign-in.' : 'No authentication required.'}</span></p>
${parameters.length === 0 ? null : html`<dl class="fields">${parameters.map(({ name, in: place, schema, description }) => field(name, `${typeOf(schema)}, in the ${place}`, description))}</dl>`}
${body === undefined ? null : html`<h4>Body</h4>${fields(body, named)}`}
<details><summary>Responses</summary><div class="table" role="region" aria-label="Responses of ${method} ${path}" tabindex="0"><table><tbody>${answers}</tbody></table></div></details>
</section>`
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
