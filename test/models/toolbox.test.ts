import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toolbox } from '../../src/models/toolbox.ts'

const test = suite('the toolbox')

const message = (tool: string, input: unknown): string => {
  const checked = toolbox.check(tool, input)
  return checked.ok ? '' : checked.message
}
const passed = (tool: string, input: unknown): unknown => {
  const checked = toolbox.check(tool, input)
  return checked.ok ? checked.input : checked.message
}

/** All that there are: whatever a browser may announce. */
const ALL = toolbox.specs(['tabs', 'files', 'dialog'])

test('[L23 L41 L44 L45] protocol 1 has the seven tools; protocol 2 those that its browser announced, too, what the service does itself, and finish', () => {
  const names = (announced: string[] | null) => toolbox.specs(announced).map((spec) => spec.name)
  const seven = ['navigate', 'read_page', 'find', 'form_input', 'get_page_text', 'computer', 'javascript_tool']
  const own = ['script', 'note', 'extract', 'finish']
  assert.equal(names(null), seven)
  assert.equal(names([]), [...seven, ...own])
  assert.equal(names(['teleport']), [...seven, ...own])
  assert.is(toolbox.specs([]), toolbox.specs(['teleport']))
})

test('each has a description and an object schema', () => {
  for (const spec of ALL) {
    assert.ok(spec.description.length > 50, spec.name)
    assert.is(spec.schema.type, 'object', spec.name)
    assert.ok(Array.isArray(spec.schema.required), spec.name)
  }
})

test('the schemas are JSON and keep to what every provider understands', () => {
  for (const spec of ALL) {
    assert.equal(JSON.parse(JSON.stringify(spec.schema)), spec.schema)
    assert.not.ok('$schema' in spec.schema)
    // No tuples: some providers refuse an array of schemas under `items`.
    assert.not.match(JSON.stringify(spec.schema), /"items":\[/)
  }
})

test('lets through what fits, as it was given', () => {
  assert.equal(passed('navigate', { url: 'example.com' }), { url: 'example.com' })
  assert.equal(passed('read_page', {}), {})
  assert.equal(passed('form_input', { ref: 'e1', value: false }), { ref: 'e1', value: false })
  assert.equal(passed('form_input', { ref: 'e1', value: 0 }), { ref: 'e1', value: 0 })
  assert.equal(passed('computer', { action: 'left_click', coordinate: [1, 2] }), {
    action: 'left_click',
    coordinate: [1, 2],
  })
  assert.equal(passed('computer', { action: 'wait', duration: 30 }), { action: 'wait', duration: 30 })
})

test('leaves out what the tool does not have, and optional fields that are null', () => {
  assert.equal(passed('navigate', { url: 'a.example', tabId: 7 }), { url: 'a.example' })
  assert.equal(passed('read_page', { filter: null, max_chars: 10 }), { max_chars: 10 })
})

test('names the field that is missing', () => {
  assert.is(message('navigate', {}), 'navigate: the field "url" is missing.')
  assert.is(message('form_input', { ref: 'e1', value: null }), 'form_input: the field "value" is missing.')
  assert.is(message('computer', {}), 'computer: the field "action" is missing.')
})

test('names the field that is wrong and says what it must be', () => {
  assert.match(message('navigate', { url: 7 }), /^navigate: the field "url" is invalid: expected string/)
  assert.match(message('computer', { action: 'dance' }), /"action" is invalid: expected \(.*left_click/)
  assert.match(message('computer', { action: 'wait', duration: 31 }), /"duration" is invalid: expected <=30/)
  assert.match(message('computer', { action: 'left_click', coordinate: [1] }), /"coordinate" is invalid/)
  assert.match(message('computer', { action: 'left_click', coordinate: [1, 'x'] }), /"coordinate.1" is invalid/)
  assert.is(message('navigate', { url: '' }), 'navigate: the field "url" is invalid: must not be empty.')
  assert.match(message('form_input', { ref: 'e1', value: {} }), /"value" is invalid: expected \(string \| number/)
  assert.match(message('read_page', { max_chars: 60_000 }), /"max_chars" is invalid/)
})

test('an unknown tool and an input that is no object are refused in one sentence', () => {
  assert.match(message('click', {}), /^There is no tool "click"\. The tools are navigate, read_page/)
  for (const input of [null, undefined, 'x', 3, [1]]) {
    assert.is(message('navigate', input), 'The input of navigate must be an object.')
  }
  assert.match(message('__proto__', {}), /^There is no tool/)
})

for (const [tool, input, wanted] of [
  ['computer', { action: 'click', ref: 'e1' }, { action: 'left_click', ref: 'e1' }],
  ['computer', { action: 'Double-Click', ref: 12 }, { action: 'double_click', ref: '12' }],
  ['computer', { action: 'left_click', coordinate: '[100, 200]' }, { action: 'left_click', coordinate: [100, 200] }],
  ['computer', { action: 'left_click', coordinate: '100,200' }, { action: 'left_click', coordinate: [100, 200] }],
  ['computer', { action: 'left_click', coordinate: { x: 1, y: 2 } }, { action: 'left_click', coordinate: [1, 2] }],
  ['computer', { action: 'wait', duration: '2' }, { action: 'wait', duration: 2 }],
  ['read_page', { page: '3' }, { page: 3 }],
  ['finish', { success: 'true', answer: 'It is 12.' }, { success: true, answer: 'It is 12.' }],
] as const)
  test(`[G34] ${tool} ${JSON.stringify(input)} is taken as meant`, () => assert.equal(passed(tool, input), wanted))

for (const [tool, input] of [
  ['computer', { action: 'jump' }],
  ['computer', { action: 'left_click', coordinate: 'the middle' }],
  ['computer', { action: 'wait', duration: 'long' }],
  ['finish', { success: 'perhaps', answer: '' }],
] as const)
  test(`[G34 L8] ${tool} ${JSON.stringify(input)} is refused`, () => assert.is.not(message(tool, input), ''))

test('[G34] texts that are to be typed or found stay as they are', () => {
  for (const [tool, input] of [
    ['computer', { action: 'type', text: '2' }],
    ['form_input', { ref: 'e1', value: 'true' }],
    ['find', { query: 'click' }],
  ] as const)
    assert.equal(passed(tool, input), input)
})

test.run()
