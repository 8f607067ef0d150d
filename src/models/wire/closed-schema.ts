type Schema = Readonly<Record<string, unknown>>

/** Formats of texts that are held to. */
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']
const AS_IS = ['title', 'description', 'default', 'const', 'enum', 'type', 'required', '$ref']
const LISTS = ['anyOf', 'allOf'] as const
const MAPS = ['properties', '$defs', 'definitions'] as const
/** What the model is told in words, because the endpoint does not hold it to them. */
const IN_WORDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
]

/**
 * [L32] A schema for Anthropic's mode of JSON, which knows closed objects alone and holds the reply to a part of JSON Schema.
 * `null` for one that it cannot express, such as an object of any fields: the schema then is in the words alone.
 */
export function closedSchema(schema: Schema): Schema | null {
  try {
    return closed(schema)
  } catch (error) {
    if (error instanceof Open) return null
    throw error
  }
}

class Open extends Error {}

function closed(schema: Schema): Schema {
  const { properties, additionalProperties, format, items, oneOf } = schema
  const isObject = properties !== undefined || schema.type === 'object'
  const isOpen = isObject && (properties === undefined || (additionalProperties ?? false) !== false)
  if (isOpen || schema.patternProperties || schema.$ref === '#') throw new Open()
  const limits = IN_WORDS.flatMap((name) => (name in schema ? [`${spaced(name)}: ${worded(schema[name])}`] : []))
  if (typeof format === 'string' && !FORMATS.includes(format)) limits.push(`format: ${format}`)
  const described = [schema.description, limits.length > 0 ? `${limits.join('; ')}.` : undefined]
  const description = described.filter((each) => each !== undefined).join('\n')
  return Object.fromEntries([
    ...AS_IS.flatMap((name) => (name in schema ? [[name, schema[name]]] : [])),
    ...(description === '' ? [] : [['description', description]]),
    ...LISTS.flatMap((name) => (Array.isArray(schema[name]) ? [[name, schema[name].map(closedPart)]] : [])),
    ...(Array.isArray(oneOf) ? [['anyOf', oneOf.map(closedPart)]] : []),
    ...MAPS.flatMap((name) => (isSchema(schema[name]) ? [[name, closedMap(schema[name])]] : [])),
    ...(items === undefined ? [] : [['items', closedPart(items)]]),
    ...(typeof format === 'string' && FORMATS.includes(format) ? [['format', format]] : []),
    ...(isObject ? [['additionalProperties', false]] : []),
  ])
}

const closedPart = (part: unknown): unknown => (isSchema(part) ? closed(part) : part)
const closedMap = (map: Schema): Schema =>
  Object.fromEntries(Object.entries(map).map(([name, part]) => [name, closedPart(part)]))

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const spaced = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
const worded = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
