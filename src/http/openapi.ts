import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { ErrorBody, InternalErrorBody, NoAllowanceBody } from '../wire/errors.ts'
import { isOptional, type Shape, unwrapped } from '../wire/parse.ts'
import { isIdempotent, type Route } from './route.ts'

/**
 * [P4] The OpenAPI 3.1 document, generated from the routes: it describes exactly what each of them parses and answers.
 */
export function openApiOf(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Browser Task Service',
      version,
      description: 'Say in plain language what should be done on the web, and have it done in your own browser.',
    },
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A secret key (svc_live_…) or a publishable one (svc_pub_…).',
        },
        cookie: { type: 'apiKey', in: 'cookie', name: 'better-auth.session_token' },
      },
    },
  }
}

function operationOf(route: Route): Record<string, unknown> {
  const { body, about } = route
  return {
    summary: about.summary,
    tags: [about.tag],
    operationId: operationId(route),
    security: route.access === 'key' ? [{ key: [] }, { cookie: [] }] : [],
    parameters: [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route)],
    ...(body === null ? {} : { requestBody: requestBody(body) }),
    responses: responsesOf(route),
  }
}

/** `POST /v1/tasks/:id/cancel` is `post_tasks_id_cancel`. */
const operationId = ({ method, path }: Route): string =>
  [method.toLowerCase(), ...path.split(/[^a-z]+/i).filter((part) => part !== '' && part !== 'v')].join('_')

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

/** An object is written `name[key]=value`. */
const queryParameters = (query: Shape | null) =>
  Object.entries(query?.entries ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    ...(unwrapped(schema).type === 'record' ? { style: 'deepObject', explode: true } : {}),
    schema: inputSchema(schema),
  }))

/** [A11, B6] The headers that a route reads beside the usual ones. */
function headerParameters(route: Route) {
  const { access, body, path } = route
  const header = (name: string, description: string, required = false) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string', ...(required ? { minLength: 1 } : {}) },
  })
  if (body === 'raw') return [header('payment-signature', 't=<unix s>,v1=<hex hmac-sha256 of "<t>.<raw body>">', true)]
  return [
    ...(access === 'key' || path === '/v1/me'
      ? [header('X-Workspace-Id', 'With a session cookie: which of the workspaces is meant.')]
      : []),
    ...(isIdempotent(route)
      ? [
          header(
            'Idempotency-Key',
            'Sent again with the same key within 24 hours, the request is not carried out again: its first answer is.',
          ),
        ]
      : []),
  ]
}

/** A body that is left out is an empty object: it may be, where no field is required. */
const requestBody = (body: Shape | 'raw') => ({
  required: body === 'raw' || Object.values(body.entries).some((field) => !isOptional(field)),
  content: { 'application/json': { schema: body === 'raw' ? {} : inputSchema(body) } },
})

/** [E1] Every status that the route can answer, with every code of its errors. */
function responsesOf(route: Route): Record<string, unknown> {
  const responses: Record<string, unknown> = {}
  for (const [status, codes] of Object.entries(errorsOf(route))) responses[status] = errorResponse(status, codes)
  for (const [status, answer] of Object.entries(route.about.answers)) {
    const codes = errorsOf(route)[Number(status)] ?? []
    responses[status] = answered(route, status, answer as Route['about']['answers'][number], codes)
  }
  return responses
}

/** The codes of a route by status: its own, and those of authentication, guard, parsing and failure. */
export function errorsOf({
  access,
  readToken,
  action,
  body,
  query,
  method,
  about,
}: Route): Record<number, readonly string[]> {
  const errors: Record<number, string[]> = { 421: ['host_not_allowed'], 500: ['internal'] }
  const add = (status: number, ...codes: string[]) => {
    errors[status] = [...(errors[status] ?? []), ...codes]
  }
  if (access === 'key') add(401, 'unauthorized', ...(readToken ? ['read_token_invalid'] : []))
  if (access === 'key' && method !== 'GET') add(403, 'foreign_origin')
  if (action !== null) add(403, 'publishable_key')
  if (body !== null && body !== 'raw') add(400, 'body_invalid', ...fieldCodes(body))
  if (query !== null) add(400, ...fieldCodes(query))
  for (const [status, codes] of Object.entries(about.errors ?? {})) add(Number(status), ...codes)
  if (isIdempotent({ access, method })) {
    add(400, 'idempotency_key_invalid')
    add(409, 'idempotency_in_progress')
    add(422, 'idempotency_key_reused')
    add(429, 'too_many_idempotency_keys')
  }
  return errors
}

/** What can be wrong with a field: not as it should be, or left out where it must not be. */
const fieldCodes = (shape: Shape): string[] =>
  Object.entries(shape.entries).flatMap(([name, field]) =>
    isOptional(field) ? [`${name}_invalid`] : [`${name}_required`, `${name}_invalid`],
  )

const SPECIAL: Readonly<Record<string, v.GenericSchema>> = { 402: NoAllowanceBody, 500: InternalErrorBody }

function errorResponse(status: string, codes: readonly string[]): Record<string, unknown> {
  const schema = outputSchema(SPECIAL[status] ?? ErrorBody)
  const withCodes = { ...schema, properties: { ...(schema.properties as object), code: { enum: codes } } }
  return {
    description: codes.join(', '),
    headers: headersOf(status),
    content: { 'application/json': { schema: withCodes } },
  }
}

function answered(
  route: Route,
  status: string,
  answer: Route['about']['answers'][number],
  codes: readonly string[],
): Record<string, unknown> {
  if (answer === null) return { description: 'No content', headers: headersOf(status) }
  const [schema, other] = Array.isArray(answer) ? answer : [answer as v.GenericSchema, null]
  const own = outputSchema(schema)
  // A status that both answers and refuses says both.
  const json = codes.length === 0 ? own : { anyOf: [own, outputSchema(ErrorBody)] }
  return {
    description: codes.length === 0 ? 'OK' : codes.join(', '),
    headers: headersOf(status, isIdempotent(route)),
    content: { 'application/json': { schema: json }, ...(other === null ? {} : { [other]: {} }) },
  }
}

const headersOf = (status: string, replays = false) => ({
  'X-Request-Id': { schema: { type: 'string', minLength: 8, maxLength: 8 } },
  ...(status === '429' ? { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } : {}),
  ...(replays
    ? { 'Idempotent-Replayed': { description: 'It is the answer to an earlier request.', schema: { const: 'true' } } }
    : {}),
})

function inputSchema(schema: v.GenericSchema): Record<string, unknown> {
  return withoutDialect(toJsonSchema(schema, { typeMode: 'input', target: 'draft-2020-12', ignoreActions: ['check'] }))
}
function outputSchema(schema: v.GenericSchema): Record<string, unknown> {
  return withoutDialect(toJsonSchema(schema, { typeMode: 'output', target: 'draft-2020-12', ignoreActions: ['check'] }))
}

const withoutDialect = ({ $schema: _, ...schema }: object & { $schema?: unknown }): Record<string, unknown> => schema
