import { routesOf } from '../../src/api/handle.ts'
import { openApiOf } from '../../src/api/openapi.ts'
import type { Surface } from './http-surface.ts'

/** The document of a surface before what its operations share is taken out. */
export const plainDocument = ({ deps }: Pick<Surface, 'deps'>) =>
  JSON.parse(JSON.stringify(openApiOf(routesOf(deps), 'dev')))

/** Parts of an OpenAPI document, as far as tests look into them. */
export interface Operation {
  readonly operationId: string
  readonly security: object[]
  readonly parameters: { name: string; in: string; schema: object }[]
  readonly requestBody?: {
    required: boolean
    content: Record<string, { schema: { properties?: object; required?: string[] } }>
  }
  readonly responses: Record<
    string,
    { description: string; headers?: object; content: Record<string, { schema?: object }> }
  >
}

export interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
}

/** A document with what its references name in their places: what stands beside a reference counts. */
export function expanded<Value>(value: Value, document: object): Value {
  if (Array.isArray(value)) return value.map((one) => expanded(one, document)) as Value
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...beside } = value as Record<string, unknown>
  const inner = Object.fromEntries(Object.entries(beside).map(([key, one]) => [key, expanded(one, document)]))
  if (typeof $ref !== 'string' || $ref.startsWith('#/components/schemas/')) return { ...value, ...inner }
  const named = $ref
    .slice(2)
    .split('/')
    .reduce((at, part) => (at as Record<string, object>)[part] ?? {}, document)
  return { ...expanded(named, document), ...inner } as Value
}
