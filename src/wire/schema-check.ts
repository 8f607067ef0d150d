import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { OutputSchema } from '../../actors/conversation/model-port.ts'
import { OUTPUT_ERRORS_MAX } from './limits.ts'
import type { SchemaFault } from './schema-references.ts'

/**
 * What JSON Schema says of schemas and of outputs. To compile a schema takes up to seconds, and its patterns may take for ever: the
 * service does it on a thread of its own (src/api/schemas).
 */

const validators = new WeakMap<object, ValidateFunction>()

/** Why a schema cannot be used; `null`: it can. */
export function schemaFault(schema: OutputSchema): SchemaFault | null {
  meta ??= new Ajv2020(AJV)
  if (!meta.validateSchema(schema)) {
    const [error] = meta.errors ?? []
    return { at: error?.instancePath ?? '', fault: error?.message ?? 'is not a valid JSON Schema' }
  }
  try {
    validatorOf(schema)
    return null
  } catch (error) {
    return { at: '', fault: `is not a valid JSON Schema: ${(error as Error).message}` }
  }
}

/** What is wrong with an output, by the places where it does not fit: `null` when it fits the schema. */
export function misfits(schema: OutputSchema, output: unknown): string | null {
  const validate = validatorOf(schema)
  return validate(output) ? null : (validate.errors ?? []).slice(0, OUTPUT_ERRORS_MAX).map(sentence).join('; ')
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const allowed = params.allowedValues ?? params.allowedValue
  const unknown = params.additionalProperty ?? params.unevaluatedProperty
  const more = allowed !== undefined ? `: ${JSON.stringify(allowed)}` : unknown !== undefined ? ` ("${unknown}")` : ''
  return `${instancePath === '' ? 'the output' : instancePath} ${message ?? 'is invalid'}${more}`
}

const AJV = {
  strict: false,
  validateFormats: false,
  logger: false,
  // A property is what the JSON has, and not what every object inherits (`constructor`, `toString`).
  ownProperties: true,
  // 19.99 is a multiple of 0.01, though not in binary: what is nearer than a millionth of a step is one.
  multipleOfPrecision: 6,
} as const
/** Knows what JSON Schema says of schemas. It takes its time to build, and is asked again and again. */
let meta: Ajv2020 | null = null

function validatorOf(schema: OutputSchema): ValidateFunction {
  const known = validators.get(schema)
  if (known) return known
  // An instance of its own: it keeps a part of all that it compiles.
  const validate = new Ajv2020({ ...AJV, meta: false, validateSchema: false, allErrors: true }).compile(schema)
  validators.set(schema, validate)
  return validate
}
