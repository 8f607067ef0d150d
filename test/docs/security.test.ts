import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('what docs/security.md promises')

const page = readFileSync('docs/security.md', 'utf8')
const rules = new Set(
  [...readFileSync('docs/spec-rules.md', 'utf8').matchAll(/^- \*\*([A-Z]\d+)\*\*/gm)].map(([, rule]) => rule),
)
/** The rows of its tables of promises: the rules and the tests of each. */
const promises = [...page.matchAll(/^\| (.+) \| ((?:[A-Z]\d+(?:, )?)+) \| (.+) \|$/gm)].map(
  ([, promise = '', named = '', tests = '']) => ({
    promise,
    rules: named.split(', '),
    tests: [...tests.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path = '']) => path),
  }),
)

test('each promise names rules that there are, and a test that names one of them', () => {
  assert.ok(promises.length > 20)
  for (const { promise, rules: named, tests } of promises) {
    assert.equal(
      named.filter((rule) => !rules.has(rule)),
      [],
      promise,
    )
    assert.ok(tests.length > 0, promise)
    for (const path of tests) {
      assert.ok(existsSync(path), path)
      const text = readFileSync(path, 'utf8')
      assert.ok(
        named.some((rule) => new RegExp(`\\[${rule}\\]`).test(text)),
        `${path} has no test for ${named.join(', ')}`,
      )
    }
  }
})

test('rules in brackets are rules that there are', () => {
  const named = [...page.matchAll(/\[((?:[A-Z]\d+(?:, )?)+)\]/g)].flatMap(([, list = '']) => list.split(', '))
  assert.ok(named.length > 10)
  assert.equal(
    named.filter((rule) => !rules.has(rule)),
    [],
  )
})

test('the transport that is pinned is the one that is named', () => {
  const lock = JSON.parse(readFileSync(join('package-lock.json'), 'utf8'))
  const { name, version, integrity } = lock.packages['node_modules/uWebSockets.js']
  assert.is(name, '@uwsjs/core')
  for (const fact of [version, integrity]) assert.ok(page.includes(fact), fact)
})

test.run()
