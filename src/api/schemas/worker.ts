import { parentPort } from 'node:worker_threads'
import { misfits, schemaFault } from '../../wire/schema-check.ts'
import { resolveReferences } from '../../wire/schema-references.ts'
import { SCHEMAS_COMPILED_MAX } from './limits.ts'
import type { CheckedJob, SchemaJob } from './thread.ts'

/** Schemas by their text, those used last at the end: each is compiled once while it is here. */
const schemas = new Map<string, Record<string, unknown>>()

function schemaOf(text: string): Record<string, unknown> {
  const schema: Record<string, unknown> = schemas.get(text) ?? JSON.parse(text)
  schemas.delete(text)
  schemas.set(text, schema)
  const [oldest] = schemas.keys()
  if (schemas.size > SCHEMAS_COMPILED_MAX && oldest !== undefined) schemas.delete(oldest)
  return schema
}

function checked(text: string): CheckedJob {
  const resolved = resolveReferences(JSON.parse(text))
  if ('fault' in resolved) return resolved
  const schema = JSON.stringify(resolved.schema)
  // Its outputs are held against what it was compiled to now.
  const fault = schemaFault(schemaOf(schema))
  return fault ?? { fault, schema }
}

parentPort?.on('message', ({ schema, output }: SchemaJob) => {
  parentPort?.postMessage(
    output === undefined ? checked(schema) : { fault: misfits(schemaOf(schema), JSON.parse(output)) },
  )
})
parentPort?.postMessage('ready')
