import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { redactorOf } from '../../machines/redaction.ts'
import {
  mayHave,
  type SecretRecord,
  secretRefusal,
  secretsBrief,
  secretsIn,
  withValues,
} from '../../machines/secrets.ts'

const test = suite('secrets')

const aSecret = (name: string, more: Partial<SecretRecord> = {}): SecretRecord => ({
  name,
  kind: 'value',
  domains: ['shop.example'],
  description: null,
  ...more,
})
const secrets = [aSecret('password'), aSecret('code', { kind: 'totp' })]
const P = '{{secret:password}}'

test('[X3] placeholders are found however they are spaced, also in a value of a value', () => {
  assert.equal(secretsIn(`a ${P} b {{ Secret : code }} ${P}`), ['password', 'code'])
  assert.equal(secretsIn({ a: [{ b: P }] }), ['password'])
  assert.equal(secretsIn('{{secret}} {secret:a} {{other:a}}'), [])
  const value = { name: 'password', value: '$& $1', domains: [] }
  assert.is(withValues(`(${P})({{ secret:password }})`, [value]), '($& $1)($& $1)')
})

test('[X3] a placeholder is for the value of form_input and for typing; anywhere else it is an error', () => {
  for (const [tool, input] of [
    ['form_input', { ref: 'e1', value: P }],
    ['computer', { action: 'type', text: `${P}`, ref: 'e1' }],
    ['navigate', { url: 'https://shop.example' }],
    ['finish', { success: true, answer: `Signed in with ${P}` }],
    ['ask_user', { question: `Is ${P} right?` }],
  ] as const)
    assert.is(secretRefusal(tool, input, secrets), null, tool)
  for (const [tool, input] of [
    ['navigate', { url: `https://shop.example/?p=${P}` }],
    ['javascript_tool', { action: 'javascript_exec', text: `alert('${P}')` }],
    ['find', { query: P }],
    ['computer', { action: 'key', text: P }],
    ['computer', { action: 'wait', text: P }],
    ['computer', { action: 'type', text: 'a', ref: P }],
    ['form_input', { ref: P, value: 'a' }],
    ['dialog', { accept: true, text: P }],
    ['tabs', { action: 'open', url: P }],
    ['files', { action: 'upload', name: P }],
    ['get_page_text', { anything: [P] }],
  ] as const)
    assert.match(secretRefusal(tool, input, secrets) ?? '', /can only be written in the value of form_input/, tool)
})

test('[X3] an unknown name is an error that says which there are', () => {
  const input = { ref: 'e1', value: '{{secret:pasword}}' }
  assert.is(
    secretRefusal('form_input', input, secrets),
    'Not run: this task has no secret "pasword". It has password, code.',
  )
  assert.match(secretRefusal('form_input', input, []) ?? '', /It has none\.$/)
})

test('[X4] a document may have a secret when its origin and those around it are of the domains', () => {
  const may = (...origins: string[]) => mayHave(['shop.example', '*.pay.example', 'old.example:8080'], origins)
  for (const origins of [
    ['https://shop.example'],
    ['https://www.shop.example'],
    ['https://a.pay.example', 'https://shop.example'],
    ['http://old.example:8080'],
    ['https://old.example:8080'],
  ])
    assert.ok(may(...origins), origins.join(' '))
  for (const origins of [
    [],
    ['null'],
    ['http://shop.example'],
    ['https://shop.example:8443'],
    ['https://shop.example.evil.example'],
    ['https://evil.example', 'https://shop.example'],
    ['https://shop.example', 'https://evil.example'],
    ['https://shop.example', 'null'],
    ['https://shop.example', 'https://evil.example', 'https://shop.example'],
    ['file://'],
  ])
    assert.not.ok(may(...origins), origins.join(' '))
  assert.ok(mayHave(['localhost', '127.0.0.1:80', '[::1]'], ['http://localhost']))
  assert.ok(mayHave(['[::1]'], ['http://[::1]']))
})

test('[X2] the model is told names, domains and descriptions', () => {
  const brief = secretsBrief([aSecret('password', { description: 'of Ada' }), ...secrets.slice(1)])
  assert.match(brief, '- {{secret:password}} for shop.example: of Ada')
  assert.match(brief, '- {{secret:code}} for shop.example: a one-time code, made anew for each use')
})

const VALUE = `Tr0ub4dor &3 "ü"<'>`
const { text, value } = redactorOf([
  { name: 'password', value: VALUE },
  { name: 'pin', value: '4711' },
])

test('[X6] a value is taken out as it is, and as URLs, base64, hexadecimal digits, JSON and HTML write it', () => {
  const bytes = Buffer.from(VALUE)
  const url = encodeURIComponent(VALUE)
  for (const form of [
    VALUE,
    url,
    url.toLowerCase().replace('tr0', 'Tr0'),
    new URLSearchParams({ a: VALUE }).toString().slice(2),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    JSON.stringify(VALUE),
    JSON.stringify(JSON.stringify(VALUE)),
    "Tr0ub4dor &amp;3 &quot;ü&quot;&lt;'&gt;",
    'Tr0ub4dor &amp;3 &quot;ü&quot;&lt;&#39;&gt;',
  ]) {
    const out = text(`before ${form} after`)
    assert.match(out, '{{secret:password}}', form)
    assert.not.match(out, /Tr0ub|VHIwdWI|547230|4dor/i, out)
    assert.match(out, /^before .* after$/)
  }
})

test('[X6] in base64 of a longer text it is found wherever it begins', () => {
  for (const user of ['a', 'ab', 'abc', 'abcd']) {
    const out = text(Buffer.from(`${user}:${VALUE}:end`).toString('base64'))
    assert.match(out, '{{secret:password}}')
    assert.not.match(Buffer.from(out.replace('{{secret:password}}', ' '), 'base64').toString('latin1'), /r0ub4do/)
  }
})

test('[X6] the beginning of a longer value is taken out where the text was cut; a short one counts as a word', () => {
  assert.is(text(`It holds "${VALUE.slice(0, 17)}…`), 'It holds "{{secret:password}}…')
  assert.is(text('4711 47114711 471'), '{{secret:pin}} 47114711 471')
  assert.equal(value({ '4711': ['a 4711', { b: null, c: 4 }] }), {
    '{{secret:pin}}': ['a {{secret:pin}}', { b: null, c: 4 }],
  })
  assert.is(redactorOf([]).text(VALUE), VALUE)
})

test.run()
