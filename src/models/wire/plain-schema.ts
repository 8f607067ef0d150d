type Schema = Readonly<Record<string, unknown>>

/** Only what every endpoint understands; of alternatives the first, of a constant the list of one. */
const KEPT = new Set(['type', 'description', 'properties', 'required', 'items', 'enum', 'additionalProperties'])

/** [L16] A tool's schema without what some endpoints refuse. The service checks inputs by the whole schema. */
export function plainSchema(schema: Schema): Schema {
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf
  const first = Array.isArray(alternatives) ? alternatives.find(isSchema) : undefined
  const whole: Schema = { ...(first ?? {}), ...schema }
  return Object.fromEntries([
    ...Object.entries(whole).flatMap(([name, value]) => (KEPT.has(name) ? [[name, plainPart(name, value)]] : [])),
    ...('const' in whole ? [['enum', [whole.const]]] : []),
  ])
}

function plainPart(name: string, value: unknown): unknown {
  if (name === 'properties' && isSchema(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([property, each]) => [property, isSchema(each) ? plainSchema(each) : each]),
    )
  }
  if (name === 'items' && isSchema(value)) return plainSchema(value)
  return name === 'type' && Array.isArray(value) ? (value.find((each) => each !== 'null') ?? 'string') : value
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
