import { createHash } from 'node:crypto'
import type { ToolSpec } from '../../../actors/runtime/ports.ts'

type Schema = Readonly<Record<string, unknown>>

/** What every endpoint takes as the name of a property. */
const PLAIN = /^[a-zA-Z0-9_.-]{1,64}$/
const STEM_CHARS = 48

/** [L48] The name of a property, where an endpoint takes only plain ones: the same one for the same name. */
export function plainName(name: string): string {
  if (PLAIN.test(name)) return name
  const stem = name
    .normalize('NFKD')
    .replace(/[^a-zA-Z0-9]+/g, '_')
    .slice(0, STEM_CHARS)
  return `${stem}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

/** A schema with plain names of properties. */
export function withPlainNames(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties' && isSchema(value)) return [keyword, renamed(value)]
      if (keyword === 'required' && Array.isArray(value)) return [keyword, value.map(String).map(plainName)]
      if (Array.isArray(value)) return [keyword, value.map((each) => (isSchema(each) ? withPlainNames(each) : each))]
      return [keyword, isSchema(value) && !DATA.includes(keyword) ? withPlainNames(value) : value]
    }),
  )
}

/** What is data, not schema. */
const DATA = ['const', 'enum', 'default', 'examples']

const renamed = (properties: Schema): Schema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [plainName(name), isSchema(each) ? withPlainNames(each) : each]),
  )

/** The input of a call with the names that its tool's schema has. */
export function withOwnNames(input: unknown, tools: readonly ToolSpec[], tool: string): unknown {
  const schema = tools.find(({ name }) => name === tool)?.schema
  const own = new Map<string, string>()
  if (schema) collect(schema, own)
  return own.size === 0 ? input : restored(input, own)
}

function collect(schema: unknown, own: Map<string, string>): void {
  if (Array.isArray(schema)) for (const each of schema) collect(each, own)
  if (!isSchema(schema)) return
  if (isSchema(schema.properties)) {
    for (const name of Object.keys(schema.properties)) if (plainName(name) !== name) own.set(plainName(name), name)
  }
  for (const value of Object.values(schema)) collect(value, own)
}

function restored(value: unknown, own: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => restored(each, own))
  if (!isSchema(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [own.get(name) ?? name, restored(each, own)]))
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
