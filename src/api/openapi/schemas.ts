import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import * as account from '../../wire/account.ts'
import * as audit from '../../wire/audit.ts'
import * as browsers from '../../wire/browsers.ts'
import * as errors from '../../wire/errors.ts'
import * as eventLog from '../../wire/events.ts'
import * as files from '../../wire/files.ts'
import * as inputs from '../../wire/inputs.ts'
import * as keys from '../../wire/keys.ts'
import * as live from '../../wire/live.ts'
import * as members from '../../wire/members.ts'
import * as oauth from '../../wire/oauth.ts'
import * as profiles from '../../wire/profiles.ts'
import * as recipes from '../../wire/recipes.ts'
import { SecretBody } from '../../wire/secrets.ts'
import * as sessions from '../../wire/sessions.ts'
import * as shares from '../../wire/shares.ts'
import * as taskRequest from '../../wire/task-request.ts'
import * as tasks from '../../wire/tasks.ts'
import * as webhooks from '../../wire/webhooks.ts'
import { AllowedLimits, ChangeLimitsBody, Limits, OwnLimits, UsedLimits } from '../../wire/workspace-limits.ts'
import { WEBHOOK_SCHEMAS } from './webhooks.ts'

/**
 * The named schemas of the document: what the modules of `src/wire` export, under the names of their exports. Bodies of
 * requests end in `Body`; an error's name is without it.
 */
const MODULES = [
  account,
  audit,
  browsers,
  eventLog,
  files,
  inputs,
  keys,
  live,
  members,
  oauth,
  profiles,
  recipes,
  sessions,
  shares,
  taskRequest,
  tasks,
  webhooks,
  WEBHOOK_SCHEMAS,
  { AllowedLimits, ChangeLimitsBody, Limits, OwnLimits, SecretBody, UsedLimits },
]

export interface JsonSchema {
  readonly [keyword: string]: unknown
}
type Named = Readonly<Record<string, v.GenericSchema>>

const isSchema = (value: unknown): value is v.GenericSchema =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'schema'
/** Parts of schemas have small names. */
const isShown = (name: string): boolean => !name.endsWith('Query') && /^[A-Z]/.test(name)

const exported = (module: object): [string, v.GenericSchema][] =>
  Object.entries(module).filter((entry): entry is [string, v.GenericSchema] => isSchema(entry[1]) && isShown(entry[0]))

const all = MODULES.flatMap(exported)
const isInput = (name: string): boolean => name.endsWith('Body') || name === 'NoFields'
const INPUTS: Named = Object.fromEntries(all.filter(([name]) => isInput(name)))
const OUTPUTS: Named = Object.fromEntries([
  ...exported(errors).map(([name, schema]): [string, v.GenericSchema] => [name.replace(/Body$/, ''), schema]),
  ...all.filter(([name]) => !isInput(name)),
])
const NAMES = new Map(Object.entries({ ...OUTPUTS, ...INPUTS }).map(([name, schema]) => [schema, name]))

const refTo = (name: string) => `#/components/schemas/${name}`
const config = (mode: 'input' | 'output') => ({
  typeMode: mode,
  target: 'draft-2020-12' as const,
  ignoreActions: ['check'],
  overrideRef: ({ referenceId }: { readonly referenceId: string }) => refTo(referenceId),
  overrideSchema: ({ valibotSchema, jsonSchema }: { valibotSchema: v.GenericSchema; jsonSchema: object }) => ({
    ...withoutNullDefault(jsonSchema as JsonSchema),
    ...('entries' in valibotSchema && { properties: propertiesOf(valibotSchema, jsonSchema as JsonSchema) }),
    ...(valibotSchema.type === 'variant' && { discriminator: discriminatorOf(valibotSchema) }),
  }),
})

/** With a default, generators of clients require the field. */
const withoutNullDefault = ({ default: value, ...schema }: JsonSchema) =>
  value === undefined || value === null ? schema : { ...schema, default: value }

/** A field whose schema has a name refers to it, and what has one value needs no other example. */
function propertiesOf(schema: v.GenericSchema, { properties }: JsonSchema) {
  const { entries } = schema as unknown as { entries: Readonly<Record<string, Described>> }
  return Object.fromEntries(
    Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, property]) => {
      const named = NAMES.get(entries[name]?.pipe?.[0] as v.GenericSchema)
      if (named !== undefined) return [name, { $ref: refTo(named), ...v.getMetadata(entries[name] as Described) }]
      return [name, 'const' in property ? { ...property, examples: [property.const] } : property]
    }),
  )
}
type Described = v.GenericSchema & { readonly pipe?: readonly unknown[] }

/** By which field clients tell the schemas of a union apart. */
function discriminatorOf(schema: v.GenericSchema) {
  const { key, options } = schema as unknown as typeof eventLog.Event
  const mapping = options.map((option) => [option.entries[key].literal, refTo(NAMES.get(option) ?? '')])
  return { propertyName: key, mapping: Object.fromEntries(mapping) }
}

/** `components.schemas`, each field with its description and an example. */
export const componentSchemas = (): Record<string, JsonSchema> =>
  ({
    ...toJsonSchemaDefs(OUTPUTS, config('output')),
    ...toJsonSchemaDefs(INPUTS, config('input')),
  }) as Record<string, JsonSchema>

/** A schema where it is used: by its name, or as it is when it has none. */
export function schemaOf(schema: v.GenericSchema, mode: 'input' | 'output'): JsonSchema {
  const name = NAMES.get(schema)
  if (name !== undefined) return { $ref: refTo(name) }
  const { $schema: _, ...json } = toJsonSchema(schema, config(mode)) as JsonSchema
  return json
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An example of a whole body, made of the examples of its fields. */
export function exampleOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(schemas[schema.$ref.slice(refTo('').length)] ?? {}, schemas)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (isObject(schema.properties)) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, exampleOf(inner as JsonSchema, schemas)]),
    )
  }
  if (isObject(schema.items) && (schema.items.$ref || schema.items.properties))
    return [exampleOf(schema.items, schemas)]
  const [first] = [schema.anyOf ?? schema.oneOf ?? schema.enum ?? []].flat() as unknown[]
  if (schema.const !== undefined) return schema.const
  return isObject(first) ? exampleOf(first, schemas) : (first ?? null)
}
