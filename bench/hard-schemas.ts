/** Values of `output_schema` that are expensive to check, all within its limits or a little beyond. No two are the same. */
const KINDS: readonly ((n: number) => object)[] = [
  // Small, and a thousand parts once its references are resolved.
  (n) => ({ ...object({ [`a${n}`]: { $ref: '#/$defs/d0' } }), $defs: doubling(2, 20) }),
  // More parts than are allowed.
  (n) => ({ ...object({ [`a${n}`]: { $ref: '#/$defs/d0' } }), $defs: doubling(6, 40) }),
  // Patterns that backtrack.
  (n) => object(many(150, (at) => ({ type: 'string', pattern: `^(a+)+b{${n},}${at}$` }))),
  // What is evaluated depends on every branch.
  (n) => ({
    ...object({ [`u${n}`]: {} }),
    unevaluatedProperties: false,
    anyOf: list(90, (at) => ({ ...object({ [`p${at}`]: { type: 'string' } }), required: [`p${at}`] })),
  }),
  // A big list of values, in a list without doubles.
  (n) => object({ list: { type: 'array', uniqueItems: true, items: { enum: list(1_300, (at) => `${n}-${at}`) } } }),
  // As deep as may be, and as wide.
  (n) => nested(8, `n${n}`),
  // Deeper than can be compiled.
  (n) => object({ [`d${n}`]: JSON.parse(`${'{"items":'.repeat(60)}{}${'}'.repeat(60)}`) }),
]

export const hardSchema = (n: number): object => (KINDS[n % KINDS.length] as (n: number) => object)(n)

const object = (properties: object) => ({ type: 'object', properties })
const list = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at))
const many = (count: number, of: (at: number) => object) => Object.fromEntries(list(count, (at) => [`p${at}`, of(at)]))
/** Each definition holds the next one `each` times. */
const doubling = (levels: number, each: number) =>
  Object.fromEntries([
    ...list(levels, (at) => [`d${at}`, { oneOf: Array(each).fill({ $ref: `#/$defs/d${at + 1}` }) }]),
    [`d${levels}`, { type: 'string', pattern: '^(x|x)*$' }],
  ])
const nested = (levels: number, name: string): object =>
  levels === 1
    ? { enum: list(40, (at) => `${name}-${at}`) }
    : { ...object(many(20, () => ({ type: 'string', minLength: 1 }))), additionalProperties: nested(levels - 1, name) }
