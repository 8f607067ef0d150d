import type { OutputSchema } from '../../actors/conversation/model-port.ts'
import { OUTPUT_SCHEMA_DEPTH_MAX, OUTPUT_SCHEMA_PARTS_MAX, OUTPUT_SCHEMA_PROPERTIES_MAX } from './limits.ts'

/** Where a schema is wrong, as a JSON pointer into it, and why. */
class Invalid extends Error {
  readonly pointer: string

  constructor(pointer: string, message: string) {
    super(message)
    this.pointer = pointer
  }
}

/** What is wrong with a schema, and where: `at` is a JSON pointer into it. */
export interface SchemaFault {
  readonly at: string
  readonly fault: string
}
export type Resolved = { readonly schema: OutputSchema } | SchemaFault

/**
 * [L31] A schema with its references resolved, so that it can stand inside a tool's schema, and so that its limits hold for what it
 * really describes; or what is wrong with them. It is not compiled here: `schemaFault` finds what is wrong with its keywords.
 */
export function resolveReferences(schema: OutputSchema): Resolved {
  try {
    return { schema: resolved(schema) }
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return { at: error.pointer, fault: error.message }
  }
}

/** @throws Invalid */
function resolved(schema: OutputSchema): OutputSchema {
  const { $schema, $id: _, ...rest } = schema
  if ($schema !== undefined && !/^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(String($schema))) {
    throw new Invalid('/$schema', 'must be https://json-schema.org/draft/2020-12/schema')
  }
  const whole = new Inliner(rest).inline(rest, '', 1, [])
  if (typeof whole !== 'object' || whole.type !== 'object') throw new Invalid('/type', 'must be "object"')
  return whole
}

const MAPS = ['properties', 'patternProperties', 'dependentSchemas']
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const SINGLES = [
  ...['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
]
const REFUSED = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef']
const ANNOTATIONS = new Set(['description', 'title', '$comment', 'default', 'examples', 'deprecated'])

type Inlined = Record<string, unknown> | boolean

/** Puts what local references point to in their place, and counts what that makes. */
class Inliner {
  readonly #root: object
  #properties = 0
  #parts = 0

  constructor(root: object) {
    this.#root = root
  }

  inline(schema: unknown, at: string, depth: number, following: readonly string[]): Inlined {
    if (typeof schema === 'boolean') return schema
    if (!isObject(schema)) throw new Invalid(at, 'must be a schema (an object or a boolean)')
    if (depth > OUTPUT_SCHEMA_DEPTH_MAX) throw new Invalid(at, `is more than ${OUTPUT_SCHEMA_DEPTH_MAX} levels deep`)
    if (++this.#parts > OUTPUT_SCHEMA_PARTS_MAX) throw new Invalid(at, 'makes the schema too large')
    for (const key of REFUSED) if (key in schema) throw new Invalid(`${at}/${key}`, 'is not supported')
    const { $ref, $defs: _, definitions: __, ...rest } = schema
    const own = this.#inlineParts(rest, at, depth, following)
    return $ref === undefined ? own : this.#merged($ref, own, `${at}/$ref`, depth, following)
  }

  #inlineParts(
    schema: Record<string, unknown>,
    at: string,
    depth: number,
    following: readonly string[],
  ): Record<string, unknown> {
    const inlined = { ...schema }
    const below = (part: unknown, ...keys: (string | number)[]) =>
      this.inline(part, [at, ...keys.map((key) => escaped(String(key)))].join('/'), depth + 1, following)
    for (const key of MAPS) {
      if (!(key in schema)) continue
      const map = schema[key]
      if (!isObject(map)) throw new Invalid(`${at}/${key}`, 'must be an object')
      this.#count(Object.keys(map), `${at}/${key}`, key === 'patternProperties')
      inlined[key] = Object.fromEntries(Object.entries(map).map(([name, part]) => [name, below(part, key, name)]))
    }
    for (const key of LISTS) {
      if (!(key in schema)) continue
      const list = schema[key]
      if (!Array.isArray(list)) throw new Invalid(`${at}/${key}`, 'must be an array')
      inlined[key] = list.map((part, index) => below(part, key, index))
    }
    for (const key of SINGLES) if (key in schema) inlined[key] = below(schema[key], key)
    if (typeof schema.pattern === 'string') checkPattern(schema.pattern, `${at}/pattern`)
    return inlined
  }

  #count(names: readonly string[], at: string, patterns: boolean): void {
    this.#properties += names.length
    if (this.#properties > OUTPUT_SCHEMA_PROPERTIES_MAX) {
      throw new Invalid(at, `goes beyond ${OUTPUT_SCHEMA_PROPERTIES_MAX} properties in all`)
    }
    if (names.includes('__proto__')) throw new Invalid(`${at}/__proto__`, 'is not a supported name')
    if (patterns) for (const name of names) checkPattern(name, `${at}/${escaped(name)}`)
  }

  #merged(
    ref: unknown,
    own: Record<string, unknown>,
    at: string,
    depth: number,
    following: readonly string[],
  ): Inlined {
    if (typeof ref !== 'string' || !/^#(\/[^%]*)?$/.test(ref)) {
      throw new Invalid(at, 'must point into this schema, such as "#/$defs/item"')
    }
    if (ref === '#' || following.includes(ref)) throw new Invalid(at, 'must not be recursive')
    const target = this.inline(this.#at(ref, at), ref.slice(1), depth, [...following, ref])
    if (typeof target === 'boolean') return target ? own : false
    const isAnnotated = Object.keys(own).every((key) => ANNOTATIONS.has(key))
    return isAnnotated ? { ...target, ...own } : { ...own, allOf: [...((own.allOf as unknown[]) ?? []), target] }
  }

  #at(ref: string, at: string): unknown {
    let found: unknown = this.#root
    for (const key of ref.slice(2).split('/').map(unescaped)) {
      const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, key)
      if (!isThere) throw new Invalid(at, `points to nothing (${ref})`)
      found = (found as Record<string, unknown>)[key]
    }
    return found
  }
}

function checkPattern(pattern: string, at: string): void {
  try {
    new RegExp(pattern, 'u')
  } catch {
    throw new Invalid(at, 'is not a valid regular expression')
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** RFC 6901. */
const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
const unescaped = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')
