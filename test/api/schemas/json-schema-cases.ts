/**
 * Cases of objects and numbers, after what JSON-Schema-Test-Suite (draft 2020-12) tests of them: keywords on the left, then
 * values that fit and values that do not. All are properties `v` of an object, as outputs are.
 */
export const CASES: readonly (readonly [schema: object, fits: readonly unknown[], misfits: readonly unknown[]])[] = [
  // properties, and names that every object inherits
  [
    { properties: { foo: { type: 'integer' }, bar: { type: 'string' } } },
    [{ foo: 1, bar: 'x' }, {}, { quux: [] }, []],
    [{ foo: 1, bar: {} }],
  ],
  [
    {
      properties: {
        constructor: { type: 'number' },
        toString: { properties: { length: { type: 'string' } } },
        hasOwnProperty: { type: 'number' },
      },
    },
    [{}, [], 12, { toString: { length: 'x' } }, { constructor: 37 }],
    [{ constructor: { length: 37 } }, { toString: { length: 37 } }, { hasOwnProperty: 'x' }],
  ],
  [
    { required: ['constructor', 'toString'] },
    [12, [], { constructor: 1, toString: 2 }],
    [{}, { constructor: 1 }, { toString: 1 }],
  ],
  [{ additionalProperties: false, properties: { valueOf: {} } }, [{}, { valueOf: 1 }], [{ constructor: 1 }]],
  [{ propertyNames: { maxLength: 3 } }, [{ f: 1, foo: 2 }, {}, [1, 2], 'foobar', 12], [{ foo: 1, foobar: 2 }]],
  [{ minProperties: 1, maxProperties: 2 }, [{ constructor: 1 }, { a: 1, b: 2 }, []], [{}, { a: 1, b: 2, c: 3 }]],
  [
    { patternProperties: { 'f.*o': { type: 'integer' } }, additionalProperties: { type: 'boolean' } },
    [{ foo: 1 }, { foo: 1, other: true }, { fooooo: 2 }],
    [{ foo: 'x' }, { other: 1 }],
  ],
  [{ dependentRequired: { constructor: ['bar'] } }, [{}, { bar: 1 }, { constructor: 1, bar: 2 }], [{ constructor: 1 }]],
  [{ dependentSchemas: { toString: { required: ['x'] } } }, [{}, { toString: 1, x: 1 }], [{ toString: 1 }]],
  [{ properties: { a: {} }, unevaluatedProperties: false }, [{}, { a: 1 }], [{ a: 1, constructor: 2 }]],
  // numbers
  [{ multipleOf: 2 }, [10, 0, -4, 'foo'], [7]],
  [{ multipleOf: 1.5 }, [0, 4.5], [35]],
  [{ multipleOf: 0.0001 }, [0.0075, 0], [0.00751]],
  [{ type: 'integer', multipleOf: 1e-8 }, [12_391_239_123], []],
  [{ multipleOf: 0.01 }, [19.99, 4.35, 0.07, 1.1, 0.29, 8.2, 1e6 + 0.01, -19.99, 0], [19.995, 0.071, -0.001]],
  [{ multipleOf: 0.1 }, [0.3, 0.7, 2.3], [0.35]],
  [{ type: 'integer' }, [1, 1.0, -3], [1.1, '1', null, true, {}, []]],
  [{ type: 'number' }, [1, 1.5, -0.0], ['1', null, false]],
  [{ minimum: 1.1, exclusiveMaximum: 3 }, [1.1, 2.99, 'x'], [0.6, 3]],
  [{ exclusiveMinimum: 0, maximum: 300 }, [300, 1], [0, 300.5]],
  [{ enum: [0, false, { constructor: 1 }] }, [0, false, { constructor: 1 }], [1, '0', {}]],
  [{ const: 1 }, [1, 1.0], [true, '1']],
]
