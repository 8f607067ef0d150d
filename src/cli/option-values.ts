import { readFileSync } from 'node:fs'
import { usageError } from './exit-codes.ts'

/** [Q16] `name=value` of an option that may be given several times. */
export function pairsOf(option: string, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw usageError(`${option} takes name=value.`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** [Q16] The JSON Schema in a file. */
export function schemaIn(path: string): Record<string, unknown> {
  try {
    const schema: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof schema === 'object' && schema !== null) return schema as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw usageError(`${path} is not a file with a JSON Schema.`)
}
