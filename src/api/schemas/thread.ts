import { SCHEMA_THREAD_MB_MAX } from './limits.ts'

/** A schema to compile, or an output to hold against it; both are JSON. */
export interface SchemaJob {
  readonly schema: string
  readonly output?: string
}

/**
 * What is wrong (`at`: with a schema, where), `null` for nothing, or that there is no verdict: it took too long or too much memory. With a schema that
 * is right: its JSON, references resolved.
 */
export type Verdict = CheckedJob | 'late' | 'ended'
export interface CheckedJob {
  readonly fault: string | null
  readonly at?: string
  readonly schema?: string
}

export const SCHEMA_THREAD = {
  source: new URL('./worker.ts', import.meta.url),
  file: 'schema-worker.cjs',
  memoryMb: SCHEMA_THREAD_MB_MAX,
} as const
