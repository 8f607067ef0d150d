import type * as v from 'valibot'
import { ErrorBody, errorBody, InternalErrorBody, NoAllowanceBody } from '../wire/errors.ts'
import { isOptional, type Shape, unwrapped } from '../wire/parse.ts'
import { errorsOf, sentenceOf } from './openapi/errors.ts'
import { headerParameters, headersOf } from './openapi/headers.ts'
import { PATH_TEXTS } from './openapi/path-texts.ts'
import { operationIdOf, ROUTE_TEXTS, TAG_TEXTS } from './openapi/route-texts.ts'
import { componentSchemas, exampleOf, type JsonSchema, schemaOf } from './openapi/schemas.ts'
import { WEBHOOKS } from './openapi/webhooks.ts'
import { isIdempotent, type Route } from './route.ts'

interface Made {
  readonly schemas: Readonly<Record<string, JsonSchema>>
}
const BYTES = 'application/octet-stream'
const BINARY = { schema: { type: 'string', format: 'binary' } } as const

/** Who may ask. */
const SECURITY = { open: [], key: [{ key: [] }, { cookie: [] }], user: [{ cookie: [] }] } as const

type Answer = Route['about']['answers'][number]

/**
 * [P4] The OpenAPI 3.1 document, generated from the routes: it describes exactly what each of them parses and answers.
 * `publicUrl`: where clients reach the service; `null`: where they read the document.
 */
export function openApiOf(
  routes: readonly Route[],
  version: string,
  publicUrl: string | null = null,
): Record<string, unknown> {
  const made: Made = { schemas: componentSchemas() }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, made) }
  }
  const tags = [...new Set([...routes.map(({ about }) => about.tag), 'Webhook events'])]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Browser Task Service',
      version,
      description: 'Say in plain language what should be done on the web, and have it done in your own browser.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl ?? '/', description: 'This service.' }],
    tags: tags.map((name) => ({ name, description: TAG_TEXTS[name] ?? name })),
    paths,
    webhooks: Object.fromEntries(
      Object.entries(WEBHOOKS).map(([name, webhook]) => [name, webhookOf(webhook, made, name)]),
    ),
    components: {
      schemas: made.schemas,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A secret key (svc_live_…) or a publishable one (svc_pub_…).',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'better-auth.session_token',
          description: 'The cookie of a signed-in user.',
        },
      },
    },
  }
}

function operationOf(route: Route, made: Made): Record<string, unknown> {
  const { body, about } = route
  const text = ROUTE_TEXTS[`${route.method} ${route.path}`]
  return {
    operationId: operationIdOf(route),
    summary: about.summary,
    description: text?.description ?? about.summary,
    tags: [about.tag],
    security: SECURITY[route.access],
    parameters: [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route)],
    ...(body === null ? {} : { requestBody: requestBody(body, made) }),
    responses: responsesOf(route, made),
  }
}

function webhookOf({ tag, summary, body }: (typeof WEBHOOKS)[string], made: Made, operationId: string) {
  return {
    post: {
      operationId,
      summary,
      description: summary,
      ...(tag === undefined ? {} : { tags: [tag] }),
      security: [],
      requestBody: { required: true, content: { 'application/json': media(schemaOf(body, 'output'), made) } },
      responses: { '2XX': { description: 'Received.' } },
    },
  }
}

const media = (schema: JsonSchema, made: Made) => ({ schema, example: exampleOf(schema, made.schemas) })

/** None is longer, and with thousands of characters a request has no line that could be read. */
const SEGMENT_CHARS_MAX = 100

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(PATH_TEXTS[`${path.split('/')[2]}/${name}`] ?? PATH_TEXTS[name]),
    schema: { type: 'string', maxLength: SEGMENT_CHARS_MAX },
  }))

/** An object is written `name[key]=value`. */
const queryParameters = (query: Shape | null) =>
  Object.entries(query?.entries ?? {}).map(([name, field]) => {
    const { description, examples, ...schema } = schemaOf(field, 'input')
    const [example] = [schema.enum ?? examples].flat()
    return {
      name,
      in: 'query',
      required: false,
      description,
      example,
      ...(unwrapped(field).type === 'record' ? { style: 'deepObject', explode: true } : {}),
      schema,
    }
  })

/** A body that is left out is an empty object: it may be, where no field is required. */
const requestBody = (body: Shape | 'raw' | 'bytes', made: Made) =>
  body === 'bytes' ? { required: true, content: { [BYTES]: { ...BINARY, example: '%PDF-1.4' } } } : jsonBody(body, made)

const jsonBody = (body: Shape | 'raw', made: Made) => ({
  required: body === 'raw' || Object.values(body.entries).some((field) => !isOptional(field)),
  content: {
    'application/json':
      body === 'raw'
        ? { schema: { type: 'object', description: 'An event of the payment provider.' }, example: { id: 'evt_1' } }
        : media(schemaOf(body, 'input'), made),
  },
})

/** [E1] Every status that the route can answer, with every code of its errors. */
function responsesOf(route: Route, made: Made): Record<string, unknown> {
  const responses: Record<string, unknown> = {}
  for (const [status, codes] of Object.entries(errorsOf(route))) {
    responses[status] = errorResponse(route, status, codes, made)
  }
  for (const [status, answer] of Object.entries(route.about.answers)) {
    const codes = errorsOf(route)[Number(status)] ?? []
    responses[status] = answered(route, status, answer as Answer, codes, made)
  }
  return responses
}

const SPECIAL: Readonly<Record<string, v.GenericSchema>> = { 402: NoAllowanceBody, 500: InternalErrorBody }

function errorResponse(route: Route, status: string, codes: readonly string[], made: Made): Record<string, unknown> {
  const schema = schemaOf(SPECIAL[status] ?? ErrorBody, 'output')
  const [code = ''] = codes
  const { param: _, pointer: __, ...fields } = exampleOf(schema, made.schemas) as Record<string, unknown>
  const example = { ...fields, ...errorBody(code, sentenceOf(code)) }
  return {
    description: codes.join(', '),
    headers: headersOf(route, status),
    content: { 'application/json': { schema, example } },
    // The codes in a form for programs; more may come.
    'x-codes': codes,
  }
}

function answered(
  route: Route,
  status: string,
  answer: Answer,
  codes: readonly string[],
  made: Made,
): Record<string, unknown> {
  if (answer === null) return { description: 'No content', headers: headersOf(route, status) }
  const [schema, other] = Array.isArray(answer) ? answer : [answer as v.GenericSchema, null]
  const own = schemaOf(schema, 'output')
  // A status that both answers and refuses says both.
  const json = codes.length === 0 ? own : { anyOf: [own, schemaOf(ErrorBody, 'output')] }
  return {
    description: codes.length === 0 ? 'OK' : codes.join(', '),
    headers: headersOf(route, status, isIdempotent(route)),
    // Generated clients parse JSON where it is listed: an image that is the default response is listed alone.
    content:
      other === BYTES || other?.startsWith('image/')
        ? { [other]: BINARY }
        : {
            'application/json': media(json, made),
            ...(other === null ? {} : { [other]: { schema: { type: 'string' } } }),
          },
  }
}
