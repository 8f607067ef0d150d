import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('extending')

const page = readFileSync('docs/extending.md', 'utf8')
const files = [...page.matchAll(/`([\w.-]+\/[\w./-]+\.(?:ts|json|md))`/g)].map(([, file]) => file ?? '')

test('every file that docs/extending.md names exists', () => {
  assert.ok(files.length > 30)
  assert.equal(
    files.filter((file) => !existsSync(file)),
    [],
  )
})

test.run()
