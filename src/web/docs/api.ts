import type { Response } from '../../net/transport.ts'
import type { ArchivesPort } from '../archives.ts'
import { codeBox } from '../code-box.ts'
import { type Html, html } from '../html.ts'
import { EXAMPLES, type Example } from './examples.ts'
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
  readonly example?: unknown
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
type Sent = Pick<Operation, 'summary' | 'description' | 'operationId' | 'requestBody'>
interface Document {
  readonly components?: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  /** What the service sends, by the name of the webhook. */
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Sent>>>>
}

/** Said once for all routes that have them. */
const COMMON = new Set(['X-Workspace-Id'])

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
  entriesOf(document).map(({ path, method, operation }) => {
    const { operationId, summary, description } = operation
    return {
      address: `/docs/api#${operationId}`,
      title: summary,
      route: { method: method.toUpperCase(), path },
      text: description === summary ? '' : description.replaceAll('`', ''),
    }
  })

/** The groups of operations in the order in which one comes to use them; one that is not named stands before the last. */
const GROUPS = [
  ...['Tasks', 'Browser sessions', 'Events', 'Files', 'Profiles', 'Recipes', 'Webhooks', 'Usage and billing'],
  ...['API keys', 'Members', 'Audit log', 'Service'],
]
const OPEN = html` open`
const placeOf = (tag: string): number => (GROUPS.includes(tag) ? GROUPS.indexOf(tag) : GROUPS.length - 1.5)

/** [P25] The reference of the API, made of its own OpenAPI document: every operation with examples, and every type once. */
export function apiPage(document: object, archives: ArchivesPort['names']): Response {
  const { schemas } = (document as Document).components ?? { schemas: {} }
  const entries = entriesOf(document)
  const types = createTypes(schemas, entries, sentBy(document as Document))
  const tags = [...new Set(entries.flatMap(({ operation }) => operation.tags))].sort((a, b) => placeOf(a) - placeOf(b))
  const under = (tag: string) => entries.filter(({ operation }) => operation.tags.includes(tag))
  // One subject is open: the first, then the one that is read.
  const nav = html`<p><a href="/docs">All docs</a></p>${tags.map(
    (tag, at) =>
      html`<details name="subject"${at === 0 ? OPEN : null}><summary>${tag}</summary><ul>${under(tag).map(
        (entry) =>
          html`<li><a href="#${entry.operation.operationId}">${entry.operation.summary} <span class="method ${entry.method}">${entry.method.toUpperCase()}</span></a></li>`,
      )}</ul></details>`,
  )}<p><a href="#types">Types</a></p>`
  const sections = tags.map(
    (tag) => html`<h2 id="${idOf(tag)}">${tag}</h2>
${under(tag).map((one) => operationOf(one, types))}`,
  )
  const named = Object.entries(schemas)
    .filter(([name]) => !types.isInPlace(name))
    .map(
      ([name, schema]) => html`<section class="type" aria-labelledby="type-${name}"><h3 id="type-${name}">${name}</h3>
${schema.description === undefined ? null : html`<p>${coded(schema.description)}</p>`}${fields(schema, types, name.endsWith('Body'))}</section>`,
    )
  return docsPage(
    'API reference',
    '/docs/api',
    html`<section class="operation" aria-label="How to call it"><div class="about">
<p>Every operation of this service, generated from its <a href="/openapi.json">OpenAPI 3.1 document</a>. The <a href="/docs/sdk">SDKs</a> have a method for each of them.</p>
<dl class="properties">
<div><dt>Base URL</dt><dd><code class="origin">http://127.0.0.1:3456</code></dd></div>
<div><dt>Authentication</dt><dd>Send <code>Authorization: Bearer svc_live_…</code> with each request. With a session cookie instead, <code>X-Workspace-Id</code> says which of your workspaces is meant.</dd></div>
<div><dt>Repeated requests</dt><dd>Each POST takes an <a href="/docs/idempotency"><code>Idempotency-Key</code></a>: sent again, it happens once.</dd></div>
<div><dt>Errors</dt><dd>An answer that is not 2xx has <code>error</code> for people and <code>code</code> for programs: <a href="/docs/errors">errors and limits</a>.</dd></div>
</dl></div>
<div class="examples">${codeBox([{ language: 'sh', title: 'What the examples need', text: SETUP }])}
${codeBox([{ language: 'sh', title: 'Clients', text: clientsOf(archives) }])}
<p class="quiet own"><a href="/dashboard">Sign in</a>, and the examples have your own key and ids.</p></div></section>
${sections}
${sentSection(document as Document, types)}
${named.length === 0 ? null : html`<h2 id="types">Types</h2>`}
${named}`,
    { nav },
  )
}

/** What the examples take from the environment: a script puts the reader's own address and key in their place. */
const SETUP = `export SERVICE=http://127.0.0.1:3456
# a secret key of your workspace
export KEY=svc_live_…`
const clientsOf = ({ typescript, python }: ArchivesPort['names']): string => `npm install $SERVICE/clients/${typescript}
pip install $SERVICE/clients/${python}`

const idOf = (words: string): string => words.toLowerCase().replaceAll(/[^a-z]+/g, '-')

/** What stands between backticks is code. */
const coded = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`

/** The types that have names. */
interface Types {
  /** The schema that a reference names. */
  named(schema: Schema): Schema | undefined
  /** Whether one operation alone takes or answers with it, which describes it; all others stand at the end of the page. */
  isInPlace(name: string): boolean
}

function createTypes(
  schemas: Readonly<Record<string, Schema>>,
  entries: readonly Entry[],
  sent: readonly Sent[],
): Types {
  const uses = new Map<string, number>()
  const count = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as Schema
    if (typeof $ref === 'string') uses.set(nameOf($ref), (uses.get(nameOf($ref)) ?? 0) + 1)
    for (const one of Object.values(value)) count(one)
  }
  count(schemas)
  count(entries)
  count(sent)
  const own = new Set(
    entries
      .flatMap(({ operation }) => [operation.requestBody?.content, successOf(operation)?.content])
      .concat(sent.map(({ requestBody }) => requestBody?.content))
      .flatMap((content) =>
        Object.values(content ?? {}).flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [nameOf(schema.$ref)])),
      ),
  )
  return {
    named: ({ $ref }) => ($ref === undefined ? undefined : schemas[nameOf($ref)]),
    isInPlace: (name) => own.has(name) && uses.get(name) === 1,
  }
}
const nameOf = ($ref: string): string => $ref.split('/').at(-1) ?? ''

/** The first answer of an operation that is a success. */
const successOf = ({ responses }: Operation) =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const

function operationOf(entry: Entry, types: Types): Html {
  const { path, method, operation } = entry
  const { summary, description, operationId, security, requestBody, responses } = operation
  const parameters = operation.parameters.filter(({ name }) => !COMMON.has(name))
  const [body] = Object.values(requestBody?.content ?? {})
  const listed = PLACES.map(([place, title]) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    return own.length === 0
      ? null
      : html`<h4>${title}</h4>
<dl class="properties">${own.map(({ name, schema, description, required }) => field(name, schema, required === true ? 'required' : null, description))}</dl>`
  }).filter((each) => each !== null)
  const answers = Object.entries(responses).map(([status, { description, content }]) => ({
    status,
    description,
    schema: (content?.['application/json'] ?? Object.values(content ?? {})[0])?.schema,
  }))
  const [good, bad] = [true, false].map((isGood) => answers.filter(({ status }) => status.startsWith('2') === isGood))
  return html`<section class="operation" aria-labelledby="${operationId}">
<div class="about">
<h3 id="${operationId}">${summary}</h3>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
<p>${coded(description === summary ? `${summary}.` : description)}</p>
${security.length > 0 ? null : html`<p class="quiet">No authentication required.</p>`}
</div>
<div class="examples">${requestBox(entry)}
${answerBox(entry)}</div>
<div class="parts">
${listed}
${body?.schema === undefined ? null : html`<h4${anchorOf(body.schema, types)}>Body</h4>${bodyOf(body.schema, types, true)}`}
<h4>Returns</h4>
${
  good?.map(({ status, description, schema }) =>
    schema?.$ref !== undefined && types.isInPlace(nameOf(schema.$ref))
      ? html`<details><summary${anchorOf(schema, types)}><code>${status}</code> ${nameOf(schema.$ref)}</summary>${bodyOf(schema, types)}</details>`
      : html`<p><code>${status}</code> ${schema ? typeOf(schema) : description}</p>`,
  ) ?? null
}
${
  bad === undefined || bad.length === 0
    ? null
    : html`<details><summary>Errors <span class="quiet">${bad.map(({ status }) => status).join(', ')}</span></summary>
<dl class="fields">${bad.map(({ status, description }) => html`<div><dt><code>${status}</code></dt><dd>${coded(description)}</dd></div>`)}</dl></details>`
}
</div>
</section>`
}

const sentBy = ({ webhooks = {} }: Document): readonly Sent[] => Object.values(webhooks).flatMap(Object.values)

/** [P25] What is sent to `webhook_url` and to webhook endpoints, with its fields and an example of each. */
function sentSection(document: Document, types: Types): Html | null {
  const sent = sentBy(document)
  if (sent.length === 0) return null
  return html`<h2 id="deliveries">What webhooks receive</h2>
${sent.map(({ summary, description, operationId, requestBody }) => {
  const [{ schema, example } = {}] = Object.values(requestBody?.content ?? {})
  const text = JSON.stringify(example, null, 2)
  return html`<section class="operation" aria-labelledby="${operationId}">
<div class="about"><h3 id="${operationId}">${summary}</h3>
<p>${coded(description)}</p></div>
<div class="examples">${example === undefined ? null : codeBox([{ language: 'json', title: 'Body', text, label: `Body: ${operationId}` }])}</div>
<div class="parts">${schema === undefined ? null : html`<h4${anchorOf(schema, types)}>Body</h4>${bodyOf(schema, types)}`}</div>
</section>`
})}`
}

/** The id of a type that is described in its place. */
const anchorOf = ({ $ref }: Schema, types: Types): Html | null =>
  $ref === undefined || !types.isInPlace(nameOf($ref)) ? null : html` id="type-${nameOf($ref)}"`

/** A type by its name, which is described below, or by its fields. */
function bodyOf(schema: Schema, types: Types, isSent = false): Html {
  const whole = types.named(schema) ?? schema
  if (whole.properties !== undefined && Object.keys(whole.properties).length === 0)
    return html`<p class="quiet">No fields: <code>{}</code>, or no body.</p>`
  if (schema.$ref === undefined) return fields(schema, types, isSent)
  return types.isInPlace(nameOf(schema.$ref)) ? fields(whole, types, isSent) : html`<p>${typeOf(schema)}</p>`
}

/** The path of an operation with the example of each of its parameters. */
const exampleAddress = ({ path, operation: { operationId, parameters } }: Entry): string => {
  const filled = parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  const { query } = EXAMPLES[operationId] ?? {}
  return query === undefined ? filled : `${filled}?${query}`
}

function curlOf(entry: Entry, { as, body, curl = [] }: Example): string {
  const address = `$SERVICE${exampleAddress(entry)}`
  const method = entry.method.toUpperCase()
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined)
  const lines = [`curl${isImplied ? '' : ` -X ${method}`} ${/[?&[]/.test(address) ? `"${address}"` : address}`]
  const credentials = CREDENTIALS[as ?? 'key']
  if (credentials !== null) lines.push(credentials)
  lines.push(...curl)
  if (typeof body === 'string') lines.push(`--data-binary @${body}`)
  else if (body !== undefined)
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}'`)
  return lines.join(' \\\n  ')
}

const COOKIE = 'better-auth.session_token'
const CREDENTIALS = {
  key: '-H "Authorization: Bearer $KEY"',
  person: `--cookie "${COOKIE}=$SESSION_COOKIE"`,
  browser: '-H "Authorization: Bearer $SESSION_TOKEN"',
  anyone: null,
} as const

function typescriptOf(call: string, as: Example['as']): string {
  const [, imports = '', rest = ''] = /^((?:import .*\n)*)\n*([\s\S]*)$/.exec(call) ?? []
  const options = as === undefined ? '{ baseUrl: SERVICE, key: KEY }' : '{ baseUrl: SERVICE }'
  const note = as === 'person' ? '// On a page of the service: the browser sends the cookie.\n' : ''
  return `${imports}import { BrowserTasks } from 'browser-task-client'

const { SERVICE = ''${as === undefined ? ', KEY' : ''} } = process.env
${note}const client = new BrowserTasks(${options})

${rest}`
}

function pythonOf(call: string, as: Example['as']): string {
  const service = 'os.environ["SERVICE"]'
  const client =
    as === 'person'
      ? `cookies = {"${COOKIE}": os.environ["SESSION_COOKIE"]}
client = BrowserTasks(${service}, http=httpx.Client(cookies=cookies))`
      : `client = BrowserTasks(${service}${as === undefined ? ', os.environ["KEY"]' : ''})`
  return `import os
${as === 'person' ? 'import httpx\n' : ''}from browser_task_client import BrowserTasks

${client}

${call}`
}

/** The request of the operation with this id, as the reference has it. */
export function exampleRequest(document: object, id: string): Html | null {
  const entry = entriesOf(document).find(({ operation }) => operation.operationId === id)
  return entry === undefined ? null : requestBox(entry)
}

/** [P25] The request of an operation in each language in which who needs it sends it. */
function requestBox(entry: Entry): Html {
  const { operationId } = entry.operation
  const example = EXAMPLES[operationId] ?? {}
  const { typescript, python, as } = example
  return codeBox([
    { language: 'sh', text: curlOf(entry, example), label: `curl: ${operationId}` },
    ...(typescript === undefined
      ? []
      : [{ language: 'ts', text: typescriptOf(typescript, as), label: `TypeScript: ${operationId}` }]),
    ...(python === undefined
      ? []
      : [{ language: 'python', text: pythonOf(python, as), label: `Python: ${operationId}` }]),
  ])
}

/** What the first success looks like. */
function answerBox({ path, operation: { operationId, parameters, responses } }: Entry): Html | null {
  const [status, response] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? []
  const { answer, stream } = EXAMPLES[operationId] ?? {}
  const label = `Response ${status}: ${operationId}`
  if (stream !== undefined)
    return codeBox([{ language: '', title: `Response ${status}, text/event-stream`, text: stream.trimEnd(), label }])
  const [[type = '', { example = undefined } = {}] = []] = Object.entries(response?.content ?? {})
  if (type !== 'application/json')
    return codeBox([{ language: '', title: `Response ${status}`, text: `The bytes: ${type}`, label }])
  const shown = { ...withoutAliases(example as object), ...answer }
  // What is deleted is what the path names.
  const [last] = parameters.filter(({ in: place }) => place === 'path').slice(-1)
  if ('deleted' in shown && path.includes('{')) Object.assign(shown, { id: last?.example })
  const text = JSON.stringify(shown, null, 2)
  return codeBox([{ language: 'json', title: `Response ${status}`, text, label }])
}

/** A list has its items under `data`, and once more under an earlier name, which an example need not repeat. */
function withoutAliases(example: object): object {
  const data = JSON.stringify('data' in example ? example.data : null)
  return Object.fromEntries(
    Object.entries(example).filter(([name, value]) => name === 'data' || JSON.stringify(value) !== data),
  )
}

/** The fields of an object, those of what it extends first; of anything else its type. */
function fields(schema: Schema, types: Types, isSent = false): Html {
  const parts = schema.allOf ?? [schema]
  const extended = parts.filter(({ $ref }) => $ref !== undefined)
  const own = parts.filter(({ $ref, properties }) => $ref === undefined && properties !== undefined)
  if (own.length === 0) return choicesOf(schema) ?? html`<p>${typeOf(schema)}</p>`
  const items = own.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, inner]) =>
      field(
        name,
        inner,
        required.includes(name) === isSent ? (isSent ? 'required' : 'optional') : null,
        inner.description ?? types.named(inner)?.description,
      ),
    ),
  )
  return html`${extended.length === 0 ? null : html`<p>All of ${joined(extended.map(typeOf), ' and ')}, and:</p>`}<dl class="properties">${items}</dl>`
}

/** More values than these are folded. */
const VALUES_SHOWN_MAX = 6

/** A long list of values or types, of which one is chosen, behind how many they are. */
function choicesOf({ enum: values = [], anyOf = [], oneOf = [], items }: Schema): Html | null {
  const among = [...anyOf, ...oneOf]
  const choices =
    values.length > 0 ? values.map((value) => html`<code>${JSON.stringify(value)}</code>`) : among.map(typeOf)
  if (choices.length > VALUES_SHOWN_MAX)
    return html`<details><summary>${choices.length} ${values.length > 0 ? 'values' : 'types'}</summary><p class="choices">${joined(choices, ' ')}</p></details>`
  return [...among, ...(items === undefined ? [] : [items])].reduce<Html | null>(
    (found, each) => found ?? choicesOf(each),
    null,
  )
}

const field = (name: string, schema: Schema, mark: 'required' | 'optional' | null, description?: string): Html =>
  html`<div><dt><code>${name}</code> <span class="quiet">${typeOf(schema)}${rangeOf(schema).map((each) => html`, ${each}`)}</span>${mark === null ? null : html` <span class="${mark}">${mark}</span>`}</dt>${description === undefined ? null : html`<dd>${coded(description)}</dd>`}${folded(schema)}</div>`

const folded = (schema: Schema): Html | null => {
  const choices = choicesOf(schema)
  return choices && html`<dd>${choices}</dd>`
}

/** A type in a few words; one that has a name leads to where it is described. */
function typeOf(schema: Schema): Html {
  const { type, anyOf, oneOf, allOf, items, const: constant, format, $ref } = schema
  if (schema.enum && schema.enum.length > VALUES_SHOWN_MAX) return html`one of ${schema.enum.length} values`
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
