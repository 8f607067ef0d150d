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
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly description?: string
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly required?: boolean
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

/** What an operation does, as an order: `listTasks` is `List tasks`. */
function titleOf({ operation: { operationId } }: Entry): string {
  const words = operationId.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replaceAll(/\bapi\b/g, 'API')
}

/** [P16] The operations as the search finds them. */
export const apiSections = (document: object): readonly Section[] =>
  entriesOf(document).map((entry) => {
    const { path, method, operation } = entry
    const { operationId, summary, description } = operation
    return {
      address: `/docs/api#${operationId}`,
      title: `API: ${titleOf(entry)}, ${method.toUpperCase()} ${path}`,
      text: (description === summary ? summary : `${summary}. ${description}`).replaceAll('`', ''),
    }
  })

/** [P25] The reference of the API, made of its own OpenAPI document: every operation with examples, and every type once. */
export function apiPage(document: object): Response {
  const { schemas } = (document as Document).components ?? { schemas: {} }
  const named: Named = ({ $ref }) => ($ref === undefined ? undefined : schemas[nameOf($ref)])
  const entries = entriesOf(document)
  const tags = [...new Set(entries.flatMap(({ operation }) => operation.tags))]
  const under = (tag: string) => entries.filter(({ operation }) => operation.tags.includes(tag))
  const index = tags.map(
    (tag) =>
      html`<div><p><strong>${tag}</strong></p><ul>${under(tag).map(
        (entry) => html`<li><a href="#${entry.operation.operationId}">${titleOf(entry)}</a></li>`,
      )}</ul></div>`,
  )
  const sections = tags.map(
    (tag) => html`<h2 id="${idOf(tag)}">${tag}</h2>
${under(tag).map((one) => operationOf(one, named))}`,
  )
  const types = Object.entries(schemas).map(
    ([name, schema]) => html`<section class="type" aria-labelledby="type-${name}"><h3 id="type-${name}">${name}</h3>
${schema.description === undefined ? null : html`<p>${schema.description}</p>`}${fields(schema, named)}</section>`,
  )
  return docsPage(
    'API reference',
    '/docs/api',
    html`<p>Every route of this service, generated from its OpenAPI document: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<p>Send <code>Authorization: Bearer svc_live_…</code> with each request. With a session cookie instead, <code>X-Workspace-Id</code> says which of your workspaces is meant. Each POST takes an <a href="/docs/idempotency"><code>Idempotency-Key</code></a>. Errors have <code>error</code> and <code>code</code>: <a href="/docs/errors">errors and limits</a>. The examples read the key from <code>BROWSER_TASK_KEY</code>; the <a href="/docs/sdk">SDKs</a> have a method for each route.</p>
<fieldset class="languages"><legend>Examples in</legend>${LANGUAGES.map(
      ([id, name], at) =>
        html`<label for="in-${id}"><input type="radio" name="language" id="in-${id}"${at === 0 ? html` checked` : null}> ${name}</label>`,
    )}</fieldset>
<nav class="operations" aria-label="Routes">${index}</nav>
${sections}
${types.length === 0 ? null : html`<h2 id="types">Types</h2>`}
${types}`,
  )
}

const idOf = (words: string): string => words.toLowerCase().replaceAll(/[^a-z]+/g, '-')

/** The schema that a reference names. */
type Named = (schema: Schema) => Schema | undefined
const nameOf = ($ref: string): string => $ref.split('/').at(-1) ?? ''

function operationOf(entry: Entry, named: Named): Html {
  const { path, method, operation } = entry
  const { summary, description, operationId, security, requestBody, responses } = operation
  const parameters = operation.parameters.filter(({ name }) => !COMMON.has(name))
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {})
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const schema = (content?.['application/json'] ?? Object.values(content ?? {})[0])?.schema
    return html`<tr><th scope="row">${status}</th><td>${status.startsWith('2') && schema ? bodyOf(schema, named) : html`<span class="quiet">${description}</span>`}</td></tr>`
  })
  const request = requestOf(entry, type, body, named)
  return html`<section class="operation" aria-labelledby="${operationId}">
<h3 id="${operationId}">${titleOf(entry)}</h3>
<p><code><span class="method ${method}">${method.toUpperCase()}</span> ${path}</code></p>
<p>${description === summary ? `${summary}.` : description} <span class="quiet">${security.length > 0 ? 'Requires a key or a sign-in.' : 'No authentication required.'}</span></p>
${parameters.length === 0 ? null : html`<dl class="fields">${parameters.map(({ name, in: place, schema, description, required }) => field(name, schema, [`in the ${place}`, ...(place === 'query' && !required ? ['optional'] : [])], description))}</dl>`}
${body === undefined ? null : html`<details><summary>Body</summary>${body.schema ? bodyOf(body.schema, named) : null}</details>`}
<details><summary>Responses</summary><div class="table" role="region" aria-label="Responses of ${method} ${path}" tabindex="0"><table><tbody>${answers}</tbody></table></div></details>
<div class="examples"><div>${LANGUAGES.map(([id, name, write]) => code(`${name === 'curl' ? 'Request' : name}: ${operationId}`, write(request), id))}</div>
${answerOf(operationId, responses)}</div>
</section>`
}

/** A type by its name, which is described once below, or by its fields. */
const bodyOf = (schema: Schema, named: Named): Html =>
  schema.$ref === undefined ? fields(schema, named) : html`<p>${typeOf(schema)}</p>`

const code = (label: string, text: string, language = ''): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"${language === '' ? null : html` class="in-${language}"`}><code>${text}</code></pre>`

/** What an example has beside the required fields: a start names a browser, and has the inputs that its text names. */
const ALSO_SHOWN: ReadonlySet<string> = new Set(['browser_session_id', 'inputs'])

/** A request as an example sends it. */
interface ExampleRequest {
  readonly method: string
  readonly path: string
  readonly needsKey: boolean
  /** What is sent: JSON, the bytes of a file, or nothing. */
  readonly body: object | 'file' | null
}

/** With the fields that are required, or all where none is. */
function requestOf(
  { path, method, operation }: Entry,
  type: string | undefined,
  body: Content[string] | undefined,
  named: Named,
): ExampleRequest {
  const base = { method: method.toUpperCase(), path, needsKey: operation.security.length > 0 }
  if (type === undefined) return { ...base, body: null }
  if (type !== 'application/json') return { ...base, body: 'file' }
  const { example, schema } = body ?? {}
  if (typeof example !== 'object' || example === null) return { ...base, body: null }
  const whole = schema && (named(schema) ?? schema)
  const required = Object.entries(example).filter(([name]) => whole?.required?.includes(name) || ALSO_SHOWN.has(name))
  return { ...base, body: required.length > 0 ? Object.fromEntries(required) : example }
}

const SERVICE = 'http://localhost:3456'

function curlOf({ method, path, needsKey, body }: ExampleRequest): string {
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${SERVICE}${path}`]
  if (needsKey) lines.push('-H "Authorization: Bearer $BROWSER_TASK_KEY"')
  if (body === 'file') lines.push('--data-binary @file')
  else if (body !== null) lines.push(`--json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  return lines.join(' \\\n  ')
}

function typescriptOf({ method, path, needsKey, body }: ExampleRequest): string {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of an example
    ...(needsKey ? ['Authorization: `Bearer ${process.env.BROWSER_TASK_KEY}`'] : []),
    ...(body !== null && body !== 'file' ? ["'Content-Type': 'application/json'"] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === 'file'
      ? ['  body: file,']
      : body === null
        ? []
        : [`  body: JSON.stringify(${indented(body, '  ')}),`]),
  ]
  const address = `'${SERVICE}${path}'`
  const call = options.length === 0 ? `fetch(${address})` : `fetch(${address}, {\n${options.join('\n')}\n})`
  return `const response = await ${call}\nconsole.log(response.status, await response.text())`
}

function pythonOf({ method, path, needsKey, body }: ExampleRequest): string {
  const given = [
    ...(needsKey ? ['    headers={"Authorization": f"Bearer {os.environ[\'BROWSER_TASK_KEY\']}"},'] : []),
    ...(body === 'file'
      ? ['    content=file,']
      : body === null
        ? []
        : [`    json=${pythonic(indented(body, '    '))},`]),
  ]
  const call = [`response = httpx.request(`, `    "${method}", "${SERVICE}${path}",`, ...given, ')'].join('\n')
  return `import os\nimport httpx\n\n${call}\nprint(response.status_code, response.text)`
}

const indented = (body: object, by: string): string => JSON.stringify(body, null, 2).replaceAll('\n', `\n${by}`)
/** JSON's own words outside of texts, as Python writes them. */
const pythonic = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"|\btrue\b|\bfalse\b|\bnull\b/g, (word) => PYTHON[word] ?? word)
const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

const LANGUAGES = [
  ['curl', 'curl', curlOf],
  ['typescript', 'TypeScript', typescriptOf],
  ['python', 'Python', pythonOf],
] as const

/** What the first success looks like. */
function answerOf(operationId: string, responses: Operation['responses']): Html | null {
  const [status, answer] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? []
  const example = answer?.content?.['application/json']?.example
  return example === undefined ? null : code(`Response ${status}: ${operationId}`, JSON.stringify(example, null, 2))
}

/** The fields of an object, those of what it extends first; of anything else its type. */
function fields(schema: Schema, named: Named): Html {
  const parts = schema.allOf ?? [schema]
  const extended = parts.filter(({ $ref }) => $ref !== undefined)
  const own = parts.filter(({ $ref, properties }) => $ref === undefined && properties !== undefined)
  if (own.length === 0) return html`<p>${typeOf(schema)}</p>`
  const items = own.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, inner]) =>
      field(name, inner, required.includes(name) ? [] : ['optional'], inner.description ?? named(inner)?.description),
    ),
  )
  return html`${extended.length === 0 ? null : html`<p>All of ${joined(extended.map(typeOf), ' and ')}, and:</p>`}<dl class="fields">${items}</dl>`
}

const field = (name: string, schema: Schema, more: readonly string[], description?: string): Html =>
  html`<div><dt><code>${name}</code></dt><dd>${typeOf(schema)}${rangeOf(schema)
    .concat(more)
    .map((each) => html`, ${each}`)}${description === undefined ? null : html`: ${description}`}</dd></div>`

/** A type in a few words; one that has a name leads to where it is described. */
function typeOf(schema: Schema): Html {
  const { type, anyOf, oneOf, allOf, items, const: constant, format, $ref } = schema
  if (schema.enum) return html`${schema.enum.map((value) => JSON.stringify(value)).join(' or ')}`
  if (constant !== undefined) return html`${JSON.stringify(constant)}`
  if ($ref) return html`<a href="#type-${nameOf($ref)}">${nameOf($ref)}</a>`
  const among = anyOf ?? oneOf
  if (among) return joined(distinct(among.map(typeOf)), ' or ')
  if (allOf) return joined(distinct(allOf.map(typeOf)), ' and ')
  if (items) return html`list of ${typeOf(items)}`
  return html`${format ?? (typeof type === 'string' ? type : (type?.join(' or ') ?? 'anything'))}`
}

/** What values are allowed, and which one is meant when none is given. */
function rangeOf({ minimum, maximum, minLength, maxLength, maxItems, items, anyOf, ...schema }: Schema): string[] {
  const inner = anyOf?.find(({ type }) => type !== 'null')
  if (inner) return [...rangeOf(inner), ...defaultOf(schema)]
  return [
    ...(minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
      ? [`${minimum} to ${maximum}`]
      : minimum !== undefined && minimum !== 0
        ? [`at least ${minimum}`]
        : maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
          ? [`at most ${maximum}`]
          : []),
    ...(minLength !== undefined && minLength > 1 ? [`at least ${minLength} characters`] : []),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(items === undefined || maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...defaultOf(schema),
  ]
}

const defaultOf = ({ default: value }: Pick<Schema, 'default'>): string[] =>
  value === undefined || value === null ? [] : [`default ${JSON.stringify(value)}`]

const distinct = (parts: readonly Html[]): Html[] => [...new Map(parts.map((part) => [part.text, part])).values()]

const joined = (parts: readonly Html[], between: string): Html =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${between}${part}`))}`
