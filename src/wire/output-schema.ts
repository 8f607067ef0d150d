import * as v from 'valibot'
import { isDeeperThan } from '../../actors/conversation/reply-checks.ts'
import { OUTPUT_SCHEMA_BYTES_MAX, OUTPUT_SCHEMA_DEPTH_MAX } from './limits.ts'
import { record } from './record.ts'

/**
 * [L31, T63] The `output_schema` of a task, as far as that costs nothing: JSON of a certain size. What its references make of it
 * (`resolveReferences`) and its keywords (`schemaFault`) are looked at beside the event loop.
 */
export const outputSchema = v.pipe(
  record(v.string(), v.unknown(), 'must be a JSON Schema (an object)'),
  v.check(
    (schema) => !isTooDeep(schema) && Buffer.byteLength(JSON.stringify(schema)) <= OUTPUT_SCHEMA_BYTES_MAX,
    ({ input }) => (isTooDeep(input) ? 'is nested too deep' : `must be at most ${OUTPUT_SCHEMA_BYTES_MAX / 1024} KB`),
  ),
)

/** JSON of such a schema cannot even be made. */
const isTooDeep = (schema: object): boolean => isDeeperThan(schema, OUTPUT_SCHEMA_DEPTH_MAX * 8)
