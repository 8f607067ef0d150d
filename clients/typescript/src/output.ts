import { BrowserTaskError } from './errors.ts'

/** A schema of zod, valibot, arktype or another library that follows https://standardschema.dev. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
  }
}
type Validated<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] }
interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** JSON Schema 2020-12 of an object. */
export interface JsonSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}
/** What `output` takes. */
export type OutputSchema = StandardSchema | JsonSchema

/** The type of what fits a schema. */
export type OutputOf<Schema> =
  Schema extends StandardSchema<infer Output> ? Output : Schema extends JsonSchema ? FromJsonSchema<Schema> : never

type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Each)[] } | { readonly oneOf: readonly (infer Each)[] }
      ? FromJsonSchema<Each>
      : S extends { readonly type: readonly (infer Type)[] }
        ? OfType<S, Type>
        : S extends { readonly type: infer Type }
          ? OfType<S, Type>
          : unknown
type OfType<S, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? (S extends { readonly items: infer Items } ? FromJsonSchema<Items> : unknown)[]
          : Type extends 'object'
            ? ObjectOf<S>
            : unknown
type ObjectOf<S> = S extends { readonly properties: infer Properties }
  ? Shown<
      { [Name in keyof Properties & RequiredIn<S>]: FromJsonSchema<Properties[Name]> } & {
        [Name in Exclude<keyof Properties, RequiredIn<S>>]?: FromJsonSchema<Properties[Name]>
      }
    >
  : Record<string, unknown>
type RequiredIn<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never
type Shown<T> = { [Name in keyof T]: T[Name] }

const isStandard = (schema: OutputSchema): schema is StandardSchema => '~standard' in schema

/** The JSON Schema that is sent for what `output` was given. */
export function jsonSchemaOf(schema: OutputSchema): Record<string, unknown> {
  if (!isStandard(schema)) return { ...schema }
  const standard = schema['~standard']
  const own = schema as { toJsonSchema?: unknown; toJSONSchema?: unknown }
  const convert = own.toJsonSchema ?? own.toJSONSchema
  const made = standard.jsonSchema
    ? standard.jsonSchema.input({ target: 'draft-2020-12' })
    : typeof convert === 'function'
      ? (convert.call(schema) as unknown)
      : null
  if (typeof made === 'object' && made !== null) return made as Record<string, unknown>
  throw new BrowserTaskError(
    `This version of ${standard.vendor} cannot write its schema as JSON Schema. Use a later one or, with valibot, ` +
      'toStandardJsonSchema of @valibot/to-json-schema; or pass JSON Schema.',
    { code: 'output_schema_unsupported', status: 0 },
  )
}

/** A task has ended with an output that the given schema does not accept. */
export class OutputMismatch<Task = unknown> extends BrowserTaskError {
  override readonly name = 'OutputMismatch'
  readonly issues: readonly Issue[]
  readonly task: Task

  constructor(issues: readonly Issue[], task: Task) {
    super(`The output does not fit its schema: ${issues.map(said).join('; ')}`, { code: 'output_mismatch', status: 0 })
    this.issues = issues
    this.task = task
  }
}

const said = ({ message, path = [] }: Issue): string =>
  [path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'), message]
    .filter((part) => part !== '')
    .join(': ')

/** The task with its output as the schema gives it: with what it transforms and fills in. */
export async function withOutput<Task extends { readonly output: unknown }>(
  task: Task,
  schema: OutputSchema | undefined,
): Promise<Task> {
  if (schema === undefined || task.output === null || !isStandard(schema)) return task
  const result = await schema['~standard'].validate(task.output)
  if (result.issues) throw new OutputMismatch(result.issues, task)
  return { ...task, output: result.value }
}
