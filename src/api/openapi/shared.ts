import type { JsonSchema } from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
const mapped = (object: unknown, change: (value: Json, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object as Json).map(([key, value]) => [key, change(value as Json, key)]))
const without = (object: Json, ...keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))

/** One group of `components`. Of values under one name, the later ones are numbered. */
class Group {
  readonly values: Record<string, unknown> = {}
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  /** Keeps the value and answers a reference to it. */
  refTo(wanted: string, value: unknown): Json {
    let name = wanted
    for (let n = 2; name in this.values && !isSame(this.values[name], value); n++) name = `${wanted}${n}`
    this.values[name] = value
    return { $ref: `#/components/${this.#name}/${name}` }
  }
}

/**
 * [P4] The document as it is sent, at less than half of its size: what operations have in common is in `components`. A
 * status that refuses has one response, and each operation says its codes beside the reference; a schema with all
 * fields of another extends it; what follows from the rest is left out, such as examples of whole bodies.
 */
export function withShared(document: Json): Json {
  const [headers, parameters, responses] = [new Group('headers'), new Group('parameters'), new Group('responses')]
  const refusals = refusalsOf(document.paths as Json)
  const [security] = operationsOf(document.paths as Json)
    .map((operation) => operation.security)
    .filter((one) => Array.isArray(one) && one.length > 0)
  const taken = operationsOf(document.paths as Json).flatMap(({ parameters }) => parameters as Json[])
  const isShared = (parameter: Json) => taken.filter((one) => isSame(one, parameter)).length > 1

  const response = (value: Json): Json => ({
    ...value,
    ...(isObject(value.headers) && { headers: mapped(value.headers, (header, name) => headers.refTo(name, header)) }),
    ...(isObject(value.content) && { content: mapped(value.content, withoutExample) }),
  })
  for (const [status, value] of Object.entries(refusals)) responses.refTo(status, response(value))

  const operation = (value: Json): Json => ({
    ...without(
      value,
      ...(isSame(value.security, security) ? ['security'] : []),
      ...(value.description === value.summary ? ['description'] : []),
    ),
    ...(Array.isArray(value.parameters) && {
      parameters: value.parameters.map((one) =>
        isShared(one) ? parameters.refTo(one.name, optional(one)) : optional(one),
      ),
    }),
    ...(isObject(value.requestBody) && {
      requestBody: { ...optional(value.requestBody), content: mapped(value.requestBody.content, withoutExample) },
    }),
    responses: mapped(value.responses, (one, status) =>
      'x-codes' in one
        ? {
            $ref: `#/components/responses/${status}`,
            ...(one.description !== refusals[status]?.description && { description: one.description }),
          }
        : response(one),
    ),
  })
  const paths = mapped(document.paths, (methods) => mapped(methods, operation))
  const webhooks = mapped(document.webhooks, (methods) => mapped(methods, operation))
  const { schemas, ...components } = document.components as { schemas: Readonly<Record<string, JsonSchema>> }
  return {
    ...document,
    security,
    paths,
    webhooks,
    components: {
      schemas: referredTo(
        mapped(schemas, (schema) => terse(extending(schema, schemas))),
        [paths, webhooks, responses.values],
      ),
      headers: headers.values,
      parameters: parameters.values,
      responses: responses.values,
      ...components,
    },
  }
}

const operationsOf = (paths: Json): Json[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods as Json)) as Json[]

/** The response of each status that refuses: with every header that it may have, and the codes that most operations say. */
function refusalsOf(paths: Json): Readonly<Record<string, Json>> {
  const all: Record<string, Json[]> = {}
  for (const { responses } of operationsOf(paths)) {
    for (const [status, response] of Object.entries(responses as Record<string, Json>)) {
      if ('x-codes' in response) all[status] = [...(all[status] ?? []), response]
    }
  }
  return mapped(all, (some) => {
    const list = some as unknown as Json[]
    const count = ({ description }: Json) => list.filter((one) => one.description === description).length
    const [usual] = list.toSorted((left, right) => count(right) - count(left))
    return { ...without(usual as Json, 'x-codes'), headers: Object.assign({}, ...list.map(({ headers }) => headers)) }
  }) as Record<string, Json>
}

/** The schemas that something of the document refers to, by itself or through others. */
function referredTo(schemas: Json, from: unknown): Json {
  const names = new Set<string>()
  const follow = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue
      names.add(name)
      follow(schemas[name])
    }
  }
  follow(from)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)))
}

const optional = (value: Json): Json => (value.required === false ? without(value, 'required') : value)

/** The example of a named schema consists of those of its fields. */
const withoutExample = (media: Json): Json =>
  isObject(media.schema) && String(media.schema.$ref).match(/(?<!Error)$/) ? without(media, 'example') : media

/** A reference is not worth it for fewer. */
const FIELDS_MIN = 3

/** A schema that has all the fields of another, as they are there, says so and its own ones. */
function extending(schema: Json, schemas: Readonly<Record<string, JsonSchema>>): Json {
  const own = fieldsOf(schema)
  const isRequired = (name: string, of: Json) => requiredOf(of).includes(name)
  const isBase = (base: Json): boolean => {
    const fields = Object.entries(fieldsOf(base))
    return (
      fields.length >= FIELDS_MIN &&
      fields.length < Object.keys(own).length &&
      fields.every(
        ([name, field]) => isSame(field, own[name]) && isRequired(name, base) === isRequired(name, schema),
      ) &&
      Object.keys(base).every((keyword) => ['type', 'properties', 'required'].includes(keyword))
    )
  }
  const [[name, base] = []] = Object.entries(schemas)
    .filter(([, one]) => isBase(one))
    .sort(([, left], [, right]) => Object.keys(fieldsOf(right)).length - Object.keys(fieldsOf(left)).length)
  if (base === undefined) return schema
  const properties = without(own, ...Object.keys(fieldsOf(base)))
  const required = requiredOf(schema).filter((field) => field in properties)
  const { additionalProperties, ...rest } = without(schema, 'type', 'properties', 'required')
  return {
    ...rest,
    allOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'object', properties, required }],
    // No others than these and those of the base.
    ...(additionalProperties === false && { unevaluatedProperties: false }),
  }
}
const fieldsOf = ({ properties }: Json): Json => (isObject(properties) ? properties : {})
const requiredOf = ({ required }: Json): readonly string[] => (Array.isArray(required) ? required : [])

const PRIMITIVES = ['string', 'integer', 'number', 'boolean']

/** In fewer words: `null` is a second type, and what has no choice, or the choice in sight, needs no example. */
function terse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(terse)
  if (!isObject(value)) return value
  const schema = mapped(value, (inner, key) => (key === 'examples' ? inner : terse(inner)))
  const { anyOf, examples: _, ...rest } = schema
  const [one, other] = Array.isArray(anyOf) && anyOf.length === 2 ? (anyOf as Json[]) : []
  if (one && isSame(other, { type: 'null' }) && PRIMITIVES.includes(String(one.type)) && !('enum' in one))
    return { ...without(schema, 'anyOf'), ...one, type: [one.type, 'null'] }
  return 'const' in schema || 'enum' in schema || schema.type === 'boolean' || schema.format === 'uuid' ? rest : schema
}
