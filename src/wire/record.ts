import * as v from 'valibot'

/**
 * An object whose keys the client chooses. Unlike `v.record` it takes no array, and loses no key: `constructor` and
 * `__proto__` are names like any other, and what has one of them is an own property of the result.
 */
export function record<const Key extends v.GenericSchema<string, string>, const Value extends v.GenericSchema>(
  key: Key,
  value: Value,
  message = 'must be an object',
): v.RecordSchema<Key, Value, string> {
  const schema = v.record(key, value, message) as v.RecordSchema<Key, Value, string>
  const run: (typeof schema)['~run'] = (dataset, config) => {
    const input = dataset.value
    if (!isObject(input)) return schema['~run']({ value: null }, config)
    const issues: v.BaseIssue<unknown>[] = []
    const entries: [string, unknown][] = []
    for (const [name, given] of Object.entries(input)) {
      const parts = { key: key['~run']({ value: name }, config), value: value['~run']({ value: given }, config) }
      for (const [origin, part] of Object.entries(parts)) {
        for (const issue of part.issues ?? []) {
          const at = { type: 'object', origin: origin as 'key' | 'value', input, key: name, value: given } as const
          issues.push({ ...issue, path: [at, ...(issue.path ?? [])] })
        }
      }
      if (issues.length > 0 && config.abortEarly) break
      entries.push([parts.key.value as string, parts.value.value])
    }
    // Defines each key, whatever it is called.
    const made = Object.fromEntries(entries)
    return (issues.length > 0 ? { typed: false, value: made, issues } : { typed: true, value: made }) as ReturnType<
      typeof run
    >
  }
  return { ...schema, '~run': run }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
